//! Opening an engine: the store, what is kept in memory, and the background work.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::files::FileCache;
use crate::running::background;
use crate::tables::roles::RoleTable;
use crate::tables::users::Users;
use code::Code;
use kv::Kv;
use language::interruption::{self, Interruption};
use memory::Budget;
use query::spill::SpillFolder;
use std::path::PathBuf;
use std::sync::Arc;
use store::{Store, StoreOptions};

/// The memory budget divided by this is for hot files.
const FILE_CACHE_SHARE: usize = 8;

/// The memory budget divided by this is for records that were read lately.
const RECORD_CACHE_SHARE: usize = 8;

/// The memory budget divided by this is for pages that scans of small collections have read.
const SCAN_CACHE_SHARE: usize = 16;

/// The memory budget divided by this is for index entries that were read lately.
const ENTRY_CACHE_SHARE: usize = 32;

/// The memory for hot files of an engine without a budget.
const FILE_CACHE_BYTES_IN_TESTS: usize = 16 << 20;

/// There may be one collection for each of this many bytes of the budget. A collection takes about 6 kB besides, even if it is not used.
const COLLECTION_BYTES: usize = 4 << 10;

/// The folder of temporary files below the data folder.
const SPILL_FOLDER: &str = "_tmp";

/// How an engine is opened.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The data folder, created if it does not exist.
    pub folder: PathBuf,
    /// The memory budget in bytes, which caches and write buffers share. Clients' requests may take as much again.
    pub memory_bytes: usize,
}

impl Engine {
    /// Opens the data folder and starts the background work (expiry of documents, cursors and sessions).
    pub async fn open(options: &EngineOptions) -> Result<Engine> {
        let folder = options.folder.clone();
        let file_cache_bytes = options.memory_bytes / FILE_CACHE_SHARE;
        let record_cache_bytes = options.memory_bytes / RECORD_CACHE_SHARE;
        let scan_cache_bytes = options.memory_bytes / SCAN_CACHE_SHARE;
        let entry_cache_bytes = options.memory_bytes / ENTRY_CACHE_SHARE;
        let cached_bytes = file_cache_bytes + record_cache_bytes + scan_cache_bytes + entry_cache_bytes;
        let kv = Kv::open(&kv::OpenOptions {
            folder,
            memory_bytes: options.memory_bytes - cached_bytes,
        })?;
        // The data folder is locked by now, so that nobody else uses what is removed.
        let spill = SpillFolder::open(options.folder.join(SPILL_FOLDER)).map_err(|error| {
            let message = format!("the folder for temporary files cannot be emptied: {error}");
            Error::new(Code::location(39), message)
        })?;
        let disk = kv.clone();
        spill.ask(move || disk.check_room().map_err(|low| low.to_string()));
        let memory = Budget::new(options.memory_bytes);
        let store = StoreOptions {
            record_cache_bytes,
            scan_cache_bytes,
            entry_cache_bytes,
            collections_max: options.memory_bytes / COLLECTION_BYTES,
            ..store_options()
        };
        Engine::with_caches(kv, store, file_cache_bytes, Some(spill), memory).await
    }

    /// An engine on a store that is open already; tests use it with a simulated one.
    pub async fn on(kv: Kv) -> Result<Engine> {
        Engine::on_within(kv, Budget::default()).await
    }

    /// As [`Engine::on`], with a budget for clients' requests.
    pub async fn on_within(kv: Kv, memory: Budget) -> Result<Engine> {
        let file_cache_bytes = FILE_CACHE_BYTES_IN_TESTS;
        Engine::with_caches(kv, store_options(), file_cache_bytes, None, memory).await
    }

    async fn with_caches(
        kv: Kv,
        options: StoreOptions,
        file_cache_bytes: usize,
        spill: Option<Arc<SpillFolder>>,
        memory: Budget,
    ) -> Result<Engine> {
        let file_cache = Arc::new(FileCache::new(file_cache_bytes));
        let idle = file_cache.clone();
        let options = StoreOptions {
            idle_cache_bytes: Arc::new(move || idle.idle_bytes()),
            ..options
        };
        let store = Store::open(kv.clone(), options).await?;
        let (users, roles) = (Users::load(&store).await?, RoleTable::load(&store).await?);
        let engine = Engine::new(store, kv, users, roles, file_cache, spill, memory);
        engine.drop_unfinished_replacements().await?;
        background::start(&engine);
        Ok(engine)
    }
}

fn store_options() -> StoreOptions {
    StoreOptions {
        // A commit for several callers must not end because the time limit of one is up.
        run_apart: |work| interruption::within(&Interruption::default(), work),
        ..StoreOptions::new(crate::catalog::partial_filter::compile)
    }
}
