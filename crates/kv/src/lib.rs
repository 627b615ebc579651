//! An ordered key-value store of shards.
//!
//! A **shard** is one ordered keyspace with a **head**: the number of its last change, and a small record that
//! the caller keeps with it. [`Kv::commit`] is the only way to write: puts and deletes of one shard,
//! atomically, against an expected head. Reads are pages on a [`Snapshot`]. Both may be awaited; a local
//! engine is ready at once, so that awaiting it costs nothing.
//!
//! The only crate that names an engine: RocksDB ([`Kv::open`]) and a simulated one in memory that crashes and
//! fails on demand ([`Kv::simulated`]).
//!
//! What must hold: after a failed flush nothing more is written ([`Error::Poisoned`]); a commit with
//! [`Durability::Flushed`] that was acknowledged survives a crash; a commit survives whole or not at all, and
//! never without those before it.
//!
//! Left to others: what keys and values mean (`store`).

mod aside;
mod batch;
mod checkpoint;
mod damage;
mod error;
mod gate;
mod page;
mod placed;
mod poison;
mod rocks;
mod simulated;
mod threads;
mod types;

pub use aside::Aside;
pub use batch::Batch;
pub use checkpoint::Checkpoint;
pub use damage::LogDamage;
pub use error::{CommitError, Error};
pub use page::{KeyRange, Order, Page, PageLimit, Salvage, Unreadable, after_prefix};
pub use placed::Placed;
pub use simulated::Simulation;
pub use threads::make_room;
pub use types::{
    ArchivePosition, Archiving, CheckpointFile, Durability, EngineStats, FIRST_KEY_BYTE, FLUSH_INTERVAL_MS,
    Head, OpenOptions, Replayed, ShardId,
};

use bytes::Bytes;
use gate::Gate;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The store; cheap to clone.
#[derive(Clone, Debug)]
pub struct Kv {
    engine: Engine,
    gate: Gate,
}

#[derive(Clone, Debug)]
enum Engine {
    Rocks(Arc<rocks::Engine>),
    Simulated(Arc<simulated::Engine>),
}

/// The state of all shards at one moment, for reads of several that must agree. As long as it is held, no old version of
/// anything is compacted away.
#[derive(Clone, Debug)]
pub struct Moment {
    engine: EngineMoment,
}

#[derive(Clone, Debug)]
enum EngineMoment {
    Rocks(rocks::Moment),
    Simulated(simulated::Moment),
}

/// The state of one shard at one moment. It costs little, but as long as it is held, no old version is compacted
/// away.
#[derive(Clone, Debug)]
pub struct Snapshot {
    engine: EngineSnapshot,
}

#[derive(Clone, Debug)]
enum EngineSnapshot {
    Rocks(rocks::Snapshot),
    Simulated(simulated::Snapshot),
}

impl Kv {
    /// Opens the embedded engine. Fails with [`Error::Locked`] if another process has the folder open.
    pub fn open(options: &OpenOptions) -> Result<Kv, Error> {
        if rocks::waits_for_replay(&options.folder) || rocks::is_unfinished(&options.folder) {
            return Err(Error::HalfRestored {
                folder: options.folder.display().to_string(),
            });
        }
        Kv::open_as_it_is(options)
    }

    /// Opens a new folder to fill it. It cannot be opened in any other way before [`Kv::end_filling`]: a folder that a crash left half
    /// filled would look like a complete store.
    pub fn open_to_fill(options: &OpenOptions) -> Result<Kv, Error> {
        rocks::begin_filling(&options.folder)?;
        Kv::open_as_it_is(options)
    }

    /// Marks a folder that was filled and closed as complete, so that it can be opened.
    pub fn end_filling(folder: &Path) -> Result<(), Error> {
        rocks::end_filling(folder)
    }

    fn open_as_it_is(options: &OpenOptions) -> Result<Kv, Error> {
        let gate = Gate::default();
        let engine = rocks::Engine::open(options, &gate)?;
        Ok(Kv {
            engine: Engine::Rocks(Arc::new(engine)),
            gate,
        })
    }

