//! One snapshot of the present state, which all readers share until something is written.
//!
//! To take and to release a snapshot the engine locks out its writers, and each other reader who does the same. While
//! nothing is written, one snapshot is as good as another.

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
    /// The database closes once nobody has a snapshot of it.
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

    /// Something was written: what is kept would only keep old versions. Called after the write, so that no snapshot from
    /// before it stays.
    pub(super) fn forget(&self) {
        let old = self.0.lock().snapshot.take();
        drop(old);
    }

    /// Keeps none any more.
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
