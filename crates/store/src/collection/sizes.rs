//! What documents and index entries take on the disk, estimated.

use crate::{Collection, KeyRange, StoreError, keys};
use kv::{Order, PageLimit};
use std::ops::Bound;

/// What is packed is taken to be no smaller than what was written, divided by this.
const PACKED_TIMES_MAX: u64 = 16;

/// The entries of an index that its others are judged by.
const SAMPLE_ENTRIES: usize = 64;

/// Approximate bytes on disk of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredBytes {
    /// Of the documents, with what is kept beside them: their history, their revisions.
    pub documents: u64,
    /// Of the entries of each index, by its number.
    pub indexes: Vec<(u32, u64)>,
}

impl StoredBytes {
    /// The bytes of all together.
    pub fn total(&self) -> u64 {
        self.documents + self.indexes.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }
}

impl Collection {
    /// Approximate bytes on disk. What is in the log alone so far counts as it was written.
    pub async fn stored_bytes(&self) -> Result<StoredBytes, StoreError> {
        let state = self.state();
        let mut documents = self.file_bytes().await?;
        let mut indexes = Vec::with_capacity(state.indexes.len());
        for index in &state.indexes {
            let range = KeyRange::prefix(&keys::index_prefix(index.id));
            let packed = self.kv.disk_bytes(self.shard, &range).await?;
            documents = documents.saturating_sub(packed);
            indexes.push((
                index.id,
                at_least(packed, self.entry_bytes(&range, index.entries).await?),
            ));
        }
        Ok(StoredBytes {
            documents: at_least(documents, state.data_bytes),
            indexes,
        })
    }

    /// Approximate bytes of all in the engine's files.
    pub(super) async fn file_bytes(&self) -> Result<u64, StoreError> {
        let all = KeyRange {
            low: Bound::Unbounded,
            high: Bound::Unbounded,
        };
        Ok(self.kv.disk_bytes(self.shard, &all).await?)
    }

    /// About the bytes of n entries as they were written, judged by the first of them.
    async fn entry_bytes(&self, range: &KeyRange, entries: u64) -> Result<u64, StoreError> {
        let limit = PageLimit {
            entries: SAMPLE_ENTRIES,
            ..PageLimit::default()
        };
        let snapshot = self.kv.snapshot(self.shard).await?;
        let sample = snapshot.page(range, Order::Forward, limit).await?;
        let bytes: usize = sample.iter().map(|(key, value)| key.len() + value.len()).sum();
        Ok(entries * bytes as u64 / (sample.len() as u64).max(1))
    }
}

/// The bytes in the engine's files, unless these cannot hold all that was written yet.
pub(crate) fn at_least(packed: u64, written: u64) -> u64 {
    match packed {
        0 => written,
        packed => packed.max(written / PACKED_TIMES_MAX),
    }
}
