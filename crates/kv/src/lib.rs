//! An ordered key-value store of shards.
//!
//! A **shard** is one ordered keyspace with a **head**: the number of its last change, and a small record kept
//! by the caller beside it. [`Kv::commit`] is the only way to write: puts and deletes of one shard, atomically,
//! against an expected head. Reads are pages on a [`Snapshot`]. Both may be awaited; where the engine is local
//! they are ready at once and nothing is paid for the await.
//!
//! The only crate that names an engine: RocksDB ([`Kv::open`]) and a simulated one in memory that crashes and
//! fails on demand ([`Kv::simulated`]).
//!
//! What must hold: after a failed flush nothing is written any more ([`Error::Poisoned`]); what a commit with
//! [`Durability::Flushed`] acknowledged is there after a crash; a commit is there whole or not at all.
//!
//! Left to others: what keys and values mean (`store`).

mod batch;
mod error;
mod page;
mod rocks;
mod simulated;

pub use batch::Batch;
pub use error::{CommitError, Error};
pub use page::{KeyRange, Order, Page, PageLimit};
pub use simulated::Simulation;

use bytes::Bytes;

/// The number of a shard; its keys never mix with those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub u64);

/// A shard's head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of the shard's last change; 0 where it has none.
    pub sequence: u64,
    /// What the caller keeps with it (counts, sizes).
    pub state: Bytes,
}

/// When a write is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Flushed to the disk before the answer.
    Flushed,
    /// Flushed within [`FLUSH_INTERVAL_MS`].
    Soon,
}

/// How long a write with [`Durability::Soon`] waits for its flush at most.
pub const FLUSH_INTERVAL_MS: u64 = 100;

/// How the embedded engine is opened.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The folder, made where it does not exist.
    pub folder: std::path::PathBuf,
    /// Bytes for block cache and write buffers together.
    pub memory_bytes: usize,
}

/// What the engine holds and uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineStats {
    /// Bytes of live files on disk, logs included.
    pub disk_bytes: u64,
    /// Bytes of block cache, write buffers and table readers in memory.
    pub memory_bytes: u64,
    /// Flushes of the log that were made (each one device flush).
    pub flushes: u64,
    /// Commits that were made.
    pub commits: u64,
}

/// The store; cheap to clone.
#[derive(Clone, Debug)]
pub struct Kv {}

/// The state of one shard at one moment. Costs little; holding it keeps old versions from being compacted away.
#[derive(Debug)]
pub struct Snapshot {}

impl Kv {
    /// Opens the embedded engine. Fails with [`Error::Locked`] where another process has the folder.
    pub fn open(_options: &OpenOptions) -> Result<Kv, Error> {
        todo!("kv helper")
    }

    /// A store in memory under the control of `simulation`.
    pub fn simulated(_simulation: &Simulation) -> Kv {
        todo!("kv helper")
    }

    /// The shard's head; sequence 0 and no state where it was never written.
    pub async fn head(&self, _shard: ShardId) -> Result<Head, Error> {
        todo!("kv helper")
    }

    /// Writes all of `batch` and the new head, if the present head's sequence is still `expected`.
    pub async fn commit(
        &self,
        _shard: ShardId,
        _expected: u64,
        _head: Head,
        _batch: Batch,
        _durability: Durability,
    ) -> Result<(), CommitError> {
        todo!("kv helper")
    }

    /// The state of a shard now.
    pub async fn snapshot(&self, _shard: ShardId) -> Result<Snapshot, Error> {
        todo!("kv helper")
    }

    /// Removes a shard with all in it; done in the background, gone for readers at once.
    pub async fn drop_shard(&self, _shard: ShardId) -> Result<(), Error> {
        todo!("kv helper")
    }

    /// Flushes all that was committed with [`Durability::Soon`].
    pub async fn flush(&self) -> Result<(), Error> {
        todo!("kv helper")
    }

    /// Rewrites the files of a shard so that they hold only live entries.
    pub async fn compact(&self, _shard: ShardId) -> Result<(), Error> {
        todo!("kv helper")
    }

    /// Approximate bytes on disk of the entries in a range of a shard.
    pub async fn disk_bytes(&self, _shard: ShardId, _range: &KeyRange) -> Result<u64, Error> {
        todo!("kv helper")
    }

    /// What the engine holds and uses.
    pub fn stats(&self) -> EngineStats {
        todo!("kv helper")
    }

    /// Flushes and closes; whoever still holds the store gets errors.
    pub async fn close(&self) -> Result<(), Error> {
        todo!("kv helper")
    }
}

impl Snapshot {
    /// The shard's head as of the snapshot.
    pub async fn head(&self) -> Result<Head, Error> {
        todo!("kv helper")
    }

    /// The value of a key.
    pub async fn get(&self, _key: &[u8]) -> Result<Option<Bytes>, Error> {
        todo!("kv helper")
    }

    /// The values of many keys, in their order.
    pub async fn get_many(&self, _keys: &[Vec<u8>]) -> Result<Vec<Option<Bytes>>, Error> {
        todo!("kv helper")
    }

    /// The next entries of a range.
    pub async fn page(&self, _range: &KeyRange, _order: Order, _limit: PageLimit) -> Result<Page, Error> {
        todo!("kv helper")
    }
}