    /// Cuts off the log of a folder where it is damaged, so that the folder opens without what is after that place, which is
    /// kept in the folder `cut-off`. `None`, and nothing is done, if nothing that was acknowledged is missing.
    pub fn cut_log(folder: &Path) -> Result<Option<LogDamage>, Error> {
        rocks::cut_log(folder)
    }

    /// A store in memory under the control of `simulation`, with the data that survived there. A store that is still
    /// open under the same simulation crashes first.
    pub fn simulated(simulation: &Simulation) -> Kv {
        Kv {
            engine: Engine::Simulated(Arc::new(simulated::Engine::open(simulation))),
            gate: Gate::default(),
        }
    }

    /// The shard's head; sequence 0 and no state if it was never written.
    pub async fn head(&self, shard: ShardId) -> Result<Head, Error> {
        match &self.engine {
            Engine::Rocks(engine) => engine.head(shard),
            Engine::Simulated(engine) => engine.head(shard),
        }
    }

    /// Writes all of `batch` and the new head, if the present head's sequence is still `expected`.
    ///
    /// Readers see it as soon as it is written, before it is flushed. So a committer that must not wait for
    /// the disk can commit with [`Durability::Soon`], begin the next commit, and answer its clients after
    /// [`Kv::flush`]: all callers that wait there share one flush of the device.
    ///
    /// # Panics
    /// If a key begins below [`FIRST_KEY_BYTE`].
    pub async fn commit(
        &self,
        shard: ShardId,
        expected: u64,
        head: Head,
        batch: Batch,
        durability: Durability,
    ) -> Result<(), CommitError> {
        batch.check_keys();
        let _pass = self.gate.pass().await;
        match &self.engine {
            Engine::Rocks(engine) => engine.commit(shard, expected, head, batch, durability).await,
            Engine::Simulated(engine) => engine.commit(shard, expected, head, batch, durability),
        }
    }

    /// Writes a large value before the commit that will name it, so that some values are on their way to the disk while
    /// others still arrive. The commit waits until they are there. Returns once there is room for more, so that a
    /// slow disk slows its writers down. `None` if the value is so small that it should be in the batch itself.
    pub async fn place(&self, value: &[u8]) -> Result<Option<Placed>, Error> {
        let _pass = self.gate.pass().await;
        match &self.engine {
            Engine::Rocks(engine) => Ok(engine.place(value).await?.map(Placed::rocks)),
            Engine::Simulated(engine) => Ok(engine.place(value)?.map(Placed::simulated)),
        }
    }

    /// The state of a shard now.
    pub async fn snapshot(&self, shard: ShardId) -> Result<Snapshot, Error> {
        let engine = match &self.engine {
            Engine::Rocks(engine) => EngineSnapshot::Rocks(engine.moment()?.snapshot(shard)),
            Engine::Simulated(engine) => EngineSnapshot::Simulated(engine.snapshot(shard)?),
        };
        Ok(Snapshot { engine })
    }

    /// The state of all shards now.
    pub async fn moment(&self) -> Result<Moment, Error> {
        let engine = match &self.engine {
            Engine::Rocks(engine) => EngineMoment::Rocks(engine.moment()?),
            Engine::Simulated(engine) => EngineMoment::Simulated(engine.moment()?),
        };
        Ok(Moment { engine })
    }

    /// The state of all shards now, or a little earlier, that no crash can take back: for callers that hand out positions from
    /// which readers will continue later. Waits for a flush if something is not flushed yet. If that fails, it is the
    /// state of the last successful flush.
    pub async fn durable_moment(&self) -> Result<Moment, Error> {
        let engine = match &self.engine {
            Engine::Rocks(engine) => EngineMoment::Rocks(engine.durable_moment().await?),
            Engine::Simulated(engine) => EngineMoment::Simulated(engine.durable_moment()?),
        };
        Ok(Moment { engine })
    }

