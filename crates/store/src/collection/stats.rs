//! Counts, sizes and findings.

use crate::Collection;

/// Counts and sizes of a collection, from its head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionStats {
    /// The documents.
    pub count: u64,
    /// Their BSON bytes.
    pub data_bytes: u64,
    /// The tombstones of deleted documents that are kept.
    pub deleted: u64,
    /// The number of entries of each index, by the index's number.
    pub index_entries: Vec<(u32, u64)>,
}

/// What a validation found.
#[derive(Clone, Debug, Default)]
pub struct ValidateReport {
    /// The number of records checked.
    pub records: u64,
    /// The number of entries checked in each index, by the index's name.
    pub index_entries: Vec<(String, u64)>,
    /// The first [`crate::VALIDATE_FINDINGS_MAX`] findings; empty if nothing is wrong.
    pub findings: Vec<String>,
    /// The number of all findings.
    pub findings_count: u64,
}

impl ValidateReport {
    /// Whether nothing is wrong.
    pub fn is_valid(&self) -> bool {
        self.findings_count == 0
    }
}

impl Collection {
    /// Counts and sizes.
    pub fn stats(&self) -> CollectionStats {
        let state = self.state();
        CollectionStats {
            count: state.count,
            data_bytes: state.data_bytes,
            deleted: state.tombstones,
            index_entries: state
                .indexes
                .iter()
                .map(|index| (index.id, index.entries))
                .collect(),
        }
    }
}
