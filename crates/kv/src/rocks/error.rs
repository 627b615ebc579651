//! From the engine's errors to ours.

use crate::Error;
use crate::poison::Poison;
use rocksdb::ErrorKind;

/// What the engine said while it was doing something.
pub(super) fn engine_error(doing: &'static str) -> impl Fn(rocksdb::Error) -> Error {
    move |error| match error.kind() {
        ErrorKind::Corruption => Error::Corrupt(error.into_string()),
        _ => Error::Engine {
            doing,
            cause: error.into_string(),
        },
    }
}

/// What a write that failed means for those that follow. One that found no room is not in the log as a whole, so it is as if it
/// had never been; the engine refuses others until it has found room and begun a new log. After any other failure
/// nobody knows what is on the disk.
pub(super) fn write_error(error: rocksdb::Error, poison: &Poison) -> Error {
    let cause = error.into_string();
    if cause.contains(NO_ROOM) {
        return Error::DiskFull { cause };
    }
    tracing::error!(cause, "a write failed; writes are stopped");
    poison.set(cause)
}

/// The system's words for ENOSPC, by which alone the engine tells it.
pub(super) const NO_ROOM: &str = "No space left on device";

/// Whether opening failed because the folder's lock is held; the engine tells it only in words.
pub(super) fn is_lock_held(error: &rocksdb::Error) -> bool {
    error.kind() == ErrorKind::IOError && error.as_ref().contains("lock") && error.as_ref().contains("LOCK")
}