    /// Removes a shard with everything in it. Returns after a flush; its space is freed in the background.
    /// Snapshots taken before still see it.
    pub async fn drop_shard(&self, shard: ShardId) -> Result<(), Error> {
        let _pass = self.gate.pass().await;
        match &self.engine {
            Engine::Rocks(engine) => engine.drop_shard(shard).await,
            Engine::Simulated(engine) => engine.drop_shard(shard),
        }
    }

    /// Flushes everything that was committed with [`Durability::Soon`].
    pub async fn flush(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Rocks(engine) => engine.flush().await,
            Engine::Simulated(engine) => engine.flush(),
        }
    }

    /// Makes all writes wait until [`Kv::release_files`], and keeps the files from changing, so that a copy of the folder is
    /// a valid store. Reads continue. Returns false if the changes under way take longer than the limit.
    pub async fn hold_files(&self, limit: Duration) -> Result<bool, Error> {
        let Some(opener) = self.gate.shut_to_all(limit).await else {
            return Ok(false);
        };
        match &self.engine {
            Engine::Rocks(engine) => engine.rest(limit).await?.keep(),
            Engine::Simulated(engine) => engine.flush()?,
        }
        opener.keep_shut();
        Ok(true)
    }

    /// Ends what [`Kv::hold_files`] began.
    pub async fn release_files(&self) -> Result<(), Error> {
        let resumed = self.resume().await;
        self.gate.open();
        resumed
    }

    /// Makes the engine resume what it did not do while the files were held.
    async fn resume(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Rocks(engine) => engine.resume().await,
            Engine::Simulated(engine) => engine.check_open(),
        }
    }

    /// Whether a shard may have values so large that they lie in files of their own.
    pub fn has_large_values(&self, shard: ShardId) -> bool {
        match &self.engine {
            Engine::Rocks(engine) => engine.has_large_values(shard),
            Engine::Simulated(_) => true,
        }
    }

    /// Rewrites the files of a shard so that they hold only live entries.
    pub async fn compact(&self, shard: ShardId) -> Result<(), Error> {
        let _pass = self.gate.pass_to_merge().await;
        match &self.engine {
            Engine::Rocks(engine) => engine.compact(shard).await,
            Engine::Simulated(engine) => engine.check_open(),
        }
    }

    /// Approximate bytes that the entries in a range of a shard take in the engine's files, without those that are only in write
    /// buffers and in the log.
    pub async fn disk_bytes(&self, shard: ShardId, range: &KeyRange) -> Result<u64, Error> {
        match &self.engine {
            Engine::Rocks(engine) => engine.disk_bytes(shard, range),
            Engine::Simulated(engine) => engine.disk_bytes(shard, range),
        }
    }

    /// Fails with [`Error::DiskLow`] if so little is free on the disk that nothing may be added: the rest is for deletes,
    /// drops, merges and the log. To be called before a commit that adds something.
    pub fn check_room(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Rocks(engine) => engine.check_room(),
            Engine::Simulated(engine) => engine.check_room(),
        }
    }

    /// Fails with [`Error::FolderGone`] if the data folder is gone. To be called before answering from memory.
    pub fn check_folder(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Rocks(engine) => engine.check_folder(),
            Engine::Simulated(_) => Ok(()),
        }
    }

    /// Whether the last commits may be answered from memory: the store is open, its folder exists, and no flush has
    /// failed.
    pub fn is_sound(&self) -> bool {
        match &self.engine {
            Engine::Rocks(engine) => engine.is_sound(),
            Engine::Simulated(engine) => engine.is_sound(),
        }
    }

    /// Keeps this many bytes free on the disk, instead of a number that depends on the memory budget.
    pub fn keep_free(&self, bytes: u64) {
        match &self.engine {
            Engine::Rocks(engine) => engine.keep_free(bytes),
            Engine::Simulated(_) => {}
        }
    }

    /// The number of commits since the store was opened.
    pub fn commits(&self) -> u64 {
        match &self.engine {
            Engine::Rocks(engine) => engine.commits(),
            Engine::Simulated(engine) => engine.stats().commits,
        }
    }

    /// Counts and sizes of the engine.
    pub fn stats(&self) -> EngineStats {
        match &self.engine {
            Engine::Rocks(engine) => engine.stats(),
            Engine::Simulated(engine) => engine.stats(),
        }
    }

    /// Flushes and closes; later calls return [`Error::Closed`]. The folder is free once the
    /// last snapshot is gone.
    pub async fn close(&self) -> Result<(), Error> {
        self.gate.open();
        match &self.engine {
            Engine::Rocks(engine) => engine.close().await,
            Engine::Simulated(engine) => engine.close(),
        }
    }
}

