//! The embedded engine on RocksDB.
//!
//! One database holds all shards ([`layout`]). A commit takes its shard's head lock ([`heads`]), is checked and written to
//! log and write buffer without a flush ([`commit`]), and then waits for the next flush of the log, which one thread makes
//! for all that wait ([`flusher`]). The log is checked before the engine opens it ([`log`]). Reads run on the caller's thread
//! ([`snapshot`]). Large values are in their own files ([`large`]).

mod archive;
mod blocking;
mod checkpoint;
mod commit;
mod compactor;
mod database;
mod descriptors;
mod durable;
mod error;
mod flusher;
mod folder;
mod heads;
mod large;
mod latest;
mod layout;
mod log;
mod merges;
mod niceness;
mod options;
mod presence;
mod salvage;
mod snapshot;
mod space;
mod spare;
mod worker;

pub(crate) use archive::{replay, waits_for_replay};
pub(crate) use checkpoint::Checkpoint;
pub(crate) use folder::{begin_filling, end_filling, is_unfinished};
pub(crate) use large::{LARGE_VALUE_BYTES_MIN, PlacedValue};
pub(crate) use snapshot::{Moment, Snapshot};

// `build.rs` gets the folders of the sources that it compiles from these crates.
use {librocksdb_sys as _, lz4_sys as _, zstd_sys as _};

use crate::gate::Gate;
use crate::{
    Archiving, Batch, CommitError, Durability, EngineStats, Error, Head, KeyRange, LogDamage, OpenOptions,
    ShardId,
};
use blocking::blocking;
use commit::Commit;
use database::Database;
use large::LargeValues;
use latest::Latest;
use layout::ShardKeys;
use merges::Resting;
use parking_lot::RwLock;
use presence::Presence;
use rocksdb::Range;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// See [`crate::Kv::cut_log`].
pub(crate) fn cut_log(folder: &Path) -> Result<Option<LogDamage>, Error> {
    let _lock = folder::prepare(folder)?;
    log::repair(folder)
}

/// The engine, open or closed.
#[derive(Debug)]
pub(crate) struct Engine {
    database: RwLock<Option<Arc<Database>>>,
    presence: Arc<Presence>,
    latest: Latest,
}

impl Engine {
    pub(crate) fn open(options: &OpenOptions, gate: &Gate) -> Result<Engine, Error> {
        let database = Database::open(options, gate)?;
        Ok(Engine {
            presence: database.presence.clone(),
            database: RwLock::new(Some(Arc::new(database))),
            latest: Latest::default(),
        })
    }

    pub(crate) fn head(&self, shard: ShardId) -> Result<Head, Error> {
        let database = self.present()?;
        match database.poison.is_set() {
            true => self.moment()?.snapshot(shard).head(),
            false => database.head(shard),
        }
    }

    pub(crate) async fn commit(
        &self,
        shard: ShardId,
        expected: u64,
        head: Head,
        batch: Batch,
        durability: Durability,
    ) -> Result<(), CommitError> {
        let database = self.database()?;
        let commit = Commit {
            shard,
            expected,
            head,
            batch,
        };
        let ticket = match database.try_commit(&commit)? {
            Some(ticket) => ticket,
            None => {
                let database = database.clone();
                blocking(move || database.commit(&commit)).await??
            }
        };
        self.latest.forget();
        match durability {
            Durability::Flushed => Ok(database.flusher.flushed(ticket).await?),
            Durability::Soon => {
                database.flusher.flush_soon(ticket);
                Ok(())
            }
        }
    }

    pub(crate) async fn place(&self, value: &[u8]) -> Result<Option<PlacedValue>, Error> {
        let database = self.database()?;
        if !LargeValues::takes(value) {
            return Ok(None);
        }
        database.space.check()?;
        let place = |room| database.place_ahead(value, room).map(Some);
        database.large.writeback.run(value.len(), place).await?
    }

    pub(crate) fn moment(&self) -> Result<Moment, Error> {
        let database = self.present()?;
        let snapshot = match database.poison.is_set() {
            // Nobody knows whether the last writes are on the disk.
            true => database.durable.snapshot(),
            false => self.latest.snapshot(&database.db),
        };
        Ok(Moment::of(snapshot, database.helpers()))
    }

