//! The head that the last snapshot of a collection read, for other snapshots of the same version.

use crate::state::ShardState;
use parking_lot::Mutex;
use std::sync::Arc;

/// The head of one version. Reading and decoding it takes as long as finding a record, so it is done once for each version.
#[derive(Debug, Default)]
pub(crate) struct LastHead(Mutex<Option<(u64, SeenHead)>>);

/// A head that was read.
#[derive(Clone, Debug)]
pub(crate) struct SeenHead {
    pub(crate) sequence: u64,
    pub(crate) state: Arc<ShardState>,
}

impl LastHead {
    /// The head that a snapshot of this version would read, if it is kept.
    pub(crate) fn of(&self, version: u64) -> Option<SeenHead> {
        let last = self.0.lock();
        last.as_ref()
            .filter(|(seen, _)| *seen == version)
            .map(|(_, head)| head.clone())
    }

    /// Keeps the head that a snapshot of this version has read.
    pub(crate) fn keep(&self, version: u64, head: &SeenHead) {
        *self.0.lock() = Some((version, head.clone()));
    }
}
