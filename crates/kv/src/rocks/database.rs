//! An open database with its threads.

use super::archive::{Archive, all_heads};
use super::checkpoint;
use super::compactor::Compactor;
use super::durable::Durable;
use super::error::{engine_error, is_lock_held};
use super::flusher::Flusher;
use super::folder::{self, FolderLock};
use super::heads::Heads;
use super::large::LargeValues;
use super::log::{self, Reached, Synced};
use super::merges::{Hold, Merges, Resting};
use super::niceness;
use super::options::{self, Memory};
use super::presence::Presence;
use super::snapshot::Helpers;
use super::space::{BALLAST, Space};
use super::spare::Spare;
use crate::gate::Gate;
use crate::poison::Poison;
use crate::{EngineStats, Error, OpenOptions};
use rocksdb::{Cache, DB, WaitForCompactOptions, properties};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The column family that holds everything.
pub(super) const COLUMN_FAMILY: &str = "default";

/// With fewer unmerged tables, the engine flushes without waiting; from twice as many on it holds writers up.
const UNMERGED_TABLES_FEW: u64 = 12;

/// How long merges are waited for, and how often they are checked.
const MERGES_TIME_MAX: Duration = Duration::from_secs(60);
const MERGES_LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Everything that is dropped by [`close`](crate::Kv::close). The threads end before the database closes.
pub(super) struct Database {
    pub(super) flusher: Flusher,
    pub(super) compactor: Arc<Compactor>,
    merges: Arc<Merges>,
    pub(super) large: LargeValues,
    pub(super) spare: Spare,
    pub(super) space: Space,
    pub(super) presence: Arc<Presence>,
    pub(super) heads: Heads,
    pub(super) poison: Poison,
    pub(super) durable: Arc<Durable>,
    pub(super) archive: Arc<Archive>,
    pub(super) commits: AtomicU64,
    gate: Gate,
    pub(super) db: Arc<DB>,
    cache: Cache,
    folder: PathBuf,
    synced: Arc<Synced>,
    _lock: FolderLock,
}

