//! The uploads that are being written now: what the sweep must not touch, and what only one writer may have.

use super::Bucket;
use super::digest::Digester;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use value::{Value, key};

/// Interrupted uploads whose digests are remembered; those of others are computed again from what is stored.
const PAUSED_MAX: usize = 1_000;

type Key = (Bucket, Vec<u8>);

/// Bytes that all uploads together may hold of chunks too small to be placed in the store, ahead of those that are
/// being committed. Without them each still has one chunk that is filled and one that is committed.
const AHEAD_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What one permit is for.
const PERMIT_BYTES: usize = 1024;

/// The uploads of this process.
#[derive(Debug)]
pub(crate) struct LiveUploads {
    live: Mutex<HashSet<Key>>,
    /// The digests computed so far of interrupted uploads, with the length at which each upload stopped.
    paused: Mutex<HashMap<Key, (u64, Digester)>>,
    /// Held exclusively while a file is finished under a condition, and shared by all others that finish one.
    pub(super) finishing: tokio::sync::RwLock<()>,
    ahead: Arc<Semaphore>,
}

impl Default for LiveUploads {
    fn default() -> LiveUploads {
        LiveUploads {
            live: Mutex::default(),
            paused: Mutex::default(),
            finishing: tokio::sync::RwLock::default(),
            ahead: Arc::new(Semaphore::new(AHEAD_BYTES_MAX / PERMIT_BYTES)),
        }
    }
}

/// An upload is live while this lives.
#[derive(Debug)]
pub(super) struct LiveGuard {
    uploads: Arc<LiveUploads>,
    key: Key,
}

impl LiveUploads {
    /// Marks an upload as live until the guard is dropped; `None` if it is live already.
    pub(super) fn enter(self: &Arc<Self>, bucket: &Bucket, file: &Value) -> Option<LiveGuard> {
        let key = (bucket.clone(), encoded(file));
        self.live.lock().insert(key.clone()).then(|| LiveGuard {
            uploads: self.clone(),
            key,
        })
    }

    /// A permit to hold this many bytes while others are committed; `None` if all uploads together hold
    /// [`AHEAD_BYTES_MAX`] already.
    pub(super) fn ahead(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let permits = bytes.div_ceil(PERMIT_BYTES).try_into().ok()?;
        self.ahead.clone().try_acquire_many_owned(permits).ok()
    }

    pub(super) fn is_live(&self, bucket: &Bucket, file: &[u8]) -> bool {
        self.live.lock().contains(&(bucket.clone(), file.to_vec()))
    }
}

impl LiveGuard {
    /// Remembers what was computed of the upload up to a length.
    pub(super) fn pause(&self, length: u64, digester: Digester) {
        let mut paused = self.uploads.paused.lock();
        if paused.len() < PAUSED_MAX {
            paused.insert(self.key.clone(), (length, digester));
        }
    }

    /// What was computed of the upload, if it had this length then.
    pub(super) fn resume(&self, length: u64) -> Option<Digester> {
        let (known, digester) = self.uploads.paused.lock().remove(&self.key)?;
        (known == length).then_some(digester)
    }
}

impl Drop for LiveGuard {
    fn drop(&mut self) {
        self.uploads.live.lock().remove(&self.key);
    }
}

/// A file's id as a key.
pub(super) fn encoded(file: &Value) -> Vec<u8> {
    let mut key = Vec::new();
    key::encode(file.as_ref(), key::Direction::Ascending, &mut key);
    key
}
