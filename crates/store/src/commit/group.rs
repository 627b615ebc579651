//! A batch that is being built: operations are applied to the collection as it is, seen through the batch itself.

use super::overlay::Overlay;
use super::writer::Writer;
use crate::index::{IndexSet, entry_record};
use crate::partition::PartitionChange;
use crate::record::{Header, Tombstone};
use crate::snapshot::ShardSnapshot;
use crate::state::ShardState;
use crate::{CappedOptions, Collection, Durability, Namespace, Record, RecordId, StoreError, keys};
use bytes::Bytes;
use kv::{Batch, CommitError, KeyRange, Order, PageLimit};
use std::collections::HashMap;
use std::sync::Arc;

/// The bytes that most records have before their document.
const RECORD_HEAD_BYTES: usize = 64;

/// The partitions that a batch changes.
pub(super) type PartitionChanges = HashMap<String, PartitionChange>;

/// A batch, what it will make of the shard's head, and what it has changed so far.
pub(crate) struct Group<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) namespace: Arc<Namespace>,
    pub(crate) set: Arc<IndexSet>,
    pub(crate) snapshot: ShardSnapshot,
    pub(crate) writer: &'a mut Writer,
    /// The number of the last change, including the changes of the batch.
    pub(crate) sequence: u64,
    pub(crate) state: ShardState,
    pub(crate) batch: Batch,
    pub(crate) overlay: Overlay,
    /// The stored records that the batch changes or removes.
    pub(super) changed: Vec<RecordId>,
    pub(crate) now_ms: u64,
    pub(super) capped: Option<CappedOptions>,
    /// The changes of each partition; `None` if the collection is not partitioned.
    pub(super) partitions: Option<PartitionChanges>,
    /// Whether more than one document may have an `_id`.
    pub(super) repeats_ids: bool,
    /// How many revisions of a branch are remembered.
    pub(super) revisions_kept: usize,
    /// The value of [`Writer::oldest`] once the batch is committed.
    pub(super) oldest: u64,
    /// See [`Writer::highest_id`]. It is moved out of the writer and returned by a commit, so that after a failure the
    /// next batch reads it from disk.
    pub(super) highest_id: Vec<u8>,
    /// The value of `highest_id` before the batch.
    pub(super) highest_stored_id: Vec<u8>,
    /// Why nothing may be added; `None` if it may.
    disk_low: Option<kv::Error>,
    expected: u64,
    pub(super) buffer: Vec<u8>,
}

