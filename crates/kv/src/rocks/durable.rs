//! What of the database is certainly on the disk.

use super::snapshot::OwnedSnapshot;
use parking_lot::Mutex;
use rocksdb::DB;
use std::sync::Arc;

/// Flushes the log, and keeps a snapshot of what the last flush that succeeded has made durable. After one that failed this
/// is all that is read: what was written since is on the disk or not, and nobody was told that it is.
pub(super) struct Durable {
    db: Arc<DB>,
    known: Mutex<Known>,
}

struct Known {
    /// The snapshot has all writes up to this one.
    sequence: u64,
    snapshot: Arc<OwnedSnapshot>,
}

impl Known {
    fn take(db: &Arc<DB>) -> Known {
        let sequence = db.latest_sequence_number();
        let snapshot = OwnedSnapshot::new(db.clone(), |db| db.snapshot());
        Known {
            sequence,
            snapshot: Arc::new(snapshot),
        }
    }
}

impl Durable {
    /// Of a database that was just opened: what was in its log is in tables.
    pub(super) fn new(db: &Arc<DB>) -> Durable {
        Durable {
            known: Mutex::new(Known::take(db)),
            db: db.clone(),
        }
    }

    /// Flushes the log; up to which write.
    pub(super) fn flush_log(&self) -> Result<u64, rocksdb::Error> {
        // Before the flush: it covers all that the snapshot sees.
        let taken = Known::take(&self.db);
        self.db.flush_wal(true)?;
        let sequence = taken.sequence;
        let mut known = self.known.lock();
        // Another flush may have begun later and ended earlier.
        if known.sequence <= sequence {
            *known = taken;
        }
        Ok(sequence)
    }

    /// Up to which write the log is known to be flushed.
    pub(super) fn sequence(&self) -> u64 {
        self.known.lock().sequence
    }

    /// The last state that is known to be on the disk.
    pub(super) fn snapshot(&self) -> Arc<OwnedSnapshot> {
        self.known.lock().snapshot.clone()
    }
}

impl std::fmt::Debug for Durable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Durable")
            .field("sequence", &self.sequence())
            .finish_non_exhaustive()
    }
}
