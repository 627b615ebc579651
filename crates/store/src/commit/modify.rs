//! Inserting, changing and deleting one document within a batch.
//!
//! A batch is shared by the operations of many callers, and one that is refused must leave it as it was. So each function
//! here first makes all checks that can fail, and only then touches sequence, counts, batch and overlay.

use super::group::Group;
use super::request::check;
use super::{Outcome, Present, Target, Transform, Transformed};
use crate::index::{EntrySet, Span};
use crate::keys::{LOG_DELETED, LOG_PUT, id_key, id_of};
use crate::record::{Ancestry, Tombstone};
use crate::{REVISION_ANCESTORS_MAX, Record, RecordId, RevisionTree, StoreError, keys};
use value::{DocumentBuf, ValueRef, varint};

impl Group<'_> {
    /// Inserts a document with these index entries.
    pub(super) async fn insert(
        &mut self,
        document: &DocumentBuf,
        entries: &EntrySet,
        spans: &[Span],
    ) -> Result<RecordId, StoreError> {
        let id = RecordId(self.sequence + 1);
        self.check_partition(id_of(document.as_raw()))?;
        if let Some(others) = self.but_taken_id(entries, spans).await? {
            return self.insert_repeat(document, entries, others).await;
        }
        self.check_unique(entries, spans, id).await?;
        // A document that comes again follows its deletion, as in CouchDB. With a history of its own it would be a second
        // branch, and replicas that know the deletion would have both.
        let tombstone = self.tombstone_of(id_of(document.as_raw())).await?;
        if let Some(tombstone) = tombstone.as_ref().filter(|tombstone| !self.is_short(tombstone)) {
            return self.insert_after(tombstone.clone(), document).await;
        }
        let ancestry = tombstone.map_or_else(Ancestry::default, |tombstone| {
            self.remove_tombstone(&tombstone);
            tombstone.ancestry
        });
        self.sequence = id.0;
        self.count_in(document);
        self.put_entries(entries, spans, id);
        self.put_record(Record {
            id,
            sequence: id.0,
            document: document.clone(),
            ancestry,
            given: None,
            has_tree: false,
            repeats_id: false,
        });
        Ok(id)
    }

    /// Whether a document inserted after this deletion can hold the deletion's whole ancestry in its own header. It can if there
    /// is no tree, nothing has to be stemmed, and the header has room.
    fn is_short(&self, tombstone: &Tombstone) -> bool {
        let known = tombstone.ancestry.hashes.len() / 16;
        !tombstone.has_tree() && known < self.revisions_kept && self.can_be_line(known)
    }

    /// Whether the successor of a revision with `known` ancestors can still do without a tree. It can if the header has
    /// room for one more ancestor, or if the collection remembers so few that the oldest may be dropped.
    fn can_be_line(&self, known: usize) -> bool {
        known <= REVISION_ANCESTORS_MAX && (known < REVISION_ANCESTORS_MAX || self.ancestors_kept() <= known)
    }

    /// The number of ancestors that a revision remembers: at least 1, since its hash is computed from its parent's.
    fn ancestors_kept(&self) -> usize {
        self.revisions_kept.saturating_sub(1).max(1)
    }

    /// Inserts a document after a deletion that has a tree, or whose successor needs one.
    async fn insert_after(
        &mut self,
        tombstone: Tombstone,
        document: &DocumentBuf,
    ) -> Result<RecordId, StoreError> {
        // `write_live` gives the next sequence number to a document that has no record.
        let record = RecordId(self.sequence + 1);
        let id = tombstone.id.clone();
        let history = self.history(id.as_ref(), None, Some(tombstone)).await?;
        self.go_on(&history, document).await?;
        Ok(record)
    }

    /// Runs a transformation on the target's present document, if there is one, and applies its result.
    pub(super) async fn modify(
        &mut self,
        target: &Target,
        transform: &mut dyn Transform,
    ) -> Result<Outcome, StoreError> {
        let present = match target {
            Target::Record(id) => self.record(*id).await?,
            Target::Id(id) => self.record_of(id.as_ref()).await?,
        };
        let view = present.as_ref().map(|record| Present {
            record: record.id,
            document: &record.document,
        });
        match (transform.transform(view)?, present) {
            (Transformed::NotMatched, _) | (Transformed::Unchanged | Transformed::Delete, None) => {
                Ok(Outcome::NotMatched)
            }
            (Transformed::Unchanged, Some(record)) => Ok(Outcome::Unchanged {
                document: record.document,
            }),
            (Transformed::Put(document), Some(record)) => {
                self.check_room()?;
                self.update(record, document).await
            }
            (Transformed::Put(document), None) => {
                self.check_room()?;
                check(document.as_raw())?;
                let entries = EntrySet::of(&self.set, document.as_raw())?;
                let record = self.insert(&document, &entries, entries.all()).await?;
                Ok(Outcome::Inserted { record })
            }
            (Transformed::Delete, Some(record)) => {
                let before = record.document.clone();
                self.delete(record).await?;
                Ok(Outcome::Deleted { before })
            }
        }
    }

    /// The record whose document has this `_id`.
    pub(super) async fn record_of(&mut self, id: ValueRef<'_>) -> Result<Option<Record>, StoreError> {
        match self.unique(&id_key(id)).await? {
            Some(record) => self.record(record).await,
            None => Ok(None),
        }
    }

    pub(super) async fn update(&mut self, before: Record, after: DocumentBuf) -> Result<Outcome, StoreError> {
        check(after.as_raw())?;
        let id = before.id;
        let (old_id, new_id) = (id_of(before.document.as_raw()), id_of(after.as_raw()));
        if value::compare(old_id, new_id).is_ne() {
            return Err(StoreError::ImmutableId);
        }
        let repeats_id = before.repeats_id();
        let ancestry = match repeats_id {
            true => Some(Ancestry::default()),
            false => self.next_ancestry(&before),
        };
        let Some(ancestry) = ancestry else {
            let document = before.document.clone();
            let key = new_id.to_value();
            let history = self.history(key.as_ref(), Some(before), None).await?;
            self.go_on(&history, &after).await?;
            return Ok(Outcome::Updated {
                before: document,
                after,
            });
        };
        let old = self.entries_of(&before).await?;
        let new = EntrySet::of_record(&self.set, &before, after.as_raw())?;
        // Only the keys that the document did not have: the others are in the index already, and are its own.
        self.check_unique(&new, &new.not_in(&old), id).await?;
        self.change_entries(&old, &new, id);
        self.sequence += 1;
        self.count_out(&before.document);
        self.count_in(&after);
        // The log names each live document once, so the entry of the change before goes with the same commit.
        self.leave_log(&before);
        self.log_put(id);
        self.put_record(Record {
            id,
            sequence: self.sequence,
            document: after.clone(),
            ancestry,
            given: None,
            has_tree: false,
            repeats_id,
        });
        Ok(Outcome::Updated {
            before: before.document,
            after,
        })
    }

    /// The ancestry of a record's successor; `None` if that needs a tree.
    fn next_ancestry(&self, before: &Record) -> Option<Ancestry> {
        if before.has_tree() || !self.can_be_line(before.ancestry.hashes.len() / 16) {
            return None;
        }
        before
            .ancestry
            .followed_by(&before.revision(), self.ancestors_kept())
    }

    async fn delete(&mut self, record: Record) -> Result<(), StoreError> {
        if record.repeats_id() {
            return self.delete_repeat(&record).await;
        }
        let ancestry = self.next_ancestry(&record);
        let Some(before) = ancestry else {
            return self.end_branches(record).await;
        };
        let deletion = before.revision(true, None);
        let Some(ancestry) = before.followed_by(&deletion, self.revisions_kept) else {
            return self.end_branches(record).await;
        };
        self.remove_live(&record).await?;
        self.sequence += 1;
        self.put_tombstone(Tombstone {
            sequence: self.sequence,
            time_ms: self.now_ms,
            ancestry,
            id: id_of(record.document.as_raw()).to_value(),
            body: None,
            tree: None,
        });
        Ok(())
    }

    pub(super) fn log_put(&mut self, record: RecordId) {
        self.buffer.clear();
        self.buffer.push(LOG_PUT);
        varint::put(record.0, &mut self.buffer);
        self.batch.put(&keys::log(self.sequence), &self.buffer);
    }

    /// Removes a record with its entries and its tree, without a tombstone. An empty tree makes `settle` forget the
    /// document.
    pub(super) async fn remove(&mut self, record: &Record) -> Result<(), StoreError> {
        if !record.has_tree() {
            return self.remove_live(record).await;
        }
        let id = id_of(record.document.as_raw()).to_value();
        let history = self.history(id.as_ref(), Some(record.clone()), None).await?;
        self.settle(id.as_ref(), &history, RevisionTree::default(), Vec::new())
            .await
    }

    /// Removes a record and its entries, but not the tree beside it.
    pub(super) async fn remove_live(&mut self, record: &Record) -> Result<(), StoreError> {
        let entries = self.entries_of(record).await?;
        self.delete_entries(&entries, record.id);
        self.batch.delete(&keys::record(record.id));
        self.note_changed(record.id);
        self.overlay.records.insert(record.id, None);
        self.leave_log(record);
        self.count_out(&record.document);
        Ok(())
    }

    pub(super) fn put_record(&mut self, record: Record) {
        self.buffer.clear();
        record.encode(&mut self.buffer);
        self.batch.put(&keys::record(record.id), &self.buffer);
        self.note_changed(record.id);
        self.overlay.records.insert(record.id, Some(record));
    }

    /// Takes the record's last change out of the change log.
    pub(super) fn leave_log(&mut self, record: &Record) {
        if record.is_changed() {
            self.batch.delete(&keys::log(record.sequence));
        }
    }

    /// The tombstone of an earlier document with this `_id`.
    pub(super) async fn tombstone_of(&mut self, id: ValueRef<'_>) -> Result<Option<Tombstone>, StoreError> {
        // Collections of MongoDB's clients mostly have none, and skip the search.
        if self.state.tombstones == 0 {
            return Ok(None);
        }
        self.tombstone(&keys::tombstone(id)).await
    }

    /// Puts the tombstone of a deletion that was numbered just now.
    pub(super) fn put_tombstone(&mut self, tombstone: Tombstone) {
        let key = keys::tombstone(tombstone.id.as_ref());
        self.batch.put(&key, &tombstone.encode());
        let entry = [&[LOG_DELETED], key.as_slice()].concat();
        self.batch.put(&keys::log(tombstone.sequence), &entry);
        self.count_tombstone_in(tombstone.id.as_ref());
        self.overlay.tombstones.insert(key, Some(tombstone));
    }

    /// Removes a tombstone, and its entry in the change log.
    pub(super) fn remove_tombstone(&mut self, tombstone: &Tombstone) {
        let key = keys::tombstone(tombstone.id.as_ref());
        self.batch.delete(&key);
        self.batch.delete(&keys::log(tombstone.sequence));
        self.overlay.tombstones.insert(key, None);
        self.count_tombstone_out(tombstone.id.as_ref());
    }
}
