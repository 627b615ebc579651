//! Keys within a shard. The first byte says what a key is about; see `docs/format.md`.

use crate::seal::{seal, unseal};
use crate::{KeyRange, Order, RecordId, Revision};
use bytes::Bytes;
use value::key::{self, Direction};
use value::raw::DocumentWriter;
use value::{DocumentBuf, RawDocument, ValueRef};

/// Records: the record id follows.
pub(crate) const RECORD: u8 = 0x10;
/// The change log: the sequence number follows.
pub(crate) const LOG: u8 = 0x20;
/// Purges: the sequence number follows.
pub(crate) const PURGE: u8 = 0x21;
/// Index entries: the index's number follows, then the key.
pub(crate) const INDEX: u8 = 0x30;
/// Tombstones of deleted documents: the key of the `_id` follows.
pub(crate) const TOMBSTONE: u8 = 0x40;
/// Executed statements: the session's digest follows.
pub(crate) const SESSION: u8 = 0x50;
/// Revision trees: the key of the `_id` follows.
pub(crate) const TREE: u8 = 0x60;
/// Bodies of leaves that are not the winner: the key of the `_id`, the generation and the hash follow.
pub(crate) const BODY: u8 = 0x61;
/// Notes of documents, which a protocol keeps: the key of the `_id` follows.
pub(crate) const NOTES: u8 = 0x62;
/// Terms of notes: the keys of the term's name, of its value and of the `_id` follow.
pub(crate) const TERM: u8 = 0x63;
/// Local documents, which are in no log: the name follows.
pub(crate) const LOCAL: u8 = 0x70;
/// What partitions hold: the partition's name follows.
pub(crate) const PARTITION: u8 = 0x71;

/// What an entry of the change log is about.
pub(crate) const LOG_PUT: u8 = 1;
pub(crate) const LOG_DELETED: u8 = 2;

/// The prefix of all keys of the index on `_id`.
pub(crate) const ID_INDEX_PREFIX: [u8; 2] = [INDEX, 0];

/// Derived pages, in a shard of their own: the page's number follows.
pub(crate) const PAGE: u8 = 0x10;

/// Index numbers below this take one byte.
pub(crate) const INDEX_LONG: u8 = 0xFF;

/// The bytes of the record id that follows the key of an entry that is not unique.
pub(crate) const RECORD_ID_BYTES: usize = 8;

/// The `_id` of a document that was checked to have one.
pub(crate) fn id_of(document: RawDocument<'_>) -> ValueRef<'_> {
    document.get("_id").unwrap_or(ValueRef::Null)
}

/// The key of the entry of an `_id` in its index.
pub(crate) fn id_key(id: ValueRef<'_>) -> Vec<u8> {
    let mut key = ID_INDEX_PREFIX.to_vec();
    key::encode(id, Direction::Ascending, &mut key);
    key
}

/// The key of a record.
pub(crate) fn record(id: RecordId) -> [u8; 9] {
    numbered(RECORD, id.0)
}

/// The records after `after` in this order, all if there is none.
pub(crate) fn records_after(after: Option<RecordId>, order: Order) -> KeyRange {
    let mut range = KeyRange::prefix(&[RECORD]);
    if let Some(after) = after {
        range.begin_after(record(after).to_vec(), order);
    }
    range
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

/// The key of a purge.
pub(crate) fn purge(sequence: u64) -> [u8; 9] {
    numbered(PURGE, sequence)
}

/// The sequence number out of a purge's key.
pub(crate) fn purge_sequence(key: &[u8]) -> Option<u64> {
    number(PURGE, key)
}

/// Appends the prefix of all keys of an index.
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

/// The number of bytes of that prefix.
pub(crate) fn index_prefix_bytes(index: u32) -> usize {
    match index < u32::from(INDEX_LONG) {
        true => 2,
        false => 6,
    }
}

/// The prefix of all keys of an index.
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

/// The key of the tombstone of an `_id`.
pub(crate) fn tombstone(id: ValueRef<'_>) -> Vec<u8> {
    of_id(TOMBSTONE, id)
}

/// The key of the revision tree of an `_id`.
pub(crate) fn tree(id: ValueRef<'_>) -> Vec<u8> {
    of_id(TREE, id)
}

/// The key of the body of a leaf that is not the winner.
pub(crate) fn body(id: ValueRef<'_>, revision: &Revision) -> Vec<u8> {
    let mut key = of_id(BODY, id);
    key.extend_from_slice(&revision.generation.to_be_bytes());
    key.extend_from_slice(revision.hash.as_bytes());
    key
}

/// The key of the notes of an `_id`.
pub(crate) fn notes(id: ValueRef<'_>) -> Vec<u8> {
    of_id(NOTES, id)
}

/// The prefix of the keys of all terms of this name.
pub(crate) fn terms(name: &str) -> Vec<u8> {
    of_id(TERM, ValueRef::String(name))
}

/// The key of a document under a term.
pub(crate) fn term(name: &str, value: ValueRef<'_>, id: ValueRef<'_>) -> Vec<u8> {
    let mut key = terms(name);
    key::encode(value, Direction::Ascending, &mut key);
    key::encode(id, Direction::Ascending, &mut key);
    key
}

/// The key of a local document.
pub(crate) fn local(name: &str) -> Vec<u8> {
    [&[LOCAL], name.as_bytes()].concat()
}

/// The key of what a partition holds.
pub(crate) fn partition(name: &str) -> Vec<u8> {
    [&[PARTITION], name.as_bytes()].concat()
}

/// A document under a checksum, as bodies of revisions and local documents are kept.
pub(crate) fn write_body(document: &DocumentBuf) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + document.bytes().len());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(document.bytes());
    seal(&mut out);
    out
}

/// As [`write_body`], for a document of about this many bytes that `write` fills.
pub(crate) fn write_sealed(bytes: usize, write: impl FnOnce(&mut DocumentWriter<'_>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes);
    out.extend_from_slice(&[0; 4]);
    let mut writer = DocumentWriter::new(&mut out);
    write(&mut writer);
    writer.finish();
    seal(&mut out);
    out
}

/// Reads what [`write_body`] and [`write_sealed`] wrote.
pub(crate) fn read_body(bytes: &Bytes) -> Option<DocumentBuf> {
    let document = unseal(bytes)?;
    RawDocument::new(document).ok()?;
    Some(DocumentBuf::from_validated(bytes.slice(4..)))
}

fn of_id(kind: u8, id: ValueRef<'_>) -> Vec<u8> {
    let mut bytes = vec![kind];
    key::encode(id, Direction::Ascending, &mut bytes);
    bytes
}

fn numbered(kind: u8, number: u64) -> [u8; 9] {
    let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
    [kind, a, b, c, d, e, f, g, h]
}

fn number(kind: u8, key: &[u8]) -> Option<u64> {
    let (&first, rest) = key.split_first()?;
    (first == kind).then_some(u64::from_be_bytes(rest.try_into().ok()?))
}
