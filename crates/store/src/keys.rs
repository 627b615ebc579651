//! Keys within a shard. The first byte says what a key is about; see `docs/format.md`.

use crate::RecordId;

/// Records: the record id follows.
pub(crate) const RECORD: u8 = 0x10;
/// The change log: the sequence number follows.
pub(crate) const LOG: u8 = 0x20;
/// Index entries: the index's number follows, then the key.
pub(crate) const INDEX: u8 = 0x30;
/// Tombstones of deleted documents: the key of the `_id` follows.
pub(crate) const TOMBSTONE: u8 = 0x40;
/// Executed statements: the session's digest follows.
pub(crate) const SESSION: u8 = 0x50;

/// What all keys of the index of `_id`s begin with.
pub(crate) const ID_INDEX_PREFIX: [u8; 2] = [INDEX, 0];

/// Derived pages, in a shard of their own: the page's number follows.
pub(crate) const PAGE: u8 = 0x10;

/// Index numbers below this take one byte.
const INDEX_LONG: u8 = 0xFF;

/// The bytes of a record id behind the key of an entry that is not unique.
pub(crate) const RECORD_ID_BYTES: usize = 8;

/// The key of a record.
pub(crate) fn record(id: RecordId) -> [u8; 9] {
    numbered(RECORD, id.0)
}

/// The record id out of a record's key.
pub(crate) fn record_id(key: &[u8]) -> Option<RecordId> {
    number(RECORD, key).map(RecordId)
}

/// The key of an entry of the change log.
pub(crate) fn log(sequence: u64) -> [u8; 9] {
    numbered(LOG, sequence)
}

/// The sequence number out of a change log's key.
pub(crate) fn log_sequence(key: &[u8]) -> Option<u64> {
    number(LOG, key)
}

/// Appends what all keys of an index begin with.
pub(crate) fn put_index_prefix(index: u32, out: &mut Vec<u8>) {
    out.push(INDEX);
    match u8::try_from(index) {
        Ok(short) if short < INDEX_LONG => out.push(short),
        _ => {
            out.push(INDEX_LONG);
            out.extend_from_slice(&index.to_be_bytes());
        }
    }
}

/// What all keys of an index begin with.
pub(crate) fn index_prefix(index: u32) -> Vec<u8> {
    let mut prefix = Vec::with_capacity(6);
    put_index_prefix(index, &mut prefix);
    prefix
}

/// The key of a derived page.
pub(crate) fn page(number: u64) -> [u8; 9] {
    numbered(PAGE, number)
}

/// The key of a session's executed statements.
pub(crate) fn session(digest: &[u8; 32]) -> Vec<u8> {
    [&[SESSION], digest.as_slice()].concat()
}

fn numbered(kind: u8, number: u64) -> [u8; 9] {
    let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
    [kind, a, b, c, d, e, f, g, h]
}

fn number(kind: u8, key: &[u8]) -> Option<u64> {
    let (&first, rest) = key.split_first()?;
    (first == kind).then_some(u64::from_be_bytes(rest.try_into().ok()?))
}
