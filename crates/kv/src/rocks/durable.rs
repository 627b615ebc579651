//! The state of the database that is certainly on the disk.

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

/// Flushes the log, and keeps a snapshot of what the last successful flush made durable. After a failed flush only this snapshot
/// is read: later writes may or may not be on the disk, and none of them was acknowledged.
pub(super) struct Durable {
    db: Arc<DB>,
    folder: PathBuf,
    poison: Poison,
    archive: Arc<Archive>,
    /// Whether a write found no room, and no later one is known to have been made.
    lacked_room: AtomicBool,
    known: Mutex<Known>,
}

struct Known {
    /// The snapshot has all writes up to this number.
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
    /// Begins with a database that was just opened, whose log is in tables.
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

    /// Handles a failed write to the log: unless the disk was full, no write may follow.
    pub(super) fn write_failed(&self, error: rocksdb::Error) -> Error {
        let error = write_error(error, &self.poison);
        if matches!(error, Error::DiskFull { .. }) {
            self.lacked_room.store(true, Ordering::Release);
        }
        error
    }

    /// Flushes the log, and returns the number of the last write that is flushed. A failure sets the poison, unless the disk is full.
    pub(super) fn flush_log(&self) -> Result<u64, Error> {
        self.poison.check()?;
        // Taken before the flush, which therefore covers everything in the snapshot.
        let taken = Known::take(&self.db);
        self.archive.flush();
        // When there is room again, it helps only after the engine has found it, seconds later, and has begun a new log.
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

    /// Flushes while writes go on. A write that finds no room makes the log refuse this flush too, which the engine takes for a
    /// failure of the disk from which it does not recover.
    fn flush_beside_writes(&self) -> Result<(), Error> {
        self.db.flush_wal(true).map_err(|error| {
            let cause = error.into_string();
            tracing::error!(cause, "a flush of the log failed; writes are stopped");
            self.poison.set(cause)
        })
    }

    /// Flushes by an empty write, for which other writes wait. After a write that found no room, it is refused for the same reason. What
    /// is in the log is also in the write buffers, and goes from there into new files when there is room, so that a
    /// flush that found no room leaves no doubt for later.
    fn flush_among_writes(&self) -> Result<(), Error> {
        let mut options = options::write();
        options.set_sync(true);
        let flushed = self.db.write_opt(WriteBatch::default(), &options);
        flushed.map_err(|error| match self.write_failed(error) {
            // The error is about all writes before this empty one.
            Error::DiskFull { cause } => Error::DiskFullAtFlush { cause },
            error => error,
        })?;
        self.lacked_room.store(false, Ordering::Release);
        Ok(())
    }

    /// The number of the last write that is known to be flushed.
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
