//! Turning the engine's errors into ours.

use crate::Error;
use crate::poison::Poison;
use rocksdb::ErrorKind;

/// The error that the engine returned while doing something.
pub(super) fn engine_error(doing: &'static str) -> impl Fn(rocksdb::Error) -> Error {
    move |error| match error.kind() {
        ErrorKind::Corruption => Error::Corrupt(error.into_string()),
        _ => Error::Engine {
            doing,
            cause: error.into_string(),
        },
    }
}

/// The error of a failed write. A write that found no room is not in the log as a whole, so it is as if it had never been made; the
/// engine refuses others until it has found room and begun a new log. After any other failure nobody knows what is on the disk, and
/// the poison is set.
pub(super) fn write_error(error: rocksdb::Error, poison: &Poison) -> Error {
    let cause = error.into_string();
    if cause.contains(NO_ROOM) {
        return Error::DiskFull { cause };
    }
    tracing::error!(cause, "a write failed; writes are stopped");
    poison.set(cause)
}

/// The system's text for ENOSPC, the only trace of it in the engine's errors.
pub(super) const NO_ROOM: &str = "No space left on device";

/// Whether opening failed because the folder's lock is held, which only the text of the engine's error shows.
pub(super) fn is_lock_held(error: &rocksdb::Error) -> bool {
    error.kind() == ErrorKind::IOError && error.as_ref().contains("lock") && error.as_ref().contains("LOCK")
}
