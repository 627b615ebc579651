//! Documents whose bytes are written before the commit that inserts them.
//!
//! Otherwise a stream of large documents (the chunks of a file) would be held in memory until its commit, and be copied into
//! it. What the commit needs to know is computed while the document is in memory.

use crate::StoreError;
use crate::index::EntrySet;
use kv::Placed;
use value::{DocumentBuf, Value};

/// A document that is stored, but in no collection yet: see
/// [`Collection::place`](crate::Collection::place). If dropped without a commit, its space is freed.
#[derive(Debug)]
pub struct PlacedDocument {
    pub(super) placed: Placed,
    pub(super) size_bytes: usize,
    pub(super) id: Value,
    /// Its index entries, as of this version of the collection's indexes.
    pub(super) entries: EntrySet,
    pub(super) version: u64,
}

impl PlacedDocument {
    pub(super) fn entries(&self) -> &EntrySet {
        &self.entries
    }

    pub(super) fn read(&self) -> Result<DocumentBuf, StoreError> {
        // It was a valid document when it was placed, and the checksum ensures that these are the same bytes.
        Ok(DocumentBuf::from_validated(self.placed.read()?))
    }
}
