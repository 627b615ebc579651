//! Placing large documents before their commit, and inserting them in it.

use super::group::Group;
use super::placed::PlacedDocument;
use super::request::check;
use crate::index::EntrySet;
use crate::{Collection, Record, RecordId, StoreError, keys, record};
use value::RawDocument;

impl Collection {
    /// Writes a large document ahead of the commit that is to insert it
    /// ([`WriteOp::InsertPlaced`](crate::WriteOp::InsertPlaced)). Returns once there is room for more: a slow disk
    /// slows its writers down. `None` if the document is so small that it should be committed as others are.
    pub async fn place(&self, document: RawDocument<'_>) -> Result<Option<PlacedDocument>, StoreError> {
        self.check_usable()?;
        check(document)?;
        let set = self.index_set();
        let entries = EntrySet::of(&set, document)?;
        let bytes = document.as_bytes();
        let placed = self.kv.place(bytes).await?;
        Ok(placed.map(|placed| PlacedDocument {
            placed,
            size_bytes: bytes.len(),
            id: keys::id_of(document).to_value(),
            entries,
            version: set.version,
        }))
    }
}

impl Group<'_> {
    /// Inserts a placed document.
    pub(super) async fn insert_placed(&mut self, document: &PlacedDocument) -> Result<RecordId, StoreError> {
        let tombstone = self.tombstone_of(document.id.as_ref()).await?;
        let computed = self.capped.is_none() && !self.repeats_ids && document.version == self.set.version;
        if tombstone.is_some() || !computed {
            // An earlier document, or other indexes, need more of it than was computed when it was placed.
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
        self.note_changed(id);
        self.overlay.placed.insert(id, document.placed.clone());
        Ok(id)
    }

    /// The record of a placed document that the batch itself has inserted.
    pub(super) fn placed_record(&self, id: RecordId) -> Result<Option<Record>, StoreError> {
        let Some(placed) = self.overlay.placed.get(&id) else {
            return Ok(None);
        };
        let bytes = [&record::placed_head(id)[..], &placed.read()?].concat().into();
        let record = Record::decode(id, &bytes);
        record.map(Some).map_err(|what| self.corrupt(what))
    }
}
