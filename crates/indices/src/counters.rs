//! What was done with an index since the server started.

use engine::Sequence;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Groups of searches and names of fields that are remembered at most.
const NAMES_MAX: usize = 1000;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct IndexCounter(AtomicU64);

impl IndexCounter {
    /// Adds to it.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Its value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What was done with an index since the server started.
#[derive(Debug, Default)]
pub struct IndexCounters {
    /// Documents written.
    pub indexed: IndexCounter,
    /// Documents deleted.
    pub deleted: IndexCounter,
    /// Writes that failed.
    pub failed: IndexCounter,
    /// Writes that changed nothing.
    pub unchanged: IndexCounter,
    /// Documents found by their ids.
    pub found: IndexCounter,
    /// Ids under which no document was found.
    pub missing: IndexCounter,
    /// Searches.
    pub searches: IndexCounter,
    /// The time that searches took together, in microseconds.
    pub search_micros: IndexCounter,
    /// Searches that asked for suggestions.
    pub suggestions: IndexCounter,
    /// Scrolls.
    pub scrolls: IndexCounter,
    /// Refreshes.
    pub refreshes: IndexCounter,
    /// Flushes.
    pub flushes: IndexCounter,
    /// Searches that go on.
    open_contexts: Arc<AtomicU64>,
    names: Mutex<Names>,
}

/// A search that goes on, which counts until this is dropped.
#[derive(Debug)]
pub struct OpenContext(Arc<AtomicU64>);

impl Drop for OpenContext {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
struct Names {
    /// Where the change log stood at the last flush.
    flushed: Option<Sequence>,
    /// Searches by the groups that they named.
    groups: BTreeMap<String, u64>,
    /// Fields whose values were sorted by or aggregated.
    columns: BTreeSet<String>,
}

impl IndexCounters {
    /// Counts a search, and which groups it says it is of.
    pub fn search(&self, took: Duration, groups: &[String]) {
        self.searches.add(1);
        self.search_micros.add(took.as_micros() as u64);
        let mut names = self.names.lock();
        for group in groups {
            if names.groups.len() < NAMES_MAX || names.groups.contains_key(group) {
                *names.groups.entry(group.clone()).or_default() += 1;
            }
        }
    }

    /// Counts a scroll or a point in time for as long as it is kept.
    pub fn open_context(&self) -> OpenContext {
        self.open_contexts.fetch_add(1, Ordering::Relaxed);
        OpenContext(self.open_contexts.clone())
    }

    /// Scrolls and points in time that are open.
    pub fn open_contexts(&self) -> u64 {
        self.open_contexts.load(Ordering::Relaxed)
    }

    /// Remembers fields whose values were looked at one by one.
    pub fn read_columns(&self, fields: impl IntoIterator<Item = String>) {
        let mut names = self.names.lock();
        for field in fields {
            if names.columns.len() < NAMES_MAX {
                names.columns.insert(field);
            }
        }
    }

    /// The fields that [`IndexCounters::read_columns`] was told.
    pub fn columns(&self) -> BTreeSet<String> {
        self.names.lock().columns.clone()
    }

    /// Forgets the fields whose columns were read.
    pub fn forget_columns(&self) {
        self.names.lock().columns.clear();
    }

    /// Searches by the groups that they named.
    pub fn groups(&self) -> BTreeMap<String, u64> {
        self.names.lock().groups.clone()
    }

    /// All up to here is on the disk.
    pub fn flushed(&self, at: Sequence) {
        self.names.lock().flushed = Some(at);
    }

    /// Where the last flush was.
    pub fn last_flush(&self) -> Sequence {
        self.names.lock().flushed.clone().unwrap_or(Sequence::START)
    }
}
