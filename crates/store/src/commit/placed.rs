//! Documents whose bytes are written before the commit that inserts them.
//!
//! A stream of large documents (the chunks of a file) would else be held in memory until its commit is made, and be copied
//! into it. What the commit needs to know is computed while the document is at hand.

use super::group::Group;
use super::request::check;
use crate::index::EntrySet;
use crate::{Collection, Record, RecordId, StoreError, keys, record};
use kv::Placed;
use value::{DocumentBuf, RawDocument, Value};

/// A document that lies in the store, but in no collection yet: see [`Collection::place`]. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct PlacedDocument {
    placed: Placed,
    size_bytes: usize,
    id: Value,
    /// Its index entries, as of this version of the collection's indexes.
    entries: EntrySet,
    version: u64,
}

impl Collection {
    /// Writes a large document ahead of the commit that is to insert it
    /// ([`WriteOp::InsertPlaced`](crate::WriteOp::InsertPlaced)). Comes back when there is room for more: a slow disk slows its
    /// writers down. None where the document is so small that it is to be committed as others are.
    pub async fn place(&self, document: RawDocument<'_>) -> Result<Option<PlacedDocument>, StoreError> {
        self.check_writable()?;
        check(document)?;
        let set = self.index_set();
        let entries = EntrySet::of(&set, document)?;
        let bytes = document.as_bytes();
        let placed = self.kv.place(bytes).await?;
        Ok(placed.map(|placed| PlacedDocument {
            placed,
            size_bytes: bytes.len(),
            id: super::id_of(document).to_value(),
            entries,
            version: set.version,
        }))
    }
}

impl PlacedDocument {
    pub(super) fn entries(&self) -> &EntrySet {
        &self.entries
    }

    fn read(&self) -> Result<DocumentBuf, StoreError> {
        // It was a document when it was placed, and is checked to be the same bytes.
        Ok(DocumentBuf::from_validated(self.placed.read()?))
    }
}

impl Group<'_> {
    /// Inserts a document that lies in the store already.
    pub(super) async fn insert_placed(&mut self, document: &PlacedDocument) -> Result<RecordId, StoreError> {
        let tombstone = self.tombstone_of(document.id.as_ref()).await?;
        if tombstone.is_some() || self.capped.is_some() || document.version != self.set.version {
            // More is to be known of it than was computed: an earlier document, other indexes.
            let document = document.read()?;
            let entries = EntrySet::of(&self.set, document.as_raw())?;
            return self.insert(&document, &entries, entries.all()).await;
        }
        let id = RecordId(self.sequence + 1);
        let entries = &document.entries;
        self.check_partition(document.id.as_ref())?;
        self.check_unique(entries, entries.all(), id).await?;
        self.sequence = id.0;
        self.count_bytes_in(document.id.as_ref(), document.size_bytes);
        self.put_entries(entries, entries.all(), id);
        let head = record::placed_head(id);
        self.batch.put_placed(&keys::record(id), &head, &document.placed);
        self.overlay.placed.insert(id, document.placed.clone());
        Ok(id)
    }

    /// The record that the batch itself has inserted as a placed one.
    pub(super) fn placed_record(&self, id: RecordId) -> Result<Option<Record>, StoreError> {
        let Some(placed) = self.overlay.placed.get(&id) else {
            return Ok(None);
        };
        let bytes = [&record::placed_head(id)[..], &placed.read()?].concat().into();
        let record = Record::decode(id, &bytes);
        record.map(Some).map_err(|what| self.corrupt(what))
    }
}
