//! The metrics of an operation, for the profiler and the log of slow operations.
//!
//! They belong to the operation's [`Interruption`](crate::Interruption). Code that does countable work notes it for the operation
//! on its thread ([`note`]), and need not be passed the operation.

use std::fmt::{Debug, Display};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use crate::interruption::note;

/// The most plans that are reported for one operation.
const PLANS_MAX: usize = 16;

/// A plan, which is formatted only on demand.
pub trait Summary: Debug + Display + Send + Sync {}

impl<T: Debug + Display + Send + Sync> Summary for T {}

/// The metrics of an operation so far.
#[derive(Debug, Default)]
pub struct Metrics {
    keys: AtomicU64,
    documents: AtomicU64,
    waited_us: AtomicU64,
    long_bytes: AtomicUsize,
    shape: AtomicU32,
    sorted: AtomicBool,
    used_disk: AtomicBool,
    plans: Mutex<Vec<Arc<dyn Summary>>>,
}

impl Metrics {
    /// Counts keys of indexes and documents that were examined.
    pub fn examined(&self, keys: u64, documents: u64) {
        self.keys.fetch_add(keys, Relaxed);
        self.documents.fetch_add(documents, Relaxed);
    }

    /// Notes the chosen plan; once, however often it continues.
    pub fn planned(&self, plan: Arc<dyn Summary>) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() < PLANS_MAX && !plans.iter().any(|known| Arc::ptr_eq(known, &plan)) {
            plans.push(plan);
        }
    }

    /// Notes the hash of the query's shape.
    pub fn shaped(&self, hash: u32) {
        self.shape.store(hash, Relaxed);
    }

    /// Notes that results were sorted, perhaps in files.
    pub fn sorted(&self, used_disk: bool) {
        self.sorted.store(true, Relaxed);
        self.used_disk.fetch_or(used_disk, Relaxed);
    }

    /// Notes that the operation waited this long for new documents.
    pub fn waited(&self, time: Duration) {
        self.waited_us.fetch_add(time.as_micros() as u64, Relaxed);
    }

    /// Notes that the operation now works on `new_bytes` more of long documents, and is done with `done_bytes`.
    pub fn works_on(&self, new_bytes: usize, done_bytes: usize) {
        self.long_bytes.fetch_add(new_bytes, Relaxed);
        self.long_bytes.fetch_sub(done_bytes, Relaxed);
    }

    /// Whether the operation works on long documents now.
    pub fn has_long_documents(&self) -> bool {
        self.long_bytes.load(Relaxed) > 0
    }

    /// The number of index keys examined.
    pub fn keys_examined(&self) -> u64 {
        self.keys.load(Relaxed)
    }

    /// The number of documents examined.
    pub fn documents_examined(&self) -> u64 {
        self.documents.load(Relaxed)
    }

    /// How long the operation waited for new documents.
    pub fn time_waited(&self) -> Duration {
        Duration::from_micros(self.waited_us.load(Relaxed))
    }

    /// Whether results were sorted, and not read in the order of an index.
    pub fn has_sorted(&self) -> bool {
        self.sorted.load(Relaxed)
    }

    /// Whether a sort used files.
    pub fn has_used_disk(&self) -> bool {
        self.used_disk.load(Relaxed)
    }

    /// The hash of the query's shape, if a plan was chosen by it.
    pub fn shape_hash(&self) -> Option<u32> {
        Some(self.shape.load(Relaxed)).filter(|hash| *hash != 0)
    }

    /// The plans as text; `None` if nothing was planned.
    pub fn plan_summary(&self) -> Option<String> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words: Vec<String> = plans.iter().map(ToString::to_string).collect();
        words.dedup();
        (!words.is_empty()).then(|| words.join(", "))
    }
}
