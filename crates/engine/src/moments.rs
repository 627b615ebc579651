//! Moments that were read and may be read again: what sessions with snapshot reads come back to.

use crate::limits::{MOMENT_MS_MAX, MOMENTS_MAX};
use crate::{Engine, Error, Result};
use parking_lot::Mutex;
use query::Code;
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
    fn keep(&self, time: u64, moment: Moment) -> Weak<Moment> {
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

    fn find(&self, time: u64) -> Option<Weak<Moment>> {
        let kept = self.kept.lock();
        let found = kept.iter().find(|kept| kept.time == time)?;
        Some(Arc::downgrade(&found.moment))
    }

    /// Lets go what was kept long enough.
    pub(crate) fn expire(&self) {
        let age_max = Duration::from_millis(MOMENT_MS_MAX);
        self.kept.lock().retain(|kept| kept.since.elapsed() < age_max);
    }

    /// Lets everything go, so that the store can close.
    pub(crate) fn clear(&self) {
        self.kept.lock().clear();
    }
}

impl Engine {
    /// Keeps the present moment under a logical time, for reads of several collections that must agree. It is kept
    /// for [`MOMENT_MS_MAX`], and less where more than [`MOMENTS_MAX`] are wanted.
    pub async fn keep_moment(&self, time: u64) -> Result<Weak<Moment>> {
        let moment = self.store().moment().await?;
        Ok(self.moments().keep(time, moment))
    }

    /// The moment that was kept under a logical time. Fails with SnapshotTooOld where none is.
    pub fn moment(&self, time: u64) -> Result<Weak<Moment>> {
        self.moments().find(time).ok_or_else(|| {
            let message = "no snapshot of this time is kept any more (they are for 5 minutes); read again without \
                           atClusterTime";
            Error::new(Code(239), message)
        })
    }
}
