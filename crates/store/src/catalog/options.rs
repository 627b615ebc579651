//! Options of the store and of collections.

use crate::{FilterCompiler, REVISIONS_KEPT_DEFAULT};
use std::sync::Arc;
use value::{Document, Value};

/// What the store needs from those above it.
#[derive(Clone)]
pub struct StoreOptions {
    /// Compiles the `partialFilterExpression` of indexes.
    pub filter_compiler: FilterCompiler,
    /// The time in milliseconds since 1970; tests set their own.
    pub clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Runs work for several callers on the thread of one of them, without that caller's limits.
    pub run_apart: RunApart,
    /// The bytes of records that are kept in memory beside the engine's own caches.
    pub record_cache_bytes: usize,
    /// The bytes of pages that scans have read, which are kept in memory beside those.
    pub scan_cache_bytes: usize,
    /// The bytes of index entries that were read, which are kept in memory beside those.
    pub entry_cache_bytes: usize,
    /// The bytes that caches outside the store leave of their memory now. Records take them as well, until they are given back
    /// ([`Store::give_back_memory`]).
    pub idle_cache_bytes: Arc<dyn Fn() -> usize + Send + Sync>,
    /// The collections and views that there may be: each takes some kilobytes of memory, whether it is used or not.
    pub collections_max: usize,
}

/// Runs work on this thread, but not as a part of the operation that runs there.
pub type RunApart = fn(&mut dyn FnMut());

/// The default, as in tests.
const RECORD_CACHE_BYTES: usize = 4 << 20;
const SCAN_CACHE_BYTES: usize = 2 << 20;
const ENTRY_CACHE_BYTES: usize = 1 << 20;

impl StoreOptions {
    /// The usual options, with this compiler and the system's clock.
    pub fn new(filter_compiler: FilterCompiler) -> StoreOptions {
        StoreOptions {
            filter_compiler,
            clock: Arc::new(system_time_ms),
            run_apart: |work| work(),
            record_cache_bytes: RECORD_CACHE_BYTES,
            scan_cache_bytes: SCAN_CACHE_BYTES,
            entry_cache_bytes: ENTRY_CACHE_BYTES,
            idle_cache_bytes: Arc::new(|| 0),
            collections_max: usize::MAX,
        }
    }
}

impl Default for StoreOptions {
    /// Without partial indexes.
    fn default() -> StoreOptions {
        StoreOptions::new(
            |_, _| Err("this store was opened without a compiler of partial filters".to_owned()),
        )
    }
}

impl std::fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreOptions").finish_non_exhaustive()
    }
}

fn system_time_ms() -> u64 {
    value::date::since_1970().as_millis() as u64
}

/// How a collection was created.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollectionOptions {
    /// The limits of a capped collection.
    pub capped: Option<CappedOptions>,
    /// All other options of `create` as they were given, in order.
    pub kept: Document,
    /// What protocols keep with the collection, such as `security`, `revisionsKept` and `partitioned`. No listing shows it.
    pub properties: Document,
}

impl CollectionOptions {
    /// Whether ids name the partitions that documents belong to (the property `partitioned`, which never changes).
    pub fn is_partitioned(&self) -> bool {
        self.properties.contains("partitioned")
    }

    /// Whether more than one document may have an `_id`, as in a time series: the later ones are [repeats](crate::Record::repeats_id).
    pub fn repeats_ids(&self) -> bool {
        self.kept.contains("timeseries")
    }

    /// How many revisions of a branch are remembered (the property `revisionsKept`).
    pub fn revisions_kept(&self) -> usize {
        match self.properties.get("revisionsKept") {
            Some(Value::Int64(kept)) => usize::try_from(*kept).unwrap_or(1).max(1),
            _ => REVISIONS_KEPT_DEFAULT,
        }
    }
}

/// When a capped collection drops its oldest documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CappedOptions {
    /// Once its documents take more BSON bytes than this.
    pub size_bytes: u64,
    /// Once it has more documents than this.
    pub documents_max: Option<u64>,
}