    pub(crate) async fn durable_moment(&self) -> Result<Moment, Error> {
        let database = self.present()?;
        // If it fails, the state of an earlier flush is used.
        let _ = database.flusher.flush().await;
        // Not a snapshot of now: it may see a write of which the flusher does not know yet.
        Ok(Moment::of(database.durable.snapshot(), database.helpers()))
    }

    pub(crate) async fn drop_shard(&self, shard: ShardId) -> Result<(), Error> {
        let database = self.database()?;
        let (ticket, is_freed) = {
            let database = database.clone();
            blocking(move || database.drop_shard(shard)).await??
        };
        self.latest.forget();
        database.flusher.flushed(ticket).await?;
        if is_freed {
            database.free_dropped(shard);
        }
        Ok(())
    }

    pub(crate) async fn flush(&self) -> Result<(), Error> {
        self.database()?.flusher.flush().await
    }

    /// Writes all to tables and waits for what runs in the background, so that no file changes any more.
    pub(crate) async fn rest(&self, limit: Duration) -> Result<Resting, Error> {
        let database = self.database()?;
        database.flusher.flush().await?;
        blocking(move || database.rest(limit)).await?
    }

    /// Puts what is in write buffers into tables.
    pub(crate) async fn write_out(&self) -> Result<(), Error> {
        let database = self.database()?;
        database.poison.check()?;
        blocking(move || database.write_out()).await?
    }

    /// See [`Database::checkpoint`].
    pub(crate) async fn checkpoint(&self, archiving: Archiving) -> Result<Checkpoint, Error> {
        let database = self.database()?;
        database.flusher.flush().await?;
        blocking(move || database.checkpoint(archiving)).await?
    }

    /// See [`crate::Kv::forget_archived`].
    pub(crate) async fn forget_archived(&self, next: u64) -> Result<(), Error> {
        let database = self.database()?;
        blocking(move || database.archive.remove_before(next)).await?
    }

    /// See [`crate::Kv::limit_archive`].
    pub(crate) fn limit_archive(&self, bytes: u64) {
        if let Ok(database) = self.database() {
            database.archive.limit(bytes);
        }
    }

    /// Resumes background work.
    pub(crate) async fn resume(&self) -> Result<(), Error> {
        let database = self.database()?;
        blocking(move || database.resume()).await?
    }

    pub(crate) async fn compact(&self, shard: ShardId) -> Result<(), Error> {
        let database = self.database()?;
        let (low, high) = ShardKeys::new(shard).all();
        blocking(move || {
            database
                .db
                .compact_range_opt(Some(low), Some(high), &options::compaction());
        })
        .await
    }

    pub(crate) fn disk_bytes(&self, shard: ShardId, range: &KeyRange) -> Result<u64, Error> {
        let (low, high) = ShardKeys::new(shard).range(range);
        if low >= high {
            return Ok(0);
        }
        let database = self.database()?;
        let sizes = database.db.get_approximate_sizes(&[Range::new(&low, &high)]);
        // Only the bytes of all large values of a shard are known, not those of a part.
        let is_whole = (&range.low, &range.high) == (&Bound::Unbounded, &Bound::Unbounded);
        let large = database.large.shards.bytes(shard).filter(|_| is_whole);
        Ok(sizes.iter().sum::<u64>() + large.unwrap_or(0))
    }

    /// See [`crate::Kv::has_large_values`].
    pub(crate) fn has_large_values(&self, shard: ShardId) -> bool {
        let large = |database: Arc<Database>| database.large.shards.bytes(shard);
        self.database().ok().and_then(large).is_some()
    }

    /// See [`crate::Kv::check_room`].
    pub(crate) fn check_room(&self) -> Result<(), Error> {
        self.database()?.space.check()
    }

    /// See [`crate::Kv::check_folder`].
    pub(crate) fn check_folder(&self) -> Result<(), Error> {
        self.present().map(drop)
    }

    /// See [`crate::Kv::is_sound`].
    pub(crate) fn is_sound(&self) -> bool {
        self.presence.is_sound()
    }