impl Moment {
    /// The state of a shard at this moment.
    pub async fn snapshot(&self, shard: ShardId) -> Result<Snapshot, Error> {
        let engine = match &self.engine {
            EngineMoment::Rocks(moment) => EngineSnapshot::Rocks(moment.snapshot(shard)),
            EngineMoment::Simulated(moment) => EngineSnapshot::Simulated(moment.snapshot(shard)),
        };
        Ok(Snapshot { engine })
    }
}

impl Snapshot {
    /// A number that two snapshots of one store share only if they see the same state; `None` if the engine has no such number.
    pub fn version(&self) -> Option<u64> {
        match &self.engine {
            EngineSnapshot::Rocks(snapshot) => Some(snapshot.version()),
            EngineSnapshot::Simulated(_) => None,
        }
    }

    /// The shard's head as of the snapshot.
    pub async fn head(&self) -> Result<Head, Error> {
        match &self.engine {
            EngineSnapshot::Rocks(snapshot) => snapshot.head(),
            EngineSnapshot::Simulated(snapshot) => snapshot.head(),
        }
    }

    /// The value of a key.
    pub async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        match &self.engine {
            EngineSnapshot::Rocks(snapshot) => snapshot.get(key),
            EngineSnapshot::Simulated(snapshot) => snapshot.get(key),
        }
    }

    /// The values of several keys, in their order.
    pub async fn get_many(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Bytes>>, Error> {
        self.get_many_within(keys, usize::MAX).await
    }

    /// The values of the first of these keys, until their bytes reach a limit; at least one value, if there are keys.
    pub async fn get_many_within(&self, keys: &[Vec<u8>], bytes: usize) -> Result<Vec<Option<Bytes>>, Error> {
        match &self.engine {
            EngineSnapshot::Rocks(snapshot) => snapshot.get_many_within(keys, bytes),
            EngineSnapshot::Simulated(snapshot) => snapshot.get_many_within(keys, bytes),
        }
    }

    /// The next entries of a range.
    pub async fn page(&self, range: &KeyRange, order: Order, limit: PageLimit) -> Result<Page, Error> {
        match &self.engine {
            EngineSnapshot::Rocks(snapshot) => snapshot.page(range, order, limit),
            EngineSnapshot::Simulated(snapshot) => snapshot.page(range, order, limit),
        }
    }

    /// Begins to run work on a thread that has nothing to do, so that it goes on while the caller does something else. `None` if there
    /// is no such thread: then the work is left to the caller.
    pub fn aside<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<Aside<T>> {
        match &self.engine {
            EngineSnapshot::Rocks(snapshot) => snapshot.aside(work),
            // Runs must be the same each time.
            EngineSnapshot::Simulated(_) => None,
        }
    }

    /// The next entries of a range; those that cannot be read are skipped and reported. Since it is meant for reading
    /// everything, it does not fill the cache.
    pub async fn salvage(&self, range: &KeyRange, limit: PageLimit) -> Result<Salvage, Error> {
        match &self.engine {
            EngineSnapshot::Rocks(snapshot) => snapshot.salvage(range, limit),
            EngineSnapshot::Simulated(snapshot) => {
                let page = snapshot.page(range, Order::Forward, limit)?;
                let last = page.len().checked_sub(1).filter(|_| !page.exhausted());
                let next = last.map(|last| [page.key(last), &[0]].concat());
                Ok(Salvage {
                    page,
                    unreadable: Vec::new(),
                    next,
                })
            }
        }
    }
}
