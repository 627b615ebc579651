//! How far a run has come, to be read while it runs.

use crate::peer::Refusal;
use crate::statistics::Statistics;
use parking_lot::Mutex;
use serde_json::Value;

/// The refused documents that are listed; further ones are only counted.
pub const REFUSALS_LISTED_MAX: usize = 100;

/// How far a run has come.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Snapshot>);

/// How far a run had come at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The counters.
    pub statistics: Statistics,
    /// The last change of the source that was looked at.
    pub source_sequence: Value,
    /// The change up to which everything is in the target.
    pub through_sequence: Value,
    /// The change up to which that is recorded.
    pub checkpointed_sequence: Value,
    /// The changes that are still to come, where the source knows.
    pub pending: Option<u64>,
    /// The documents that the target refused, the first of them.
    pub refusals: Vec<Refusal>,
}

impl Progress {
    /// How far it has come.
    pub fn snapshot(&self) -> Snapshot {
        self.0.lock().clone()
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.0.lock());
    }

    /// Counts and lists refused documents.
    pub(crate) fn refuse(&self, refusals: Vec<Refusal>) {
        let mut snapshot = self.0.lock();
        let room = REFUSALS_LISTED_MAX.saturating_sub(snapshot.refusals.len());
        snapshot.refusals.extend(refusals.into_iter().take(room));
    }
}
