//! One file of large values. Several threads write to it at once, at any place, and share its flushes.

use parking_lot::Mutex;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::OwnedSemaphorePermit;

/// An open file.
#[derive(Debug)]
pub(super) struct ValueFile {
    pub(super) number: u64,
    pub(super) file: File,
    /// Writes that have ended.
    written: AtomicU64,
    /// Writes that are on the disk: the first n that ended.
    flushed: AtomicU64,
    /// Held during a flush. True once one failed: a later success would prove nothing, since the system may have
    /// dropped the pages that it could not write.
    flushing: Mutex<bool>,
    unflushed: Mutex<Unflushed>,
}

/// What was written ahead since the last flush began.
#[derive(Debug, Default)]
struct Unflushed {
    bytes: usize,
    room: Vec<Room>,
    /// Whether the writeback thread was asked to flush it.
    is_asked_for: bool,
}

/// The permission to write a number of bytes ahead. Dropping it gives the permission to others.
#[derive(Debug)]
pub(in crate::rocks) struct Room {
    bytes: usize,
    _permit: OwnedSemaphorePermit,
}

impl Room {
    pub(super) fn new(bytes: usize, permit: OwnedSemaphorePermit) -> Room {
        Room {
            bytes,
            _permit: permit,
        }
    }
}

/// The number of a write among those of its file, in the order in which they ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written(u64);

impl ValueFile {
    pub(super) fn new(number: u64, file: File) -> ValueFile {
        ValueFile {
            number,
            file,
            written: AtomicU64::new(0),
            flushed: AtomicU64::new(0),
            flushing: Mutex::new(false),
            unflushed: Mutex::default(),
        }
    }

    /// Writes bytes without a flush. `room` is the permission to write them, and is held until they are flushed.
    pub(super) fn write(&self, bytes: &[u8], offset: u64, room: Option<Room>) -> std::io::Result<Written> {
        self.file.write_all_at(bytes, offset)?;
        if let Some(room) = room {
            let mut unflushed = self.unflushed.lock();
            unflushed.bytes += room.bytes;
            unflushed.room.push(room);
        }
        Ok(Written(self.written.fetch_add(1, Ordering::AcqRel) + 1))
    }

    /// Whether `bytes` or more were written ahead, so that a flush should begin though nobody waits for one. Returns
    /// true once between two flushes.
    pub(super) fn is_due(&self, bytes: usize) -> bool {
        let mut unflushed = self.unflushed.lock();
        let is_due = unflushed.bytes >= bytes && !unflushed.is_asked_for;
        unflushed.is_asked_for |= is_due;
        is_due
    }

    /// Returns once a write is on the disk. Blocks. Callers that come during a flush share the next one.
    pub(super) fn flush(&self, write: Written) -> std::io::Result<()> {
        if self.flushed.load(Ordering::Acquire) >= write.0 {
            return Ok(());
        }
        let mut has_failed = self.flushing.lock();
        if *has_failed {
            return Err(std::io::Error::other("a flush of the file failed before"));
        }
        if self.flushed.load(Ordering::Acquire) >= write.0 {
            return Ok(());
        }
        // Both are read before the flush: what they count has been written, so the flush covers it. `write` counts a
        // write only after its bytes are with the system.
        let room = std::mem::take(&mut *self.unflushed.lock());
        let covered = self.written.load(Ordering::Acquire);
        self.file.sync_data().inspect_err(|_| *has_failed = true)?;
        self.flushed.store(covered, Ordering::Release);
        drop(room);
        Ok(())
    }

    /// Flushes all that is written now.
    pub(super) fn flush_all(&self) -> std::io::Result<()> {
        self.flush(Written(self.written.load(Ordering::Acquire)))
    }
}
