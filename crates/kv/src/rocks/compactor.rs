//! One thread that frees the space of dropped shards, and of what readers pass.
//!
//! The engine keeps a note of each deletion until it merges the files that the deleted keys lie in, and an iterator passes these notes
//! one by one. Where old documents are deleted as new ones come, those who ask for the oldest would pass more of them each time:
//! measured, 300 ms for 900,000 deleted documents, for as long as nothing else led to a merge. So a reader that passes many tells where.

use super::worker::Worker;
use crate::Error;
use crate::gate::Gate;
use parking_lot::Mutex;
use rocksdb::DB;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// A range of keys: the first key, and the first key after the range.
type Range = (Vec<u8>, Vec<u8>);

/// How long nothing is done for readers after something was, as a multiple of the time that it took: what an old snapshot still needs
/// stays, so that the next reader tells of it again.
const REST_FACTOR: u32 = 20;
const REST_MIN: Duration = Duration::from_secs(1);

/// Owner of the compacting thread. What it has not done at a stop is left to the engine's usual compaction,
/// which the range deletes lead to the same files in time.
#[derive(Debug)]
pub(super) struct Compactor {
    worker: Worker<Job>,
    /// When something may be done for readers; `None` while it is.
    due: Arc<Mutex<Option<Instant>>>,
}

#[derive(Debug)]
struct Job {
    range: Range,
    is_for_readers: bool,
}

/// Where readers tell of ranges in which they passed much that is deleted. It keeps no thread alive.
#[derive(Clone, Debug)]
pub(super) struct Passed(Weak<Compactor>);

impl Compactor {
    pub(super) fn start(db: Arc<DB>, gate: Gate) -> Result<Arc<Compactor>, Error> {
        let due = Arc::new(Mutex::new(Some(Instant::now())));
        let next = due.clone();
        let worker = Worker::start("kv-compact", move |jobs| {
            for Job {
                range,
                is_for_readers,
            } in jobs
            {
                let (low, high) = range;
                let began = Instant::now();
                let _pass = gate.pass_to_merge_blocking();
                db.compact_range_opt(Some(low), Some(high), &super::options::compaction());
                if is_for_readers {
                    let rest = (began.elapsed() * REST_FACTOR).max(REST_MIN);
                    *next.lock() = Some(Instant::now() + rest);
                }
            }
        })?;
        Ok(Arc::new(Compactor { worker, due }))
    }

    /// Rewrites what lies in a range, some time.
    pub(super) fn add(&self, range: Range) {
        self.worker.send(Job {
            range,
            is_for_readers: false,
        });
    }

    /// For readers of this database.
    pub(super) fn passed(self: &Arc<Compactor>) -> Passed {
        Passed(Arc::downgrade(self))
    }
}

impl Passed {
    /// Lets a range be rewritten soon, unless that was done for readers a short time ago.
    pub(super) fn tell(&self, range: Range) {
        let Some(compactor) = self.0.upgrade() else { return };
        let is_due = compactor.due.lock().take_if(|due| *due <= Instant::now());
        if is_due.is_some() {
            compactor.worker.send(Job {
                range,
                is_for_readers: true,
            });
        }
    }
}
