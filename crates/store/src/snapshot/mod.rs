//! Reading a collection as it was at one moment, page by page.

mod document_page;
mod history;
mod index_page;
mod last_head;
mod lookup;
mod page_ahead;
mod record_page;
mod shard;

pub use document_page::DocumentPage;
pub use history::{DocumentHistory, LocalPage};
pub use index_page::IndexPage;
pub(crate) use last_head::LastHead;
pub use lookup::RawDocuments;
pub use page_ahead::PageAhead;
pub use record_page::RecordPage;
pub(crate) use shard::ShardSnapshot;

use crate::collection::rewrites;
use crate::entry_cache::EntryRange;
use crate::index::ID_INDEX;
use crate::record_cache::CachedRecords;
use crate::state::ShardState;
use crate::{
    Collection, ESTIMATE_ENTRIES_MAX, Index, KeyRange, Namespace, Order, PageLimit, PartitionStats, Record,
    RecordId, Sequence, StoreError, after_prefix, keys,
};
use bytes::Bytes;
use kv::{Kv, ShardId};
use last_head::SeenHead;
use std::ops::Bound;
use std::sync::Arc;

/// A collection at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    kv: Kv,
    shard: ShardId,
    namespace: Arc<Namespace>,
    snapshot: ShardSnapshot,
    cached: Arc<CachedRecords>,
    sequence: u64,
    state: Arc<ShardState>,
}

/// All collections as they were at one moment, for reads of several that must agree. As long as it is held, the old versions
/// of all documents are kept.
#[derive(Debug)]
pub struct Moment(pub(crate) kv::Moment);

impl Collection {
    /// The collection as it is now.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Snapshot::take(self, None).await
    }

    /// The collection now or a little earlier, without anything that a crash could take back: a position from this snapshot will never
    /// belong to another change later.
    pub async fn durable_snapshot(&self) -> Result<Snapshot, StoreError> {
        let moment = Moment(self.kv.durable_moment().await?);
        Snapshot::take(self, Some(&moment)).await
    }

    /// The collection as it was at a moment; empty if it was created later.
    pub async fn snapshot_at(&self, moment: &Moment) -> Result<Snapshot, StoreError> {
        Snapshot::take(self, Some(moment)).await
    }
}

impl Snapshot {
    /// The collection now, or as it was at a moment.
    pub(crate) async fn take(
        collection: &Collection,
        moment: Option<&Moment>,
    ) -> Result<Snapshot, StoreError> {
        // No read may go on after a drop, since the shard may be half removed.
        collection.check_usable()?;
        let snapshot = match moment {
            None => collection.kv.snapshot(collection.shard).await?,
            Some(moment) => moment.0.snapshot(collection.shard).await?,
        };
        let namespace = collection.shared_namespace();
        let snapshot = ShardSnapshot::new(snapshot, namespace.clone());
        let head = Snapshot::head_of(collection, &snapshot).await?;
        if moment.is_none() {
            collection.note_newest(head.sequence);
        }
        Ok(Snapshot {
            kv: collection.kv.clone(),
            shard: collection.shard,
            namespace,
            snapshot,
            cached: collection.cached.clone(),
            sequence: head.sequence,
            state: head.state,
        })
    }

    /// The shard's head. It comes from the same snapshot of the engine as the entries, so counts and index states agree with what
    /// is read.
    async fn head_of(collection: &Collection, snapshot: &ShardSnapshot) -> Result<SeenHead, StoreError> {
        let version = snapshot.version();
        if let Some(seen) = version.and_then(|version| collection.last_head.of(version)) {
            return Ok(seen);
        }
        let head = snapshot.head().await?;
        let seen = SeenHead {
            sequence: head.sequence,
            state: Arc::new(collection.decode_state(&head)?),
        };
        if let Some(version) = version {
            collection.last_head.keep(version, &seen);
        }
        Ok(seen)
    }

    /// The records after `after` in natural order, or before it if backward.
    pub async fn records(
        &self,
        after: Option<RecordId>,
        order: Order,
        limit: PageLimit,
    ) -> Result<RecordPage, StoreError> {
        let range = keys::records_after(after, order);
        let page = self.snapshot.page(&range, order, limit).await?;
        RecordPage::new(page).map_err(|what| self.corrupt(what))
    }

    /// The entries of an index in a range. The bounds are keys or prefixes of keys, and stand for all keys that begin with them:
    /// an included bound includes them all, an excluded one excludes them all.
    pub async fn entries(
        &self,
        index: &Index,
        range: &KeyRange,
        order: Order,
        limit: PageLimit,
    ) -> Result<IndexPage, StoreError> {
        let range = entry_range(index, range);
        let entries = &self.cached.entries;
        if let Some(found) = entries.find(&range, order, limit.entries.max(1), self.sequence) {
            return Ok(IndexPage::found(found, order, index));
        }
        let page = self.snapshot.page(&range.as_keys(), order, limit).await?;
        entries.keep(&range, order, &page, self.sequence);
        IndexPage::new(page, index).ok_or_else(|| self.corrupt("an index entry of the wrong form"))
    }

