//! Capped collections: the commit that takes one beyond its limits also deletes its oldest documents.
//!
//! These leave no tombstones: a follower of the change log of a capped collection drops everything older than its
//! oldest document.

use super::group::Group;
use crate::{CappedOptions, Collection, Durability, Order, PageLimit, Record, RecordId, StoreError, keys};
use kv::KeyRange;
use std::ops::Bound;

/// The number of records that are read at once to be evicted.
const EVICT_PAGE_RECORDS: usize = 256;

/// The bytes, about, of deleted keys that evictions may add to one commit. A commit of small documents that inserts as much as it may
/// evicts about as much.
const EVICTED_BYTES_MAX: usize = 32 * 1024 * 1024;

impl Collection {
    /// Deletes the oldest documents of a capped collection until it is within its limits, a few in each commit: a collection that
    /// was made capped later may have many more than fit.
    pub async fn trim(&self) -> Result<(), StoreError> {
        while !self.trim_page().await? {
            // Writers that wait for the shard come first.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Deletes some of them. Returns true once the collection is within its limits.
    async fn trim_page(&self) -> Result<bool, StoreError> {
        let mut writer = self.writer.lock().await;
        let mut group = Group::begin(self, &mut writer).await?;
        let is_over = group.evict_page().await?;
        if !group.changed.is_empty() {
            // Every commit takes a number, by which other processes learn that the shard has changed.
            group.sequence += 1;
        }
        Ok(group.commit(Durability::Soon).await? && !is_over)
    }
}

impl Group<'_> {
    /// Deletes the oldest documents until the collection is within its limits. If the limits were lowered it may have many more than
    /// fit: what would make this commit very large is left to the next ones.
    pub(crate) async fn evict(&mut self) -> Result<(), StoreError> {
        let bytes_max = self.batch.size_bytes() + EVICTED_BYTES_MAX;
        while self.batch.size_bytes() < bytes_max && self.evict_page().await? {}
        Ok(())
    }

    /// Deletes some of the oldest documents if the collection is beyond its limits. Returns whether it still is.
    async fn evict_page(&mut self) -> Result<bool, StoreError> {
        let Some(capped) = self.capped.filter(|capped| self.is_over(*capped)) else {
            return Ok(false);
        };
        let page = self.oldest_page().await?;
        if page.is_empty() {
            self.evict_own(capped).await?;
            return Ok(false);
        }
        for id in page {
            if !self.is_over(capped) {
                break;
            }
            if let Some(record) = self.record(id).await? {
                self.remove(&record).await?;
            }
            // The next eviction begins here. From the first key, it would step over all deleted keys that the engine still keeps.
            self.oldest = id.0 + 1;
        }
        Ok(self.is_over(capped))
    }

    /// The newest document stays, however large it is.
    fn is_over(&self, capped: CappedOptions) -> bool {
        (self.state.data_bytes > capped.size_bytes && self.state.count > 1)
            || capped.documents_max.is_some_and(|most| self.state.count > most)
    }

    /// The ids of the oldest stored records, from `oldest` on. The batch may have removed some of them, which the snapshot does not
    /// show.
    async fn oldest_page(&mut self) -> Result<Vec<RecordId>, StoreError> {
        let low = keys::record(RecordId(self.oldest)).to_vec();
        let range = KeyRange {
            low: Bound::Included(low),
            ..KeyRange::prefix(&[keys::RECORD])
        };
        let limit = PageLimit {
            entries: EVICT_PAGE_RECORDS,
            ..PageLimit::default()
        };
        let page = self.snapshot.page(&range, Order::Forward, limit).await?;
        Ok(page.iter().filter_map(|(key, _)| keys::record_id(key)).collect())
    }

    /// Deletes the oldest of the documents that the batch itself has inserted.
    async fn evict_own(&mut self, capped: CappedOptions) -> Result<(), StoreError> {
        // No stored record is left, so the remaining excess came with this batch and is only in the overlay.
        let mut own: Vec<Record> = self.overlay.records.values().flatten().cloned().collect();
        own.sort_unstable_by_key(|record| record.id);
        for record in own {
            if !self.is_over(capped) {
                break;
            }
            self.remove(&record).await?;
        }
        Ok(())
    }
}