    pub(crate) fn keep_free(&self, bytes: u64) {
        if let Ok(database) = self.database() {
            database.space.keep_free(bytes);
        }
    }

    pub(crate) fn commits(&self) -> u64 {
        self.database().map_or(0, |database| database.commits())
    }

    pub(crate) fn stats(&self) -> EngineStats {
        self.database()
            .map(|database| database.stats())
            .unwrap_or_default()
    }

    pub(crate) async fn close(&self) -> Result<(), Error> {
        let Some(database) = self.database.write().take() else {
            return Ok(());
        };
        self.presence.close();
        self.latest.close();
        let flushed = database.flusher.flush().await;
        let emptied = blocking(move || {
            let emptied = database.shut_down();
            drop(database);
            emptied
        })
        .await?;
        flushed.and(emptied)
    }

    /// The database. Fails if its folder is gone.
    fn present(&self) -> Result<Arc<Database>, Error> {
        let database = self.database()?;
        self.presence.check()?;
        Ok(database)
    }

    fn database(&self) -> Result<Arc<Database>, Error> {
        self.database.read().clone().ok_or(Error::Closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;
    use tempfile::TempDir;

    fn opened() -> (TempDir, Engine) {
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions {
            folder: folder.path().to_owned(),
            memory_bytes: 64 << 20,
        };
        let engine = Engine::open(&options, &Gate::default()).unwrap();
        (folder, engine)
    }

    #[tokio::test]
    async fn a_durable_moment_does_not_show_a_write_that_nobody_knows_of_yet() {
        let (_folder, engine) = opened();
        let (shard, key) = (ShardId(7), [0x10]);
        let database = engine.database().unwrap();
        // Another commit that was written, and has no ticket yet.
        let full_key = ShardKeys::new(shard).key(&key);
        database.db.put(full_key, b"not flushed").unwrap();
        let shown = |moment: Moment| moment.snapshot(shard).get(&key).unwrap();
        assert!(shown(engine.moment().unwrap()).is_some());
        assert!(shown(engine.durable_moment().await.unwrap()).is_none());
    }

    /// Writes half a megabyte that no compression makes smaller into a table.
    fn fill_a_table(database: &Database, keys: &ShardKeys) {
        let mut word = 1_u64;
        for number in 0..500_u64 {
            let value: Vec<u8> = std::iter::repeat_with(|| {
                word = word
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (word >> 56) as u8
            })
            .take(1000)
            .collect();
            database
                .db
                .put(keys.key(format!("k{number}").as_bytes()), &value)
                .unwrap();
        }
        database.db.flush().unwrap();
    }

    #[tokio::test]
    async fn a_drop_that_did_not_come_to_its_end_is_freed_by_the_next_one() {
        let (_folder, engine) = opened();
        let shard = ShardId(7);
        let database = engine.database().unwrap();
        let keys = ShardKeys::new(shard);
        fill_a_table(&database, &keys);
        // What is left of a drop whose flush found no room.
        let (low, high) = keys.all();
        let mut batch = rocksdb::WriteBatch::default();
        batch.delete_range(&low, &high);
        database.db.write(batch).unwrap();
        let all = KeyRange {
            low: Bound::Unbounded,
            high: Bound::Unbounded,
        };
        assert!(engine.disk_bytes(shard, &all).unwrap() > 100_000);
        engine.drop_shard(shard).await.unwrap();
        for _ in 0..3_000 {
            if engine.disk_bytes(shard, &all).unwrap() == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{} bytes stay", engine.disk_bytes(shard, &all).unwrap());
    }

    #[tokio::test]
    async fn a_shard_with_a_damaged_table_is_dropped_without_a_merge() {
        let (folder, engine) = opened();
        let shard = ShardId(7);
        let database = engine.database().unwrap();
        let keys = ShardKeys::new(shard);
        fill_a_table(&database, &keys);
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "sst") {
                let table = std::fs::File::options().write(true).open(&path).unwrap();
                table.write_all_at(&[0xAA; 40_000], 200_000).unwrap();
            }
        }
        let (_, is_freed) = database.drop_shard(shard).unwrap();
        assert!(!is_freed);
        assert_eq!(database.db.get(keys.key(b"k1")).unwrap(), None);
    }
}