    /// The approximate number of entries in the range. It is exact up to `ESTIMATE_ENTRIES_MAX`; beyond that it is estimated from
    /// the range's share of the index's bytes on disk, and never less than what was counted.
    pub async fn approximate_entries(&self, index: &Index, range: &KeyRange) -> Result<u64, StoreError> {
        let limit = PageLimit {
            entries: ESTIMATE_ENTRIES_MAX,
            ..PageLimit::default()
        };
        let page = self.entries(index, range, Order::Forward, limit).await?;
        let counted = page.len() as u64;
        if page.exhausted() {
            return Ok(counted);
        }
        let range = entry_range(index, range).as_keys();
        let all = KeyRange::prefix(&keys::index_prefix(index.id()));
        let bytes = self.kv.disk_bytes(self.shard, &range).await?;
        let bytes_all = self.kv.disk_bytes(self.shard, &all).await?;
        let entries = self.state.index(index.id()).map_or(0, |state| state.entries);
        let share = bytes as f64 / bytes_all.max(1) as f64;
        Ok(((entries as f64 * share.min(1.0)) as u64).max(counted))
    }

    /// Whether the index has entries for all records of this snapshot. In a collection without records, its head may not have the index
    /// yet.
    pub fn has_index(&self, index: &Index) -> bool {
        let known = self.state.index(index.id());
        self.state.count == 0 || known.is_some_and(|state| state.build.is_none())
    }

    /// The position after the last change in it.
    pub fn head(&self) -> Sequence {
        Sequence::after_change(self.sequence)
    }

    /// The number of documents in it.
    pub fn count(&self) -> u64 {
        self.state.count
    }

    /// The number of different `_id`s of the documents in it.
    pub fn ids_count(&self) -> u64 {
        self.state.index(ID_INDEX).map_or(0, |index| index.entries)
    }

    /// Whether several documents of this snapshot have the same `_id`. If so, the index on `_id` does not have all documents.
    pub fn has_repeats(&self, collection: &Collection) -> bool {
        // The counts are known already, and seldom differ.
        self.ids_count() < self.count() && collection.options().repeats_ids()
    }

    /// The bytes of the documents in it, as BSON.
    pub fn data_bytes(&self) -> u64 {
        self.state.data_bytes
    }

    /// The mean size of its documents in bytes.
    pub fn mean_bytes(&self) -> usize {
        (self.data_bytes() / self.count().max(1)) as usize
    }

    /// Whether documents of it may be long: some have, or had, files of their own.
    pub fn may_be_long(&self) -> bool {
        self.kv.has_large_values(self.shard)
    }

    /// What a partition of a partitioned collection holds.
    pub async fn partition(&self, name: &str) -> Result<PartitionStats, StoreError> {
        let bytes = self.snapshot.get(&keys::partition(name)).await?;
        let Some(bytes) = bytes else {
            return Ok(PartitionStats::default());
        };
        PartitionStats::decode(&bytes).ok_or_else(|| self.corrupt("what is known of a partition"))
    }

    /// A number that rises with every change except inserts. As long as it is the same, records that were read have not
    /// changed, however many were added: a cache of records need compare nothing else.
    pub fn rewrites(&self) -> u64 {
        rewrites(self.sequence, self.state.count)
    }

    pub(crate) fn state(&self) -> &ShardState {
        &self.state
    }

    pub(crate) fn kv(&self) -> &ShardSnapshot {
        &self.snapshot
    }

    pub(crate) fn decode(&self, id: RecordId, bytes: &Bytes) -> Result<Record, StoreError> {
        Record::decode(id, bytes).map_err(|what| self.corrupt(what))
    }

    pub(crate) fn corrupt(&self, what: &str) -> StoreError {
        StoreError::Corrupt {
            namespace: self.namespace.to_string(),
            what: what.to_owned(),
        }
    }
}

/// The range of a shard's keys for a range of an index's keys.
fn entry_range(index: &Index, range: &KeyRange) -> EntryRange {
    let whole = |bound: &[u8]| {
        let mut key = Vec::with_capacity(keys::index_prefix_bytes(index.id()) + bound.len() + 1);
        keys::put_index_prefix(index.id(), &mut key);
        key.extend_from_slice(bound);
        key
    };
    // The prefix of an index has a byte other than 0xFF, so there is always a key after it.
    let after = |key| after_prefix(key).unwrap_or_default();
    let low = match &range.low {
        Bound::Included(bound) => whole(bound),
        Bound::Excluded(bound) => after(whole(bound)),
        Bound::Unbounded => whole(&[]),
    };
    let high = match &range.high {
        Bound::Included(bound) => after(whole(bound)),
        Bound::Excluded(bound) => whole(bound),
        Bound::Unbounded => after(whole(&[])),
    };
    EntryRange { low, high }
}
