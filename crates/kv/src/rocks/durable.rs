//! What of the database is certainly on the disk.

use super::archive::Archive;
use super::error::write_error;
use super::options;
use super::snapshot::OwnedSnapshot;
use super::space::free_bytes;
use crate::Error;
use crate::poison::Poison;
use parking_lot::Mutex;
use rocksdb::{DB, WriteBatch};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// With less than this free, writes may find no room at any moment.
const LITTLE_ROOM_BYTES: u64 = 64 << 20;

/// Flushes the log, and keeps a snapshot of what the last flush that succeeded has made durable. After one that failed this
/// is all that is read: what was written since is on the disk or not, and nobody was told that it is.
pub(super) struct Durable {
    db: Arc<DB>,
    folder: PathBuf,
    poison: Poison,
    archive: Arc<Archive>,
    /// Whether a write found no room, and none is known to have been made since.
    lacked_room: AtomicBool,
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
    /// Begins with a database that was just opened: what was in its log is in tables.
    pub(super) fn new(db: &Arc<DB>, folder: &Path, archive: Arc<Archive>, poison: Poison) -> Durable {
        Durable {
            known: Mutex::new(Known::take(db)),
            db: db.clone(),
            folder: folder.to_owned(),
            poison,
            archive,
            lacked_room: AtomicBool::new(false),
        }
    }

    /// What a write to the log that failed means for those that follow.
    pub(super) fn write_failed(&self, error: rocksdb::Error) -> Error {
        let error = write_error(error, &self.poison);
        if matches!(error, Error::DiskFull { .. }) {
            self.lacked_room.store(true, Ordering::Release);
        }
        error
    }

    /// Flushes the log; up to which write. A failure sets the poison, unless it is that of a full disk.
    pub(super) fn flush_log(&self) -> Result<u64, Error> {
        self.poison.check()?;
        // Before the flush: it covers all that the snapshot sees.
        let taken = Known::take(&self.db);
        self.archive.flush();
        // Room that is there again helps only once the engine has found it, seconds later, and has begun a new log.
        let lacked_room = self.lacked_room.load(Ordering::Acquire);
        if lacked_room || free_bytes(&self.folder).is_some_and(|free| free < LITTLE_ROOM_BYTES) {
            self.flush_among_writes()?;
        } else {
            self.flush_beside_writes()?;
        }
        let sequence = taken.sequence;
        let mut known = self.known.lock();
        // Another flush may have begun later and ended earlier.
        if known.sequence <= sequence {
            *known = taken;
        }
        Ok(sequence)
    }

    /// Writes go on meanwhile. One that finds no room makes the log refuse this flush too, which the engine takes for a
    /// failure of the disk and does not come back from.
    fn flush_beside_writes(&self) -> Result<(), Error> {
        self.db.flush_wal(true).map_err(|error| {
            let cause = error.into_string();
            tracing::error!(cause, "a flush of the log failed; writes are stopped");
            self.poison.set(cause)
        })
    }

    /// As a write of nothing, which other writes wait for: after one that found no room it is refused for that reason. What
    /// is in the log is in the write buffers too, and goes from there into new files when there is room, so that a
    /// flush that found no room leaves no doubt for later.
    fn flush_among_writes(&self) -> Result<(), Error> {
        let mut options = options::write(true);
        options.set_sync(true);
        let flushed = self.db.write_opt(WriteBatch::default(), &options);
        flushed.map_err(|error| match self.write_failed(error) {
            // Not that write, which is of nothing, but all before it are meant.
            Error::DiskFull { cause } => Error::DiskFullAtFlush { cause },
            error => error,
        })?;
        self.lacked_room.store(false, Ordering::Release);
        Ok(())
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
