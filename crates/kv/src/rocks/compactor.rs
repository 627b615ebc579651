//! A thread that frees the space of dropped shards, and of deleted keys that readers pass.
//!
//! The engine keeps a tombstone for each deletion until it merges the files of the deleted key, and an iterator passes tombstones one by
//! one. If old documents are deleted as new ones arrive, each reader of the oldest would pass more of them: 300 ms were measured for
//! 900,000 deleted documents, until something else led to a merge. So a reader that passes many reports the range.

use super::worker::Worker;
use crate::Error;
use crate::gate::Gate;
use parking_lot::Mutex;
use rocksdb::DB;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// A range of keys: the first key, and the first key after the range.
type Range = (Vec<u8>, Vec<u8>);

/// The pause after a merge for readers, as a multiple of the time that it took. What an old snapshot still needs is not removed, so
/// the next reader would report the same range again.
const REST_FACTOR: u32 = 20;
const REST_MIN: Duration = Duration::from_secs(1);

/// Owner of the compacting thread. Work that is left at a stop is done by the engine's usual compaction, which range deletes
/// lead to the same files in time.
#[derive(Debug)]
pub(super) struct Compactor {
    worker: Worker<Job>,
    /// When the next merge for readers may begin; `None` while one runs.
    due: Arc<Mutex<Option<Instant>>>,
}

#[derive(Debug)]
struct Job {
    range: Range,
    is_for_readers: bool,
}

/// Takes readers' reports of ranges with many deleted keys. It does not keep the thread alive.
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

    /// Rewrites a range in the background.
    pub(super) fn add(&self, range: Range) {
        self.worker.send(Job {
            range,
            is_for_readers: false,
        });
    }

    /// The handle for readers of this database.
    pub(super) fn passed(self: &Arc<Compactor>) -> Passed {
        Passed(Arc::downgrade(self))
    }
}

impl Passed {
    /// Reports a range, which is rewritten soon unless that was done for readers a short time ago.
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
