//! The head that the last snapshot of a collection found, for others of the same version.

use crate::state::ShardState;
use parking_lot::Mutex;
use std::sync::Arc;

/// Reading the head and what it says of the indexes takes as long as finding a record, so it is done once a version.
#[derive(Debug, Default)]
pub(crate) struct LastHead(Mutex<Option<(u64, SeenHead)>>);

/// A head that was read.
#[derive(Clone, Debug)]
pub(crate) struct SeenHead {
    pub(crate) sequence: u64,
    pub(crate) state: Arc<ShardState>,
}

impl LastHead {
    /// What a snapshot of this version would find.
    pub(crate) fn of(&self, version: u64) -> Option<SeenHead> {
        let last = self.0.lock();
        last.as_ref()
            .filter(|(seen, _)| *seen == version)
            .map(|(_, head)| head.clone())
    }

    /// Keeps what a snapshot of this version has found.
    pub(crate) fn keep(&self, version: u64, head: &SeenHead) {
        *self.0.lock() = Some((version, head.clone()));
    }
}
