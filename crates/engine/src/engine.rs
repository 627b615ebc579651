//! Opening and closing; what all operations share.

use crate::cursors::Cursors;
use crate::files::{FileCache, LiveUploads, Orphans};
use crate::latencies::Latencies;
use crate::moments::Moments;
use crate::operations::Operations;
use crate::sessions::Sessions;
use crate::users::Users;
use crate::validators::Validators;
use crate::{Error, Result, background};
use kv::Kv;
use query::Code;
use query::spill::SpillFolder;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use store::{Namespace, Store, StoreOptions};

/// Hot files have one part in so many of the memory budget.
const FILE_CACHE_SHARE: usize = 8;

/// The memory for hot files of an engine that is given no budget.
const FILE_CACHE_BYTES_IN_TESTS: usize = 16 << 20;

/// The folder of temporary files below the data folder.
const SPILL_FOLDER: &str = "_tmp";

/// How an engine is opened.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The data folder, made where it does not exist.
    pub folder: PathBuf,
    /// The memory budget in bytes: caches, write buffers and cursors share it.
    pub memory_bytes: usize,
}

/// The documents of one data folder and all that can be done with them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    kv: Kv,
    /// Temporary files; none where the store has no folder.
    spill: Option<Arc<SpillFolder>>,
    cursors: Cursors,
    moments: Moments,
    sessions: Sessions,
    operations: Arc<Operations>,
    users: Users,
    validators: Validators,
    file_cache: FileCache,
    live_uploads: Arc<LiveUploads>,
    orphans: Orphans,
    started: Instant,
}

impl Engine {
    /// Opens the data folder and starts the background work (expiry of documents, cursors and sessions).
    pub async fn open(options: &EngineOptions) -> Result<Engine> {
        let folder = options.folder.clone();
        let file_cache_bytes = options.memory_bytes / FILE_CACHE_SHARE;
        let kv = Kv::open(&kv::OpenOptions {
            folder,
            memory_bytes: options.memory_bytes - file_cache_bytes,
        })?;
        // The data folder is locked by now, so that nobody else uses what is removed.
        let spill = SpillFolder::open(options.folder.join(SPILL_FOLDER)).map_err(|error| {
            let message = format!("the folder for temporary files cannot be emptied: {error}");
            Error::new(Code(39), message)
        })?;
        Engine::with_caches(kv, file_cache_bytes, Some(spill)).await
    }

    /// An engine on a store that is open already; tests use it with a simulated one.
    pub async fn on(kv: Kv) -> Result<Engine> {
        Engine::with_caches(kv, FILE_CACHE_BYTES_IN_TESTS, None).await
    }

    async fn with_caches(kv: Kv, file_cache_bytes: usize, spill: Option<Arc<SpillFolder>>) -> Result<Engine> {
        let options = StoreOptions {
            filter_compiler: query::filter::compile_partial,
            ..StoreOptions::default()
        };
        let store = Store::open(kv.clone(), options).await?;
        let users = Users::load(&store).await?;
        let orphans = Orphans::new(&store);
        let engine = Engine {
            inner: Arc::new(Inner {
                store,
                kv,
                spill,
                cursors: Cursors::default(),
                moments: Moments::default(),
                sessions: Sessions::default(),
                operations: Arc::default(),
                users,
                validators: Validators::default(),
                file_cache: FileCache::new(file_cache_bytes),
                live_uploads: Arc::default(),
                orphans,
                started: Instant::now(),
            }),
        };
        engine.drop_unfinished_replacements().await?;
        background::start(&engine);
        Ok(engine)
    }

    /// Closes cursors, flushes and closes the store. Operations that come later fail.
    pub async fn close(&self) -> Result<()> {
        self.inner.cursors.close_all();
        self.inner.moments.clear();
        self.inner.store.close().await?;
        Ok(())
    }

    /// Flushes everything that was acknowledged before its flush.
    pub async fn flush(&self) -> Result<()> {
        Ok(self.inner.kv.flush().await?)
    }

    /// Milliseconds since 1970 by the store's clock.
    pub fn now_ms(&self) -> u64 {
        self.inner.store.now_ms()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn kv(&self) -> &Kv {
        &self.inner.kv
    }

    /// Where an operation goes on that memory does not take, if it may.
    pub(crate) fn spill(&self, allowed: bool) -> Option<Arc<SpillFolder>> {
        self.inner.spill.clone().filter(|_| allowed)
    }

    pub(crate) fn cursors(&self) -> &Cursors {
        &self.inner.cursors
    }

    pub(crate) fn moments(&self) -> &Moments {
        &self.inner.moments
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.inner.sessions
    }

    pub(crate) fn operations(&self) -> &Arc<Operations> {
        &self.inner.operations
    }

    pub(crate) fn latencies(&self) -> &Latencies {
        &self.inner.operations.latencies
    }

    pub(crate) fn users(&self) -> &Users {
        &self.inner.users
    }

    pub(crate) fn validators(&self) -> &Validators {
        &self.inner.validators
    }

    pub(crate) fn file_cache(&self) -> &FileCache {
        &self.inner.file_cache
    }

    pub(crate) fn live_uploads(&self) -> &Arc<LiveUploads> {
        &self.inner.live_uploads
    }

    pub(crate) fn orphans(&self) -> &Orphans {
        &self.inner.orphans
    }

    pub(crate) fn started(&self) -> Instant {
        self.inner.started
    }

    /// A reference that does not keep the engine open.
    pub(crate) fn downgrade(&self) -> WeakEngine {
        WeakEngine(Arc::downgrade(&self.inner))
    }

    /// The collection, or MongoDB's error that there is none.
    pub(crate) fn existing(&self, namespace: &Namespace) -> Result<Arc<store::Collection>> {
        self.store()
            .collection(namespace)
            .ok_or_else(|| Error::new(Code(26), format!("ns does not exist: {namespace}")))
    }
}

/// An engine that may have been closed; background work holds no more than this.
#[derive(Clone, Debug)]
pub(crate) struct WeakEngine(std::sync::Weak<Inner>);

impl WeakEngine {
    pub(crate) fn upgrade(&self) -> Option<Engine> {
        self.0.upgrade().map(|inner| Engine { inner })
    }
}
