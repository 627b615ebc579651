//! Values that are written before the commit that names them.

use super::file::{Room, ValueFile, Written};
use super::pointer::Pointer;
use super::reclaim::put_free;
use crate::Error;
use crate::rocks::database::Database;
use crate::rocks::error::{NO_ROOM, write_error};
use crate::rocks::options;
use bytes::Bytes;
use rocksdb::WriteBatch;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// See [`crate::Placed`]. Its place counts as free until a commit names it.
#[derive(Clone, Debug)]
pub(crate) struct PlacedValue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pointer: Pointer,
    file: Arc<ValueFile>,
    written: Written,
    is_named: AtomicBool,
    database: Weak<Database>,
}

impl PlacedValue {
    /// Where it lies.
    pub(in crate::rocks) fn pointer(&self) -> &Pointer {
        &self.0.pointer
    }

    /// Returns once it is on the disk. Blocks.
    pub(super) fn flush(&self) -> std::io::Result<()> {
        self.0.file.flush(self.0.written)
    }

    /// Notes that a commit names it, so that dropping this does not free it.
    pub(super) fn set_named(&self) {
        self.0.is_named.store(true, Ordering::Release);
    }

    /// Reads it back.
    pub(crate) fn read(&self) -> Result<Bytes, Error> {
        let database = self.0.database.upgrade().ok_or(Error::Closed)?;
        Ok(database.large.files.read(&self.0.pointer, &[])?.into())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !*self.is_named.get_mut()
            && let Some(database) = self.database.upgrade()
        {
            let sequence = database.db.latest_sequence_number();
            database.large.reclaimer.free(vec![self.pointer.extent], sequence);
        }
    }
}

impl Database {
    /// Writes a value that no commit names yet, without a flush. `room` is held until it is flushed.
    pub(in crate::rocks) fn place_ahead(
        self: &Arc<Self>,
        value: &[u8],
        room: Room,
    ) -> Result<PlacedValue, Error> {
        self.poison.check()?;
        let written = self
            .large
            .files
            .write(&[value], Some(room), |pointers| self.reserve(pointers));
        let written = written.map_err(|error| self.not_written(error))?;
        self.large.writeback.wrote(&written.file);
        let pointer = written.pointers.into_iter().next().ok_or(Error::Closed)?;
        Ok(PlacedValue(Arc::new(Inner {
            pointer,
            file: written.file,
            written: written.last,
            is_named: AtomicBool::new(false),
            database: Arc::downgrade(self),
        })))
    }

    /// Notes places as free. The commit that names one takes the note away.
    pub(super) fn reserve(&self, pointers: &[Pointer]) -> Result<(), Error> {
        let mut batch = WriteBatch::new();
        for pointer in pointers {
            put_free(&pointer.extent, &mut batch);
        }
        let written = self.db.write_opt(batch, &options::write());
        written.map_err(|error| write_error(error, &self.poison))
    }

    /// Stops all writes after a flush that failed.
    pub(super) fn not_flushed(&self, error: &std::io::Error) -> Error {
        tracing::error!(%error, "large values were not flushed; writes are stopped");
        self.poison.set(error.to_string())
    }

    /// Stops all writes after one that failed, unless there was no room for it. In that case no commit names its place, which stays
    /// among the free ones until the next start frees it.
    pub(super) fn not_written(&self, error: Error) -> Error {
        let error = match error {
            full @ Error::DiskFull { .. } => return full,
            Error::Engine { cause, .. } if cause.contains(NO_ROOM) => return Error::DiskFull { cause },
            other => other,
        };
        tracing::error!(%error, "large values were not written; writes are stopped");
        self.poison.set(error.to_string())
    }
}
