//! A collection: its documents, indexes and counts.

use crate::{
    BuildProgress, Change, CollectionOptions, CommitOptions, Index, IndexSpec, Namespace, Outcome,
    ReplayedOutcome, Snapshot, StatementId, StoreError, WriteOp,
};
use std::sync::Arc;
use tokio::sync::watch;

/// Counts and sizes of a collection, as its head keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionStats {
    /// The documents.
    pub count: u64,
    /// Their BSON bytes.
    pub data_bytes: u64,
    /// The tombstones of deleted documents that are kept.
    pub deleted: u64,
    /// The entries of each index, by its number.
    pub index_entries: Vec<(u32, u64)>,
}

/// What a validation found.
#[derive(Clone, Debug, Default)]
pub struct ValidateReport {
    /// The records looked at.
    pub records: u64,
    /// The entries looked at of each index, by its name.
    pub index_entries: Vec<(String, u64)>,
    /// What is wrong, at most [`crate::VALIDATE_FINDINGS_MAX`] of it; empty when all is well.
    pub findings: Vec<String>,
    /// How many things are wrong.
    pub findings_count: u64,
}

impl ValidateReport {
    /// Whether nothing is wrong.
    pub fn is_valid(&self) -> bool {
        self.findings_count == 0
    }
}

/// One collection or view.
#[derive(Debug)]
pub struct Collection {}

impl Collection {
    /// Its full name now; a rename changes it.
    pub fn namespace(&self) -> Namespace {
        todo!("store")
    }

    /// Its UUID, which a rename keeps.
    pub fn uuid(&self) -> [u8; 16] {
        todo!("store")
    }

    /// Its options.
    pub fn options(&self) -> Arc<CollectionOptions> {
        todo!("store")
    }

    /// Its indexes, `_id_` first; those being built too.
    pub fn indexes(&self) -> Vec<Arc<Index>> {
        todo!("store")
    }

    /// Whether it is a view, which has no documents of its own.
    pub fn is_view(&self) -> bool {
        todo!("store")
    }

    /// Whether it was dropped.
    pub fn is_dropped(&self) -> bool {
        todo!("store")
    }

    /// Counts and sizes.
    pub fn stats(&self) -> CollectionStats {
        todo!("store")
    }

    /// Approximate bytes on disk of all, indexes included.
    pub async fn disk_bytes(&self) -> Result<u64, StoreError> {
        todo!("store")
    }

    /// Approximate bytes on disk of one index.
    pub async fn index_disk_bytes(&self, _index: u32) -> Result<u64, StoreError> {
        todo!("store")
    }

    /// Makes indexes and waits until they are built. The numbers of indexes before and after.
    pub async fn create_indexes(
        self: &Arc<Self>,
        _specs: Vec<IndexSpec>,
    ) -> Result<(usize, usize), StoreError> {
        todo!("store")
    }

    /// The index builds under way.
    pub fn builds(&self) -> Vec<BuildProgress> {
        todo!("store")
    }

    /// Removes an index.
    pub async fn drop_index(self: &Arc<Self>, _name: &str) -> Result<(), StoreError> {
        todo!("store")
    }

    /// Follows the number of the last committed change.
    pub fn head_watch(&self) -> watch::Receiver<u64> {
        todo!("store")
    }

    /// The collection as it is now.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        todo!("store")
    }

    /// The changes behind `after`, in order.
    pub async fn changes(&self, _after: u64, _limit: usize) -> Result<Vec<Change>, StoreError> {
        todo!("store")
    }

    /// Makes changes; one outcome for each operation. An error means that none is known to be made.
    pub async fn commit(
        self: &Arc<Self>,
        _operations: Vec<WriteOp>,
        _options: CommitOptions,
    ) -> Result<Vec<Outcome>, StoreError> {
        todo!("store")
    }

    /// What the statement did, if it was executed before.
    pub async fn executed(&self, _statement: &StatementId) -> Result<Option<ReplayedOutcome>, StoreError> {
        todo!("store")
    }

    /// Deletes the oldest documents until the collection is within its capped limits.
    pub async fn truncate_capped(self: &Arc<Self>) -> Result<(), StoreError> {
        todo!("store")
    }

    /// Rewrites the files so that they hold only what lives.
    pub async fn compact(&self) -> Result<(), StoreError> {
        todo!("store")
    }

    /// Checks records, counts and change log; with `full`, every record against every index entry too.
    pub async fn validate(&self, _full: bool) -> Result<ValidateReport, StoreError> {
        todo!("store")
    }
}
