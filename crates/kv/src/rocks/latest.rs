//! One snapshot of the present state, which all readers share until something is written.
//!
//! Taking and releasing a snapshot locks out the engine's writers, and other readers that do the same. As long as
//! nothing is written, readers can share one.

use super::snapshot::OwnedSnapshot;
use parking_lot::Mutex;
use rocksdb::DB;
use std::sync::Arc;

/// The last snapshot that was taken, as long as it is the present state.
#[derive(Debug, Default)]
pub(super) struct Latest(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    snapshot: Option<Arc<OwnedSnapshot>>,
    /// Whether the database is closing, which waits until no snapshot is left.
    closed: bool,
}

impl Latest {
    /// The present state: all writes that have returned are in it.
    pub(super) fn snapshot(&self, db: &Arc<DB>) -> Arc<OwnedSnapshot> {
        let now = db.latest_sequence_number();
        let mut kept = self.0.lock();
        if let Some(snapshot) = kept.snapshot.as_ref()
            && snapshot.sequence() >= now
        {
            return snapshot.clone();
        }
        let taken = Arc::new(OwnedSnapshot::new(db.clone(), |db| db.snapshot()));
        let mut old = None;
        if !kept.closed {
            old = kept.snapshot.replace(taken.clone());
        }
        // Released outside of the lock.
        drop(kept);
        drop(old);
        taken
    }

    /// Drops the snapshot, which would only keep old versions. To be called after a write, so that no snapshot from before it
    /// stays.
    pub(super) fn forget(&self) {
        let old = self.0.lock().snapshot.take();
        drop(old);
    }

    /// Drops the snapshot, and keeps none from now on.
    pub(super) fn close(&self) {
        self.0.lock().closed = true;
        self.forget();
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Kept").finish_non_exhaustive()
    }
}
