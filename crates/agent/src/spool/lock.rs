//! The lock of a spool's folder: one agent at a time.

use super::SpoolError;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a lock that is held is asked for again. The lock belongs to the open file, which a program that was just
/// started shares until it has replaced itself: for that moment a spool that was closed still looks taken.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the folder for this process until the file is closed.
pub fn take(folder: &Path) -> Result<File, SpoolError> {
    let failed = |error| SpoolError::Io(folder.to_owned(), error);
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))
        .map_err(failed)?;
    let begun = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(SpoolError::InUse(folder.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}
