//! Inserting, changing and deleting one document within a batch.

use super::group::Group;
use super::request::check;
use super::{Outcome, Present, Target, Transform, Transformed};
use crate::index::{EntrySet, ID_INDEX, Span};
use crate::record::{Ancestry, Tombstone};
use crate::{Record, RecordId, StoreError, keys, varint};
use value::key::{self, Direction};
use value::{DocumentBuf, RawDocument, ValueRef};

/// What an entry of the change log is about.
pub(crate) const LOG_PUT: u8 = 1;
pub(crate) const LOG_DELETED: u8 = 2;

impl Group<'_> {
    /// Inserts a document with these index entries.
    pub(super) async fn insert(
        &mut self,
        document: &DocumentBuf,
        entries: &EntrySet,
        spans: &[Span],
    ) -> Result<RecordId, StoreError> {
        let id = RecordId(self.sequence + 1);
        self.check_capped_size(document)?;
        self.check_unique(entries, spans, id).await?;
        let ancestry = self.take_tombstone(document.as_raw()).await?;
        self.sequence = id.0;
        self.state.count += 1;
        self.state.data_bytes += document.bytes().len() as u64;
        self.put_entries(entries, spans, id);
        self.put_record(Record {
            id,
            sequence: id.0,
            document: document.clone(),
            ancestry,
        });
        Ok(id)
    }

    /// Runs a transformation and does what it says.
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
            (Transformed::Put(document), Some(record)) => self.update(record, document).await,
            (Transformed::Put(document), None) => {
                check(document.as_raw())?;
                let entries = EntrySet::of(&self.set, document.as_raw())?;
                let record = self.insert(&document, &entries, entries.all()).await?;
                Ok(Outcome::Inserted { record })
            }
            (Transformed::Delete, Some(record)) => {
                self.remove(&record)?;
                self.leave_tombstone(&record);
                Ok(Outcome::Deleted {
                    before: record.document,
                })
            }
        }
    }

    /// The record whose document has this `_id`.
    async fn record_of(&mut self, id: ValueRef<'_>) -> Result<Option<Record>, StoreError> {
        match self.unique(&id_key(id)).await? {
            Some(record) => self.record(record).await,
            None => Ok(None),
        }
    }

    async fn update(&mut self, before: Record, after: DocumentBuf) -> Result<Outcome, StoreError> {
        check(after.as_raw())?;
        let id = before.id;
        let (old_id, new_id) = (id_of(before.document.as_raw()), id_of(after.as_raw()));
        if value::compare(old_id, new_id).is_ne() {
            return Err(StoreError::ImmutableId);
        }
        let old = EntrySet::of(&self.set, before.document.as_raw())?;
        let new = EntrySet::of(&self.set, after.as_raw())?;
        self.check_unique(&new, &new.not_in(&old), id).await?;
        self.change_entries(&old, &new, id);
        self.sequence += 1;
        self.state.data_bytes += after.bytes().len() as u64;
        self.state.data_bytes = self
            .state
            .data_bytes
            .saturating_sub(before.document.bytes().len() as u64);
        self.leave_log(&before);
        self.buffer.clear();
        self.buffer.push(LOG_PUT);
        varint::put(id.0, &mut self.buffer);
        self.batch.put(&keys::log(self.sequence), &self.buffer);
        let ancestry = before.ancestry.followed_by(before.revision());
        self.put_record(Record {
            id,
            sequence: self.sequence,
            document: after.clone(),
            ancestry,
        });
        Ok(Outcome::Updated {
            before: before.document,
            after,
        })
    }

    /// Removes a record and its entries, and nothing is left of it.
    pub(super) fn remove(&mut self, record: &Record) -> Result<(), StoreError> {
        let entries = EntrySet::of(&self.set, record.document.as_raw())?;
        self.delete_entries(&entries, record.id);
        self.batch.delete(&keys::record(record.id));
        self.overlay.records.insert(record.id, None);
        self.leave_log(record);
        self.state.count = self.state.count.saturating_sub(1);
        self.state.data_bytes = self
            .state
            .data_bytes
            .saturating_sub(record.document.bytes().len() as u64);
        Ok(())
    }

    fn put_record(&mut self, record: Record) {
        self.buffer.clear();
        record.encode(&mut self.buffer);
        self.batch.put(&keys::record(record.id), &self.buffer);
        self.overlay.records.insert(record.id, Some(record));
    }

    /// Takes the record's last change out of the change log.
    fn leave_log(&mut self, record: &Record) {
        if record.is_changed() {
            self.batch.delete(&keys::log(record.sequence));
        }
    }

    /// Numbers a deletion and leaves its trace.
    fn leave_tombstone(&mut self, record: &Record) {
        self.sequence += 1;
        let id = id_of(record.document.as_raw());
        let before = record.ancestry.followed_by(record.revision());
        let deletion = before.revision(true, &[]);
        let tombstone = Tombstone {
            sequence: self.sequence,
            time_ms: self.now_ms,
            ancestry: before.followed_by(deletion),
            id: id.to_value(),
        };
        let key = tombstone_key(id);
        self.batch.put(&key, &tombstone.encode());
        let entry = [&[LOG_DELETED], key.as_slice()].concat();
        self.batch.put(&keys::log(self.sequence), &entry);
        self.overlay.tombstones.insert(key, Some(tombstone));
        self.state.tombstones += 1;
    }

    /// Takes the trace of an earlier document of the same `_id` away; the new one goes on from it.
    async fn take_tombstone(&mut self, document: RawDocument<'_>) -> Result<Ancestry, StoreError> {
        if self.state.tombstones == 0 {
            return Ok(Ancestry::default());
        }
        let key = tombstone_key(id_of(document));
        let Some(tombstone) = self.tombstone(&key).await? else {
            return Ok(Ancestry::default());
        };
        self.batch.delete(&key);
        self.batch.delete(&keys::log(tombstone.sequence));
        self.overlay.tombstones.insert(key, None);
        self.state.tombstones -= 1;
        Ok(tombstone.ancestry)
    }
}

/// The `_id` of a document that was checked to have one.
pub(crate) fn id_of(document: RawDocument<'_>) -> ValueRef<'_> {
    document.get("_id").unwrap_or(ValueRef::Null)
}

/// The key of the entry of an `_id` in its index.
pub(crate) fn id_key(id: ValueRef<'_>) -> Vec<u8> {
    let mut key = keys::index_prefix(ID_INDEX);
    key::encode(id, Direction::Ascending, &mut key);
    key
}

/// The key of the tombstone of an `_id`.
fn tombstone_key(id: ValueRef<'_>) -> Vec<u8> {
    let mut key = vec![keys::TOMBSTONE];
    key::encode(id, Direction::Ascending, &mut key);
    key
}
