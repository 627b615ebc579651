//! Counts, sizes and findings.

use crate::Collection;

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
