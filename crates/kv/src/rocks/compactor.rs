//! One thread that frees the space of dropped shards.

use crate::Error;
use rocksdb::DB;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

/// A range of keys: the first, and the first behind.
type Range = (Vec<u8>, Vec<u8>);

/// Owner of the compacting thread. What it has not done at a stop is left to the engine's usual compaction,
/// which the range deletes lead to the same files in time.
#[derive(Debug)]
pub(super) struct Compactor {
    ranges: Option<mpsc::Sender<Range>>,
    thread: Option<JoinHandle<()>>,
}

impl Compactor {
    pub(super) fn start(db: Arc<DB>) -> Result<Compactor, Error> {
        let (sender, ranges) = mpsc::channel::<Range>();
        let run = move || {
            for (low, high) in ranges {
                db.compact_range_opt(Some(low), Some(high), &super::options::compaction());
            }
        };
        let thread = std::thread::Builder::new()
            .name("kv-compact".into())
            .spawn(run)
            .map_err(|error| Error::Engine {
                doing: "starting the compaction thread",
                cause: error.to_string(),
            })?;
        Ok(Compactor {
            ranges: Some(sender),
            thread: Some(thread),
        })
    }

    /// Rewrites what lies in a range, some time.
    pub(super) fn add(&self, range: Range) {
        if let Some(ranges) = &self.ranges {
            // Fails only where the thread is gone, at a stop, and then it is not needed.
            let _ = ranges.send(range);
        }
    }
}

impl Drop for Compactor {
    fn drop(&mut self) {
        self.ranges = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the compaction thread panicked");
        }
    }
}
