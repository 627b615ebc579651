//! Records: a small header, and the BSON bytes as they came.
//!
//! A record that was never changed has a header of five bytes: flags and checksum. After a change it also has the number of
//! its last change and its ancestry; if another store made it, its revision; and with branches or a long history, a tree
//! beside it. The layout is described in `docs/format.md`.

mod hash;
mod index;
mod revision;
mod term;
#[cfg(test)]
mod term_test;
mod tombstone;
mod tree;

pub use hash::RevisionHash;
pub(crate) use index::RevisionIndex;
pub(crate) use revision::Ancestry;
pub use revision::Revision;
pub(crate) use tombstone::Tombstone;
pub use tree::{Node, RevisionPath, RevisionTree};

use crate::Sequence;
use bytes::Bytes;
use value::{DocumentBuf, RawDocument, varint};

/// The place of a record in insertion order: the sequence number of the change that first inserted it.
/// Natural order is the order of record ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u64);

/// One stored document.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its place in insertion order.
    pub id: RecordId,
    /// The number of its last change.
    pub(crate) sequence: u64,
    /// The document, with its `_id`.
    pub document: DocumentBuf,
    pub(crate) ancestry: Ancestry,
    /// The hash of its revision; `None` if it is to be computed.
    pub(crate) given: Option<RevisionHash>,
    /// Whether its revisions are kept in a tree beside it. Its own ancestry is then empty.
    pub(crate) has_tree: bool,
    pub(crate) repeats_id: bool,
}

/// Sequence and ancestry follow the checksum.
const FLAG_CHANGED: u8 = 0x01;
/// The revision's own hash follows.
const FLAG_GIVEN: u8 = 0x02;
/// There is a tree beside the record.
const FLAG_TREE: u8 = 0x04;

/// The document was placed before its record. The engine checks its bytes; the record's checksum covers only the others.
const FLAG_PLACED: u8 = 0x08;
/// Another document had the `_id` when this one was inserted.
const FLAG_REPEATS: u8 = 0x10;

/// Flags and checksum.
const FIXED_BYTES: usize = 5;

/// The part of a record before its document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(crate) sequence: u64,
    generation: u64,
    hashes: (usize, usize),
    given: Option<RevisionHash>,
    has_tree: bool,
    pub(crate) repeats_id: bool,
    /// Where the document starts.
    pub(crate) document: usize,
}

impl Record {
    /// The revision, as given by another store or computed from content and ancestry.
    pub fn revision(&self) -> Revision {
        match &self.given {
            Some(hash) => Revision {
                generation: self.ancestry.generation + 1,
                hash: hash.clone(),
            },
            None => self.ancestry.revision(false, Some(self.document.as_raw())),
        }
    }

    /// The generation of the revision, for which no hash has to be computed.
    pub fn generation(&self) -> u64 {
        self.ancestry.generation + 1
    }

    /// The hashes of the revisions before this one, newest first; empty if they are kept in a tree.
    pub fn ancestors(&self) -> impl Iterator<Item = RevisionHash> {
        self.ancestry.iter()
    }

    /// Whether its history is in a tree, because it has branches or many revisions.
    pub fn has_tree(&self) -> bool {
        self.has_tree
    }

    /// Whether another document had its `_id` when it was inserted, which a time series allows. It is then not in the index on `_id`,
    /// has no history, and is not seen by readers that identify documents by their `_id`s.
    pub fn repeats_id(&self) -> bool {
        self.repeats_id
    }

    /// The position after its last change.
    pub fn sequence(&self) -> Sequence {
        Sequence::after_change(self.sequence)
    }

    /// Whether it was changed after it was inserted. If so, the change log has an entry for it.
    pub(crate) fn is_changed(&self) -> bool {
        self.sequence != self.id.0
    }

