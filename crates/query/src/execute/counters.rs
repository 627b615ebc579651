//! What was examined, matched and sorted.

use super::index_cursor::ScanCounters;

/// What an execution did, as `explain` shows it.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Of each index scan.
    pub scans: Vec<ScanCounters>,
    /// Documents looked at.
    pub documents: u64,
    /// Records met again and dropped.
    pub repeated: u64,
    /// Documents (or keys) that the filter let through.
    pub matched: u64,
    /// Results before skip and limit.
    pub results: u64,
    /// Documents kept by the sort at its end, and their bytes.
    pub sorted: (u64, u64),
    /// Whether the sort went on in files.
    pub used_disk: bool,
}

impl Counters {
    /// Keys looked at in all scans.
    pub fn keys(&self) -> u64 {
        self.scans.iter().map(|scan| scan.keys).sum()
    }

    /// Keys within the bounds of all scans.
    pub(super) fn found(&self) -> u64 {
        self.scans.iter().map(|scan| scan.found).sum()
    }

    /// The cost by which plans are compared: keys or documents looked at, whichever is more.
    pub fn works(&self) -> u64 {
        self.keys().max(self.documents)
    }
}
