//! The engine: the store and the tables that all operations share.

use crate::catalog::collations;
use crate::error::{Error, Result};
use crate::files::{FileCache, LiveUploads, Orphans};
use crate::running::background::Sweeps;
use crate::running::scrub::Scrub;
use crate::running::write_lock::WriteLocks;
use crate::searching::SearchIndexes;
use crate::tables::attempts::Attempts;
use crate::tables::cursors::Cursors;
use crate::tables::latencies::Latencies;
use crate::tables::moments::Moments;
use crate::tables::operations::Operations;
use crate::tables::profiler::Profiler;
use crate::tables::roles::RoleTable;
use crate::tables::sessions::Sessions;
use crate::tables::users::Users;
use crate::tables::validators::Validators;
use code::Code;
use kv::Kv;
use memory::Budget;
use parking_lot::Mutex;
use query::spill::SpillFolder;
use std::sync::Arc;
use std::time::Instant;
use store::{Namespace, Store};
use value::Document;
use value::collation::Collation;

/// The documents of one data folder and all that can be done with them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    kv: Kv,
    /// Temporary files; `None` if the store has no folder.
    spill: Option<Arc<SpillFolder>>,
    memory: Budget,
    cursors: Cursors,
    moments: Moments,
    sessions: Sessions,
    operations: Arc<Operations>,
    profiler: Profiler,
    users: Users,
    roles: RoleTable,
    sweeps: Arc<Sweeps>,
    attempts: Attempts,
    validators: Validators,
    file_cache: Arc<FileCache>,
    live_uploads: Arc<LiveUploads>,
    orphans: Orphans,
    write_locks: WriteLocks,
    scrub: Scrub,
    /// The full-text indexes that clients define. They hold collections, which hold the engine; so closing drops this.
    search_indexes: Mutex<Option<Arc<dyn SearchIndexes>>>,
    started: Instant,
}

impl Engine {
    /// An engine on a store that is open, whose users and roles were read.
    pub(crate) fn new(
        store: Store,
        kv: Kv,
        users: Users,
        roles: RoleTable,
        file_cache: Arc<FileCache>,
        spill: Option<Arc<SpillFolder>>,
        memory: Budget,
    ) -> Engine {
        let inner = Inner {
            orphans: Orphans::new(&store),
            store,
            kv,
            spill,
            cursors: Cursors::default(),
            moments: Moments::default(),
            sessions: Sessions::within(&memory),
            memory,
            operations: Arc::default(),
            profiler: Profiler::default(),
            users,
            roles,
            sweeps: Arc::default(),
            attempts: Attempts::default(),
            validators: Validators::default(),
            file_cache,
            live_uploads: Arc::default(),
            write_locks: WriteLocks::default(),
            scrub: Scrub::default(),
            search_indexes: Mutex::default(),
            started: Instant::now(),
        };
        Engine {
            inner: Arc::new(inner),
        }
    }

    /// Closes cursors, flushes and closes the store. Operations that come later fail.
    pub async fn close(&self) -> Result<()> {
        self.release_writes().await?;
        *self.inner.search_indexes.lock() = None;
        self.inner.cursors.close_all();
        self.inner.moments.clear();
        self.inner.store.close().await?;
        Ok(())
    }

    /// Flushes everything that was acknowledged before its flush.
    pub async fn flush(&self) -> Result<()> {
        Ok(self.inner.kv.flush().await?)
    }

    /// Keeps this many bytes free on the disk, for deletes.
    pub fn keep_disk_free(&self, bytes: u64) {
        self.inner.kv.keep_free(bytes);
    }

    /// Lets temporary files take at most this many bytes together.
    pub fn limit_temporary_files(&self, bytes_max: u64) {
        if let Some(spill) = &self.inner.spill {
            spill.limit(bytes_max);
        }
    }

    /// Fails while the disk is so full that nothing can be added.
    pub fn check_disk(&self) -> Result<()> {
        Ok(self.inner.kv.check_room()?)
    }

    /// Fails if the data folder is gone: nothing may be answered from memory then.
    pub(crate) fn check_folder(&self) -> Result<()> {
        Ok(self.inner.kv.check_folder()?)
    }

    /// The memory budget for clients' requests.
    pub fn memory(&self) -> &Budget {
        &self.inner.memory
    }

    /// Milliseconds since 1970 by the store's clock.
    pub fn now_ms(&self) -> u64 {
        self.inner.store.now_ms()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The requested collation, or else that of the collection or view; `None` for the order of bytes.
    pub(crate) fn collation(
        &self,
        namespace: &Namespace,
        asked: Option<&Document>,
    ) -> Result<Option<Collation>> {
        collations::asked_or_default(self.store(), namespace, asked)
    }

    pub(crate) fn kv(&self) -> &Kv {
        &self.inner.kv
    }

    pub(crate) fn scrub(&self) -> &Scrub {
        &self.inner.scrub
    }

    pub(crate) fn search_indexes_slot(&self) -> &Mutex<Option<Arc<dyn SearchIndexes>>> {
        &self.inner.search_indexes
    }

    pub(crate) fn write_locks(&self) -> &WriteLocks {
        &self.inner.write_locks
    }

    /// The folder for temporary files; `None` if there is none.
    pub(crate) fn spill(&self) -> Option<Arc<SpillFolder>> {
        self.inner.spill.clone()
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

    pub(crate) fn profiler(&self) -> &Profiler {
        &self.inner.profiler
    }

    pub(crate) fn latencies(&self) -> &Latencies {
        &self.inner.operations.latencies
    }

    pub(crate) fn users(&self) -> &Users {
        &self.inner.users
    }

    pub(crate) fn sweeps(&self) -> &Arc<Sweeps> {
        &self.inner.sweeps
    }

    pub(crate) fn role_table(&self) -> &RoleTable {
        &self.inner.roles
    }

    pub(crate) fn attempts(&self) -> &Attempts {
        &self.inner.attempts
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

    /// The collection, or MongoDB's error that there is none. The buckets of a time series stand for it.
    pub(crate) fn existing(&self, namespace: &Namespace) -> Result<Arc<store::Collection>> {
        self.store()
            .collection(namespace)
            .or_else(|| self.buckets_of(namespace).map(|of| of.collection))
            .ok_or_else(|| {
                Error::new(
                    Code::NAMESPACE_NOT_FOUND,
                    format!("ns does not exist: {namespace}"),
                )
            })
    }
}

/// An engine that may have been closed. Background work holds only this.
#[derive(Clone, Debug)]
pub(crate) struct WeakEngine(std::sync::Weak<Inner>);

impl WeakEngine {
    pub(crate) fn upgrade(&self) -> Option<Engine> {
        self.0.upgrade().map(|inner| Engine { inner })
    }
}
