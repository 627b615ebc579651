//! Moments that were read and may be read again, by sessions with snapshot reads. This table alone owns them;
//! sessions and cursors hold a [`Weak`], so an expired moment frees what it keeps of the store, whatever still names
//! it.

use crate::error::{Error, Result};
use crate::limits::{MOMENT_MS_MAX, MOMENTS_MAX};
use code::Code;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use store::Moment;

/// The moments that are kept, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Moments {
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    time: u64,
    since: Instant,
    moment: Arc<Moment>,
}

impl Moments {
    /// Keeps a moment under a logical time. Drops the oldest if there are [`MOMENTS_MAX`] already: a moment keeps old
    /// versions of documents alive, so their number is bounded.
    pub(crate) fn keep(&self, time: u64, moment: Moment) -> Weak<Moment> {
        let moment = Arc::new(moment);
        let weak = Arc::downgrade(&moment);
        let mut kept = self.kept.lock();
        if kept.len() >= MOMENTS_MAX {
            kept.pop_front();
        }
        kept.push_back(Kept {
            time,
            since: Instant::now(),
            moment,
        });
        weak
    }

    /// The moment that was kept under a logical time. Fails with SnapshotTooOld if there is none.
    pub(crate) fn find(&self, time: u64) -> Result<Weak<Moment>> {
        let kept = self.kept.lock();
        let found = kept.iter().find(|kept| kept.time == time);
        found.map(|kept| Arc::downgrade(&kept.moment)).ok_or_else(|| {
            let message = "no snapshot of this time is kept any more (they are for 5 minutes); read again without \
                           atClusterTime";
            Error::new(Code::SNAPSHOT_TOO_OLD, message)
        })
    }

    /// Drops the moments that are older than [`MOMENT_MS_MAX`].
    pub(crate) fn expire(&self) {
        let age_max = Duration::from_millis(MOMENT_MS_MAX);
        self.kept.lock().retain(|kept| kept.since.elapsed() < age_max);
    }

    /// Drops all moments, so that the store can close.
    pub(crate) fn clear(&self) {
        self.kept.lock().clear();
    }
}
