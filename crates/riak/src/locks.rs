//! Locks of objects: an object is read and written again by one writer at a time.
//!
//! Each object that is being written has a lock of its own, so that nobody waits for the writer of another one, which would
//! take as long as a flush.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use tokio::sync::{Mutex as Waiting, OwnedMutexGuard};

/// The locks that are held or waited for.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    hasher: RandomState,
    /// By the hash of the object's name: writers of two objects of one hash wait for each other, which is harmless.
    known: Mutex<HashMap<u64, Arc<Waiting<()>>>>,
}

/// Held while an object is read and written again.
#[derive(Debug)]
pub(crate) struct Lock<'l> {
    locks: &'l Locks,
    hash: u64,
    lock: Arc<Waiting<()>>,
    /// `None` while it is waited for.
    held: Option<OwnedMutexGuard<()>>,
}

impl Locks {
    /// The lock of one object.
    pub(crate) async fn lock(&self, collection: &[u8], key: &[u8]) -> Lock<'_> {
        self.take(self.hash(collection, key)).await
    }

    /// The locks of several objects of a collection.
    pub(crate) async fn lock_all(&self, collection: &[u8], keys: Vec<&[u8]>) -> Vec<Lock<'_>> {
        let mut hashes: Vec<u64> = keys.iter().map(|key| self.hash(collection, key)).collect();
        // They are taken in the order of their hashes, so that no two tasks wait for each other.
        hashes.sort_unstable();
        hashes.dedup();
        let mut all = Vec::with_capacity(hashes.len());
        for hash in hashes {
            all.push(self.take(hash).await);
        }
        all
    }

    fn hash(&self, collection: &[u8], key: &[u8]) -> u64 {
        self.hasher.hash_one((collection, key))
    }

    async fn take(&self, hash: u64) -> Lock<'_> {
        let lock = self.known.lock().entry(hash).or_default().clone();
        // It is made before the lock is held, so that a task which is cancelled while it waits removes its entry too.
        let mut taken = Lock {
            locks: self,
            hash,
            lock: lock.clone(),
            held: None,
        };
        taken.held = Some(lock.lock_owned().await);
        taken
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let mut known = self.locks.known.lock();
        drop(self.held.take());
        // The table holds one reference and this is another; a third is got from the table alone, which is locked here.
        if Arc::strong_count(&self.lock) == 2 {
            known.remove(&self.hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Locks;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn poll<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn a_writer_waits_for_that_of_the_same_object_alone() {
        let locks = Locks::default();
        let held = locks.lock(b"c", b"1").await;
        drop(locks.lock(b"c", b"2").await);
        drop(locks.lock(b"d", b"1").await);
        let mut next = pin!(locks.lock(b"c", b"1"));
        assert!(poll(next.as_mut()).is_pending());
        drop(held);
        drop(next.await);
        assert!(locks.known.lock().is_empty());
    }

    #[tokio::test]
    async fn one_who_gives_up_waiting_leaves_nothing_behind() {
        let locks = Locks::default();
        let held = locks.lock(b"c", b"1").await;
        {
            let mut next = pin!(locks.lock(b"c", b"1"));
            assert!(poll(next.as_mut()).is_pending());
            drop(held);
        }
        assert!(locks.known.lock().is_empty());
    }

    #[tokio::test]
    async fn those_who_take_several_in_any_order_and_twice_do_not_wait_for_each_other_for_ever() {
        let locks = Locks::default();
        let first = locks.lock_all(b"c", vec![b"1", b"2", b"1"]).await;
        assert_eq!(first.len(), 2);
        let mut second = pin!(locks.lock_all(b"c", vec![b"2", b"3", b"1"]));
        assert!(poll(second.as_mut()).is_pending());
        drop(first);
        assert_eq!(second.await.len(), 3);
        assert!(locks.known.lock().is_empty());
    }
}
