//! What is derived from a collection and kept beside it: numbered pages with a head, in a shard of their own.
//!
//! A follower of the change log (a view's index, say) keeps its pages here. One commit changes any of them together
//! with the head, in which the follower notes how far it has come; so after a crash pages and note agree. The shard
//! is removed with the collection. Only the follower knows what a page means.

use crate::collection::at_least;
use crate::seal::{seal, unseal};
use crate::{Durability, KeyRange, StoreError, keys};
use bytes::Bytes;
use kv::{Batch, CommitError, Head, Kv, ShardId};
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbered pages derived from a collection.
#[derive(Debug)]
pub struct Derived {
    kv: Kv,
    pub(crate) shard: ShardId,
    name: String,
    dropped: AtomicBool,
}

/// The pages at one moment.
#[derive(Debug)]
pub struct DerivedSnapshot {
    name: String,
    snapshot: kv::Snapshot,
    commits: u64,
    state: Bytes,
}

/// Changes of pages that are committed together.
#[derive(Clone, Debug, Default)]
pub struct PageBatch {
    batch: Batch,
}

impl PageBatch {
    /// Sets a page.
    pub fn put(&mut self, page: u64, bytes: &[u8]) {
        let mut sealed = vec![0; 4];
        sealed.extend_from_slice(bytes);
        seal(&mut sealed);
        self.batch.put(&keys::page(page), &sealed);
    }

    /// Removes a page; one that is not there is no error.
    pub fn delete(&mut self, page: u64) {
        self.batch.delete(&keys::page(page));
    }

    /// The bytes of all changes.
    pub fn size_bytes(&self) -> usize {
        self.batch.size_bytes()
    }
}

impl Derived {
    pub(crate) fn new(kv: Kv, shard: ShardId, name: String) -> Derived {
        Derived {
            kv,
            shard,
            name,
            dropped: AtomicBool::new(false),
        }
    }

    /// Its name among those of its collection.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it, or its collection, was dropped.
    pub fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    pub(crate) fn end(&self) {
        self.dropped.store(true, Ordering::Release);
    }

    /// The pages as they are now.
    pub async fn snapshot(&self) -> Result<DerivedSnapshot, StoreError> {
        self.check_exists()?;
        let snapshot = self.kv.snapshot(self.shard).await?;
        let head = snapshot.head().await?;
        Ok(DerivedSnapshot {
            name: self.name.clone(),
            snapshot,
            commits: head.sequence,
            state: head.state,
        })
    }

    /// Makes the changes, sets the head's state and raises the number of commits by one. Fails with
    /// [`StoreError::Contention`] if that number is no longer `expected`, because another commit was first.
    pub async fn commit(
        &self,
        expected: u64,
        state: Bytes,
        pages: PageBatch,
        durability: Durability,
    ) -> Result<(), StoreError> {
        self.check_exists()?;
        self.kv.check_room()?;
        let head = Head {
            sequence: expected + 1,
            state,
        };
        match self
            .kv
            .commit(self.shard, expected, head, pages.batch, durability)
            .await
        {
            Ok(()) => Ok(()),
            Err(CommitError::HeadMoved(_)) => Err(StoreError::Contention),
            Err(CommitError::Engine(error)) => Err(error.into()),
        }
    }

    /// What can be read of it as it is kept, and what cannot.
    pub(crate) async fn salvage(
        &self,
        range: &KeyRange,
        limit: crate::PageLimit,
    ) -> Result<kv::Salvage, StoreError> {
        self.check_exists()?;
        let snapshot = self.kv.snapshot(self.shard).await?;
        Ok(snapshot.salvage(range, limit).await?)
    }

    /// Estimates the bytes that the pages take on disk. `written` is the size of what was written into them, from which the part that
    /// is still in the log alone is estimated.
    pub async fn disk_bytes(&self, written: u64) -> Result<u64, StoreError> {
        let range = KeyRange::prefix(&[keys::PAGE]);
        Ok(at_least(self.kv.disk_bytes(self.shard, &range).await?, written))
    }

    /// Rewrites the files, so that they hold only live pages.
    pub async fn compact(&self) -> Result<(), StoreError> {
        self.check_exists()?;
        Ok(self.kv.compact(self.shard).await?)
    }

    fn check_exists(&self) -> Result<(), StoreError> {
        if self.is_dropped() {
            return Err(StoreError::CollectionDropped(self.name.clone()));
        }
        Ok(())
    }
}

impl DerivedSnapshot {
    /// How many commits were made.
    pub fn commits(&self) -> u64 {
        self.commits
    }

    /// The head's state; empty where nothing was committed.
    pub fn state(&self) -> &Bytes {
        &self.state
    }

    /// A page, which must be there.
    pub async fn page(&self, page: u64) -> Result<Bytes, StoreError> {
        let bytes = match self.snapshot.get(&keys::page(page)).await {
            Err(kv::Error::Corrupt(what)) => return Err(self.corrupt(&what)),
            read => read?,
        };
        let bytes = bytes.ok_or_else(|| self.corrupt(&format!("page {page} is missing")))?;
        match unseal(&bytes) {
            Some(content) => Ok(bytes.slice_ref(content)),
            None => Err(self.corrupt(&format!("the checksum of page {page}"))),
        }
    }

    /// The error that the pages are corrupt, and how.
    pub fn corrupt(&self, what: &str) -> StoreError {
        StoreError::Corrupt {
            namespace: self.name.clone(),
            what: what.to_owned(),
        }
    }
}