    /// Appends the bytes that are stored.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let changed =
            self.is_changed() || self.ancestry.generation > 0 || self.given.is_some() || self.has_tree;
        let mut flags = if changed { FLAG_CHANGED } else { 0 };
        flags |= self.given.as_ref().map_or(0, |_| FLAG_GIVEN);
        flags |= if self.has_tree { FLAG_TREE } else { 0 };
        flags |= if self.repeats_id { FLAG_REPEATS } else { 0 };
        out.push(flags);
        out.extend_from_slice(&[0; 4]);
        if changed {
            varint::put(self.sequence, out);
            self.ancestry.encode(out);
        }
        if let Some(hash) = &self.given {
            hash.encode(out);
        }
        out.extend_from_slice(self.document.bytes());
        let checksum = checksum(self.id, &out[start..]);
        out[start + 1..start + FIXED_BYTES].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Reads what was stored under this id. The error is what is wrong with it.
    pub(crate) fn decode(id: RecordId, bytes: &Bytes) -> Result<Record, &'static str> {
        let header = Header::read(id, bytes)?;
        Ok(header.record(id, bytes))
    }
}

impl Header {
    /// Reads and checks the header of the record with this id: checksum, form, and the document's length.
    pub(crate) fn read(id: RecordId, bytes: &[u8]) -> Result<Header, &'static str> {
        let (&flags, rest) = bytes.split_first().ok_or("an empty record")?;
        let (stored, mut rest) = rest.split_first_chunk::<4>().ok_or("a record without checksum")?;
        let covered = match flags & FLAG_PLACED {
            0 => bytes,
            _ => &bytes[..FIXED_BYTES],
        };
        if u32::from_le_bytes(*stored) != checksum(id, covered) {
            return Err("a record whose checksum does not match");
        }
        let mut header = Header {
            sequence: id.0,
            generation: 0,
            hashes: (0, 0),
            given: None,
            has_tree: flags & FLAG_TREE != 0,
            repeats_id: flags & FLAG_REPEATS != 0,
            document: FIXED_BYTES,
        };
        if flags & FLAG_CHANGED != 0 {
            let fault = "a record whose ancestry is cut off";
            header.sequence = varint::take(&mut rest).ok_or(fault)?;
            let (generation, hashes) = Ancestry::read(&mut rest).ok_or(fault)?;
            header.generation = generation;
            header.document = bytes.len() - rest.len();
            header.hashes = (header.document - hashes.len(), header.document);
        }
        if flags & FLAG_GIVEN != 0 {
            let hash = RevisionHash::read(&mut rest).ok_or("a record whose revision is cut off")?;
            header.given = Some(hash);
            header.document = bytes.len() - rest.len();
        }
        let length = rest
            .first_chunk::<4>()
            .map(|length| u32::from_le_bytes(*length) as usize);
        if length != Some(rest.len()) {
            return Err("a record whose document has another length");
        }
        Ok(header)
    }

    /// The record whose header this is, sharing the memory of its bytes.
    pub(crate) fn record(&self, id: RecordId, bytes: &Bytes) -> Record {
        Record {
            id,
            sequence: self.sequence,
            document: DocumentBuf::from_validated(bytes.slice(self.document..)),
            ancestry: Ancestry {
                generation: self.generation,
                hashes: bytes.slice(self.hashes.0..self.hashes.1),
            },
            given: self.given.clone(),
            has_tree: self.has_tree,
            repeats_id: self.repeats_id,
        }
    }

    /// The document of the record whose header this is, sharing the memory of its bytes.
    pub(crate) fn shared(&self, bytes: &Bytes) -> DocumentBuf {
        DocumentBuf::from_validated(bytes.slice(self.document..))
    }

    /// The document of the record whose header this is, borrowed.
    pub(crate) fn raw<'a>(&self, bytes: &'a [u8]) -> RawDocument<'a> {
        RawDocument::from_validated(&bytes[self.document..])
    }
}

/// The head of the record with this id, which precedes its placed document.
pub(crate) fn placed_head(id: RecordId) -> [u8; FIXED_BYTES] {
    let mut head = [FLAG_PLACED, 0, 0, 0, 0];
    let checksum = checksum(id, &head);
    head[1..].copy_from_slice(&checksum.to_le_bytes());
    head
}

/// The checksum of the id (so that a record in the wrong place is detected) and of all bytes but the checksum itself.
fn checksum(id: RecordId, record: &[u8]) -> u32 {
    let sum = crc32c::crc32c(&id.0.to_be_bytes());
    let sum = crc32c::crc32c_append(sum, &record[..1]);
    crc32c::crc32c_append(sum, &record[FIXED_BYTES..])
}
