//! Estimates of the bytes that documents and index entries take on disk.

use crate::{Collection, KeyRange, StoreError, keys};
use kv::{Order, PageLimit};
use std::ops::Bound;

/// Compression is assumed to make data at most this many times smaller.
const PACKED_TIMES_MAX: u64 = 16;

/// The number of entries of an index from which the size of the others is estimated.
const SAMPLE_ENTRIES: usize = 64;

/// Approximate bytes on disk of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredBytes {
    /// The bytes of the documents, with their history and revisions.
    pub documents: u64,
    /// The bytes of the entries of each index, by its number.
    pub indexes: Vec<(u32, u64)>,
}

impl StoredBytes {
    /// The sum of all.
    pub fn total(&self) -> u64 {
        self.documents + self.indexes.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }
}

impl Collection {
    /// Approximate bytes on disk. Data that is only in the log so far counts with the size that was written.
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

    /// Approximate bytes of the collection in the engine's files.
    pub(super) async fn file_bytes(&self) -> Result<u64, StoreError> {
        let all = KeyRange {
            low: Bound::Unbounded,
            high: Bound::Unbounded,
        };
        Ok(self.kv.disk_bytes(self.shard, &all).await?)
    }

    /// The approximate bytes of this many entries as they were written, estimated from the first ones.
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

/// The bytes in the engine's files, or more if these are too few to hold all that was written.
pub(crate) fn at_least(packed: u64, written: u64) -> u64 {
    match packed {
        0 => written,
        packed => packed.max(written / PACKED_TIMES_MAX),
    }
}
