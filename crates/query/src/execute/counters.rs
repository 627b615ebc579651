//! What was examined, matched and sorted.

use super::index_cursor::ScanCounters;

/// What an execution did, as `explain` shows it.
#[derive(Clone, Debug, Default)]
pub struct ExecutionCounters {
    /// The counters of each index scan.
    pub scans: Vec<ScanCounters>,
    /// Documents examined.
    pub documents: u64,
    /// Records that were found again and dropped.
    pub repeated: u64,
    /// Documents (or keys) that matched the filter.
    pub matched: u64,
    /// Results before skip and limit.
    pub results: u64,
    /// The number of documents that the sort kept at its end, and their bytes.
    pub sorted: (u64, u64),
    /// Whether the sort went on in files.
    pub used_disk: bool,
}

impl ExecutionCounters {
    /// Keys examined in all scans.
    pub fn keys(&self) -> u64 {
        self.scans.iter().map(|scan| scan.keys).sum()
    }

    /// Keys within the bounds of all scans.
    pub(super) fn found(&self) -> u64 {
        self.scans.iter().map(|scan| scan.found).sum()
    }

    /// The cost by which plans are compared: keys or documents examined, whichever is more.
    pub fn works(&self) -> u64 {
        self.keys().max(self.documents)
    }
}
