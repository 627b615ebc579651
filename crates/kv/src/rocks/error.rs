//! From the engine's errors to ours.

use crate::Error;
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

/// Whether opening failed because the folder's lock is held; the engine tells it only in words.
pub(super) fn is_lock_held(error: &rocksdb::Error) -> bool {
    error.kind() == ErrorKind::IOError && error.as_ref().contains("lock") && error.as_ref().contains("LOCK")
}