impl Database {
    pub(super) fn open(open: &OpenOptions, gate: &Gate) -> Result<Database, Error> {
        let lock = folder::prepare(&open.folder)?;
        let memory = Memory::divide(open.memory_bytes);
        let hold = Space::make_room_to_open(&open.folder, memory.disk_reserve_bytes());
        log::check(&open.folder)?;
        checkpoint::remove_left(&open.folder).map_err(|error| Error::Engine {
            doing: "removing the checkpoints that a crash left",
            cause: error.to_string(),
        })?;
        let cache = options::cache(memory);
        let db = open_engine(&open.folder, memory, &cache, hold)?;
        niceness::lower_merging();

        let poison = Poison::default();
        let (synced, reached) = note_reached(&open.folder, &db)?;
        let archive = Arc::new(Archive::new(&open.folder));
        archive.resume(|| all_heads(&db));
        let durable = Durable::new(&db, &open.folder, archive.clone(), poison.clone());
        let durable = Arc::new(durable);
        let flusher = start_flusher(&poison, &durable, &synced, reached)?;
        let merges = Arc::new(Merges::new(&db, hold));
        let presence = Arc::new(Presence::new(&open.folder, poison.clone()));
        Ok(Database {
            flusher,
            compactor: Compactor::start(db.clone(), gate.clone())?,
            large: LargeValues::open(&db, &open.folder, &durable, poison.clone(), gate)?,
            spare: Spare::start()?,
            space: Space::new(
                &open.folder,
                memory.disk_reserve_bytes(),
                presence.clone(),
                merges.clone(),
            ),
            presence,
            merges,
            heads: Heads::default(),
            poison,
            durable,
            archive,
            commits: AtomicU64::new(0),
            gate: gate.clone(),
            db,
            cache,
            folder: open.folder.clone(),
            synced,
            _lock: lock,
        })
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(super) fn stats(&self) -> EngineStats {
        // Write buffers, and filters and indexes, are charged to the cache.
        let readers = self.db.property_int_value(properties::ESTIMATE_TABLE_READERS_MEM);
        let (volume_bytes, volume_used_bytes) = volume(&self.folder);
        EngineStats {
            disk_bytes: folder_bytes(&self.folder) + self.large.files.disk_bytes(),
            memory_bytes: self.cache.get_usage() as u64 + readers.ok().flatten().unwrap_or(0),
            flushes: self.flusher.flushes(),
            commits: self.commits(),
            volume_bytes,
            volume_used_bytes,
            disk_reserve_bytes: self.space.reserve_bytes(),
            is_disk_low: self.space.check().is_err(),
        }
    }

    /// The parts that reads need besides the tables.
    pub(super) fn helpers(&self) -> Helpers {
        Helpers {
            large: self.large.files.clone(),
            spare: self.spare.clone(),
            passed: self.compactor.passed(),
        }
    }

    /// The data folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Flushes the write buffers to tables, and waits until the next flush will not have to wait for merges: if one follows while
    /// all writes are held back, they would wait for the merges too.
    pub(super) fn write_out(&self) -> Result<(), Error> {
        let doing = engine_error("writing tables");
        self.db.flush().map_err(&doing)?;
        let until = Instant::now() + MERGES_TIME_MAX;
        while Instant::now() < until {
            if self.merges.unmerged_tables().map_err(&doing)? < UNMERGED_TABLES_FEW {
                break;
            }
            std::thread::sleep(MERGES_LOOK_INTERVAL);
        }
        Ok(())
    }

    /// Flushes the write buffers to tables, and waits until no compaction runs. None begins before what is returned is dropped, or, if it
    /// is kept, before [`Database::resume`].
    pub(super) fn rest(&self, limit: Duration) -> Result<Resting, Error> {
        let failed = engine_error("bringing the files to rest");
        let resting = self.merges.rest()?;
        self.db.flush().map_err(&failed)?;
        let mut wait = WaitForCompactOptions::default();
        wait.set_timeout(u64::try_from(limit.as_micros()).unwrap_or(u64::MAX));
        self.db.wait_for_compact(&wait).map_err(&failed)?;
        Ok(resting)
    }

    pub(super) fn resume(&self) -> Result<(), Error> {
        self.merges.go_on(Hold::Rest)
    }

    /// Puts the write buffers into tables, so that the next start has no log to read, and ends what runs in
    /// the background.
    pub(super) fn shut_down(&self) -> Result<(), Error> {
        let sequence = self.db.latest_sequence_number();
        let emptied = self
            .db
            .flush()
            .map_err(engine_error("emptying the write buffers"));
        if emptied.is_ok() {
            let noted = self.synced.finish(Reached {
                manifest: log::manifest_number(&self.folder),
                in_tables: sequence,
                on_disk: sequence,
            });
            if let Err(error) = noted {
                tracing::warn!(%error, "how far the log was flushed could not be noted");
            }
        }
        // A compaction under way would otherwise keep the database open until it ends.
        self.db.cancel_all_background_work(false);
        emptied
    }
}

/// Opens the engine's database. With a `hold` it merges nothing until the hold ends.
fn open_engine(folder: &Path, memory: Memory, cache: &Cache, hold: Option<Hold>) -> Result<Arc<DB>, Error> {
    let mut settings = options::database(memory, cache).map_err(engine_error("reading the settings"))?;
    Merges::prepare(&mut settings, hold);
    let db = DB::open_cf_with_opts(&settings, folder, [(COLUMN_FAMILY, settings.clone())]);
    db.map(Arc::new).map_err(|error| {
        if is_lock_held(&error) {
            Error::Locked {
                folder: folder.display().to_string(),
            }
        } else {
            engine_error("opening the data folder")(error)
        }
    })
}

/// Notes how far the log is flushed in a store that was just opened.
fn note_reached(folder: &Path, db: &DB) -> Result<(Arc<Synced>, Reached), Error> {
    // The engine has put what was in the log into tables.
    let sequence = db.latest_sequence_number();
    let reached = Reached {
        manifest: log::manifest_number(folder),
        in_tables: sequence,
        on_disk: sequence,
    };
    let synced = Synced::start(folder, reached).map_err(|error| Error::Engine {
        doing: "noting how far the log is flushed",
        cause: error.to_string(),
    })?;
    Ok((Arc::new(synced), reached))
}

/// Starts the thread that flushes the log, and notes how far it is flushed.
fn start_flusher(
    poison: &Poison,
    durable: &Arc<Durable>,
    synced: &Arc<Synced>,
    reached: Reached,
) -> Result<Flusher, Error> {
    let (durable, synced) = (durable.clone(), synced.clone());
    Flusher::start(poison.clone(), move || {
        let on_disk = durable.flush_log()?;
        synced.note(Reached { on_disk, ..reached });
        Ok(())
    })
}

impl Drop for Database {
    fn drop(&mut self) {
        // Threads that wait at it would never end.
        self.gate.open();
        // Ends a compaction that may still run; the compactor's thread is joined after this.
        self.db.cancel_all_background_work(false);
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Database")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Bytes of the files in a folder, without the ballast. A file that vanishes meanwhile counts as 0.
fn folder_bytes(folder: &Path) -> u64 {
    let Ok(files) = std::fs::read_dir(folder) else {
        return 0;
    };
    files
        .flatten()
        .filter(|file| file.file_name() != BALLAST)
        .filter_map(|file| file.metadata().ok())
        .map(|file| file.len())
        .sum()
}

/// Bytes of a folder's file system, and those in use. As in the check for room, everything that cannot be written counts as in use,
/// including what only the superuser may fill.
fn volume(folder: &Path) -> (u64, u64) {
    match rustix::fs::statvfs(folder) {
        Ok(volume) => {
            let used = volume.f_blocks.saturating_sub(volume.f_bavail);
            (volume.f_blocks * volume.f_frsize, used * volume.f_frsize)
        }
        Err(_) => (0, 0),
    }
}