impl<'a> Group<'a> {
    /// An empty batch on the collection as it is now.
    pub(crate) async fn begin(
        collection: &'a Collection,
        writer: &'a mut Writer,
    ) -> Result<Group<'a>, StoreError> {
        collection.check_usable()?;
        let set = collection.index_set();
        let (expected, state) = collection.read_head(writer, &set).await?;
        let snapshot = collection.kv.snapshot(collection.shard).await?;
        let snapshot = ShardSnapshot::new(snapshot, collection.shared_namespace());
        let highest_id = match writer.highest_id.take() {
            Some(known) => known,
            None => highest_id(&snapshot).await?,
        };
        let options = collection.options();
        Ok(Group {
            collection,
            namespace: collection.shared_namespace(),
            set,
            snapshot,
            capped: options.capped,
            partitions: options.is_partitioned().then(PartitionChanges::new),
            repeats_ids: options.repeats_ids(),
            revisions_kept: options.revisions_kept(),
            oldest: writer.oldest,
            highest_stored_id: highest_id.clone(),
            highest_id,
            writer,
            sequence: expected,
            state,
            batch: Batch::new(),
            overlay: Overlay::default(),
            changed: Vec::new(),
            now_ms: collection.now_ms(),
            disk_low: collection.kv.check_room().err(),
            expected,
            buffer: Vec::new(),
        })
    }

    /// Fails if the disk has no room. To be called before something is added.
    pub(super) fn check_room(&self) -> Result<(), StoreError> {
        match &self.disk_low {
            Some(low) => Err(StoreError::DiskLow(low.clone())),
            None => Ok(()),
        }
    }

    /// Commits the batch. Returns false if another process committed first: the batch is void, and the operations must
    /// be applied again to what that process left.
    pub(crate) async fn commit(mut self, durability: Durability) -> Result<bool, StoreError> {
        self.put_trees();
        if self.batch.is_empty() && self.sequence == self.expected {
            self.writer.highest_id = Some(self.highest_id);
            // Nothing is written, but the answer may rest on writes of others that are not flushed yet.
            if durability == Durability::Flushed {
                self.collection.kv.flush().await?;
            }
            return Ok(true);
        }
        self.put_partitions().await?;
        for (state, index) in self.state.indexes.iter_mut().zip(&self.set.indexes) {
            state.multikey = index.multikey_bits();
        }
        let head = Writer::next_head(self.sequence, &self.state);
        let kv = &self.collection.kv;
        // Unknown until the commit has succeeded. If it fails, the next batch reads the head from disk.
        self.writer.head = None;
        let read_lately = self.collection.cached.change(&self.changed, self.expected);
        let entries = &self.collection.cached.entries;
        entries.change(self.batch.keys(), self.expected);
        let made = kv
            .commit(self.collection.shard, self.expected, head, self.batch, durability)
            .await;
        let answer = match made {
            Ok(()) => Ok(true),
            // The commit is written, and readers and followers see it. Only callers that asked for a flush get an error.
            Err(CommitError::Engine(error @ kv::Error::DiskFullAtFlush { .. })) => Err(error.into()),
            Err(CommitError::HeadMoved(_)) => return Ok(false),
            Err(CommitError::Engine(error)) => return Err(error.into()),
        };
        self.collection.publish(self.sequence, &self.state);
        keep(self.collection, &read_lately, &self.overlay, self.sequence);
        self.writer.head = Some((self.sequence, self.state));
        self.writer.oldest = self.oldest;
        self.writer.highest_id = Some(self.highest_id);
        answer
    }

    /// The record that a unique key leads to.
    pub(super) async fn unique(&mut self, key: &[u8]) -> Result<Option<RecordId>, StoreError> {
        if self.is_new_id(key) {
            return Ok(None);
        }
        if let Some(known) = self.overlay.unique.get(key) {
            return Ok(*known);
        }
        if self.is_not_stored(key) {
            return Ok(None);
        }
        let value = self.snapshot.get(key).await?;
        let record = value.map(|value| self.named_record(&value)).transpose()?;
        self.overlay.unique.insert(key.to_vec(), record);
        Ok(record)
    }

    /// Notes that a record is put or removed. A record that the batch itself inserts cannot have been read yet.
    pub(super) fn note_changed(&mut self, record: RecordId) {
        if record.0 <= self.expected {
            self.changed.push(record);
        }
    }

    fn named_record(&self, value: &[u8]) -> Result<RecordId, StoreError> {
        entry_record(value).ok_or_else(|| self.corrupt("an entry of a unique index without record"))
    }

    pub(crate) async fn record(&mut self, id: RecordId) -> Result<Option<Record>, StoreError> {
        if let Some(known) = self.overlay.records.get(&id) {
            return Ok(known.clone());
        }
        if let Some(placed) = self.placed_record(id)? {
            return Ok(Some(placed));
        }
        let bytes = self.snapshot.get(&keys::record(id)).await?;
        let record = bytes.map(|bytes| Record::decode(id, &bytes)).transpose();
        record.map_err(|what| self.corrupt(what))
    }

    /// The tombstone under this key.
    pub(super) async fn tombstone(&mut self, key: &[u8]) -> Result<Option<Tombstone>, StoreError> {
        if self.state.tombstones == 0 {
            return Ok(None);
        }
        if let Some(known) = self.overlay.tombstones.get(key) {
            return Ok(known.clone());
        }
        let bytes = self.snapshot.get(key).await?;
        let tombstone = bytes.map(|bytes| Tombstone::decode(&bytes)).transpose();
        tombstone.map_err(|what| self.corrupt(what))
    }

    pub(crate) fn corrupt(&self, what: &str) -> StoreError {
        StoreError::Corrupt {
            namespace: self.namespace.to_string(),
            what: what.to_owned(),
        }
    }
}

/// Keeps the new versions of cached records in the cache: a record that was read lately and is changed now will be read again soon.
fn keep(collection: &Collection, read_lately: &[RecordId], overlay: &Overlay, sequence: u64) {
    for id in read_lately {
        let Some(Some(record)) = overlay.records.get(id) else {
            continue;
        };
        let mut bytes = Vec::with_capacity(record.document.bytes().len() + RECORD_HEAD_BYTES);
        record.encode(&mut bytes);
        let bytes = Bytes::from(bytes);
        if let Ok(header) = Header::read(*id, &bytes) {
            collection.cached.keep(*id, sequence, &bytes, &header);
        }
    }
}

/// The last key of the index on `_id`, or its prefix if it is empty.
async fn highest_id(snapshot: &ShardSnapshot) -> Result<Vec<u8>, StoreError> {
    let last = PageLimit {
        entries: 1,
        ..PageLimit::default()
    };
    let page = snapshot
        .page(&KeyRange::prefix(&keys::ID_INDEX_PREFIX), Order::Backward, last)
        .await?;
    Ok(page
        .iter()
        .next()
        .map_or(keys::ID_INDEX_PREFIX.as_slice(), |(key, _)| key)
        .to_vec())
}
