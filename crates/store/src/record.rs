//! Records: a small header and the BSON bytes as they came.
//!
//! A record that was never changed has a header of five bytes: flags and checksum. One that was changed also has the
//! number of its last change and its ancestry. The layout is described in `docs/format.md`.

use crate::StoreError;
use bytes::Bytes;
use value::DocumentBuf;

/// The place of a record in insertion order: the sequence number of the change that first inserted it.
/// Natural order is the order of record ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u64);

/// One version of a document: how many came before it, and a hash of its content and ancestry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision {
    /// 1 for a document that was never changed.
    pub generation: u64,
    /// BLAKE3 of parent, deletion and content, cut to 128 bits.
    pub hash: [u8; 16],
}

/// One stored document.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its place in insertion order.
    pub id: RecordId,
    /// The number of its last change.
    pub sequence: u64,
    /// The document.
    pub document: DocumentBuf,
    pub(crate) ancestry: Ancestry,
}

/// The generation of a version and the hashes of those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ancestry {
    /// The versions before this one.
    pub(crate) generation: u64,
    /// The hashes of at most [`crate::REVISION_ANCESTORS_MAX`] versions before this one, newest first, 16 bytes each.
    pub(crate) hashes: Bytes,
}

impl Record {
    /// The revision, computed from content and ancestry.
    pub fn revision(&self) -> Revision {
        todo!("store")
    }

    /// The hashes of the revisions before this one, newest first.
    pub fn ancestors(&self) -> impl Iterator<Item = [u8; 16]> {
        self.ancestry
            .hashes
            .chunks_exact(16)
            .filter_map(|hash| hash.try_into().ok())
    }
}

#[allow(unused)]
type Unused = StoreError;
