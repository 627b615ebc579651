//! The uploads that are being written now. The sweep must not touch them, and each has only one writer.

use super::Bucket;
use super::digest::Digester;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use value::{Value, key};

/// The number of interrupted uploads whose digests are remembered; those of others are computed again from their chunks.
const PAUSED_MAX: usize = 1_000;

type Key = (Bucket, Vec<u8>);

/// The uploads of this process.
#[derive(Debug, Default)]
pub(crate) struct LiveUploads {
    live: Mutex<HashSet<Key>>,
    /// The digests computed so far of interrupted uploads, with the length at which each upload stopped.
    paused: Mutex<HashMap<Key, (u64, Digester)>>,
    /// Held exclusively while a file is finished under a condition, and shared by all others that finish one.
    pub(super) finishing: tokio::sync::RwLock<()>,
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

    pub(super) fn is_live(&self, bucket: &Bucket, file: &[u8]) -> bool {
        self.live.lock().contains(&(bucket.clone(), file.to_vec()))
    }
}

impl LiveGuard {
    /// Remembers the digests of the upload up to a length.
    pub(super) fn pause(&self, length: u64, digester: Digester) {
        let mut paused = self.uploads.paused.lock();
        if paused.len() < PAUSED_MAX {
            paused.insert(self.key.clone(), (length, digester));
        }
    }

    /// The digests computed so far, if the upload had this length then.
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
