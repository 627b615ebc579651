//! Writes held back so that the data folder can be copied: `fsync` with `lock`.

use crate::engine::Engine;
use crate::error::{Error, Result};
use code::Code;
use std::time::Duration;
use tokio::sync::Mutex;

/// The number of write locks that were not released yet.
#[derive(Debug, Default)]
pub(crate) struct WriteLocks(Mutex<u64>);

impl Engine {
    /// Holds all writes back and brings the files of the data folder to rest, unless they are already. Returns the
    /// number of locks, each of which must be released.
    pub async fn lock_writes(&self, limit: Duration) -> Result<u64> {
        let mut locks = self.write_locks().0.lock().await;
        if *locks == 0 && !self.kv().hold_files(limit).await? {
            let message = "the writes that run did not end before the time limit of the lock";
            return Err(Error::new(Code::LOCK_TIMEOUT, message));
        }
        *locks += 1;
        Ok(*locks)
    }

    /// Releases one lock; writes go on after the last. Returns the number of locks that are left.
    pub async fn unlock_writes(&self) -> Result<u64> {
        let mut locks = self.write_locks().0.lock().await;
        *locks = locks
            .checked_sub(1)
            .ok_or_else(|| Error::new(Code::ILLEGAL_OPERATION, "fsyncUnlock called when not locked"))?;
        if *locks == 0 {
            self.kv().release_files().await?;
        }
        Ok(*locks)
    }

    /// Releases all locks.
    pub async fn release_writes(&self) -> Result<()> {
        let mut locks = self.write_locks().0.lock().await;
        if std::mem::take(&mut *locks) > 0 {
            self.kv().release_files().await?;
        }
        Ok(())
    }

    /// Whether writes wait, or are about to.
    pub fn are_writes_locked(&self) -> bool {
        self.write_locks().0.try_lock().map_or(true, |locks| *locks > 0)
    }
}
