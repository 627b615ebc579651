//! The connections that may be open at once, on all listeners together.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many connections may be open at once, shared by all listeners that have a copy: each connection takes a descriptor, and
/// the store needs some too.
#[derive(Clone, Debug)]
pub struct Places {
    free: Arc<Semaphore>,
    max: usize,
}

impl Places {
    /// So many places, all free.
    pub fn new(max: usize) -> Places {
        let max = max.min(Semaphore::MAX_PERMITS);
        Places {
            free: Arc::new(Semaphore::new(max)),
            max,
        }
    }

    /// All places, free or not.
    pub fn max(&self) -> usize {
        self.max
    }

    /// Those that are free.
    pub fn free(&self) -> usize {
        self.free.available_permits()
    }

    /// A place, until what is returned is dropped; `None` where all are taken.
    pub(crate) fn take(&self) -> Option<OwnedSemaphorePermit> {
        self.free.clone().try_acquire_owned().ok()
    }
}
