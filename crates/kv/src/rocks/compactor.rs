//! One thread that frees the space of dropped shards.

use super::worker::Worker;
use crate::Error;
use crate::gate::Gate;
use rocksdb::DB;
use std::sync::Arc;

/// A range of keys: the first key, and the first key after the range.
type Range = (Vec<u8>, Vec<u8>);

/// Owner of the compacting thread. What it has not done at a stop is left to the engine's usual compaction,
/// which the range deletes lead to the same files in time.
#[derive(Debug)]
pub(super) struct Compactor(Worker<Range>);

impl Compactor {
    pub(super) fn start(db: Arc<DB>, gate: Gate) -> Result<Compactor, Error> {
        let worker = Worker::start("kv-compact", move |ranges| {
            for (low, high) in ranges {
                let _pass = gate.pass_blocking();
                db.compact_range_opt(Some(low), Some(high), &super::options::compaction());
            }
        })?;
        Ok(Compactor(worker))
    }

    /// Rewrites what lies in a range, some time.
    pub(super) fn add(&self, range: Range) {
        self.0.send(range);
    }
}
