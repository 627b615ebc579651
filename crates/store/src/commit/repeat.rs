//! Repeats: documents of a time series whose `_id` another document has.
//!
//! A repeat is a record like others, but has no entry in the index on `_id`, no history and no tombstone: these belong to the
//! first document. So a look-up by `_id`, and a follower of the change log, finds only the first document. Queries that must
//! find all do not use the index on `_id` ([`Snapshot::has_repeats`](crate::Snapshot::has_repeats)).

use super::group::Group;
use crate::index::{EntrySet, ID_INDEX, Span};
use crate::record::Ancestry;
use crate::{Record, RecordId, StoreError};
use value::DocumentBuf;

impl Group<'_> {
    /// The entries except that of the `_id`, if the `_id` is taken and the collection allows that; otherwise `None`.
    pub(super) async fn but_taken_id<'s>(
        &mut self,
        entries: &EntrySet,
        spans: &'s [Span],
    ) -> Result<Option<&'s [Span]>, StoreError> {
        if !self.repeats_ids {
            return Ok(None);
        }
        // The index on `_id` is the first.
        match spans.split_first() {
            Some((&id, others)) if self.set.indexes[id.index].id() == ID_INDEX => {
                let holder = self.unique(entries.key(id)).await?;
                Ok(holder.map(|_| others))
            }
            _ => Ok(None),
        }
    }

    /// Inserts a document whose `_id` is taken, with its entries in the other indexes.
    pub(super) async fn insert_repeat(
        &mut self,
        document: &DocumentBuf,
        entries: &EntrySet,
        others: &[Span],
    ) -> Result<RecordId, StoreError> {
        let id = RecordId(self.sequence + 1);
        self.check_unique(entries, others, id).await?;
        self.sequence = id.0;
        self.count_in(document);
        self.put_entries(entries, others, id);
        self.put_record(Record {
            id,
            sequence: id.0,
            document: document.clone(),
            ancestry: Ancestry::default(),
            given: None,
            has_tree: false,
            repeats_id: true,
        });
        Ok(id)
    }

    /// Removes a repeat. The deletion takes a number, so that readers see that something has changed, but has no entry in the
    /// change log.
    pub(super) async fn delete_repeat(&mut self, record: &Record) -> Result<(), StoreError> {
        self.remove_live(record).await?;
        self.sequence += 1;
        Ok(())
    }
}
