//! The budget, and what of it is held.

use crate::pool::Pool;
use crate::turn::turns;
use crate::{Full, Holder, Share, Turn};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Memory for what clients ask. Cheap to clone; all clones are one. The default has no limit and counts nothing.
#[derive(Clone, Debug, Default)]
pub struct Budget(Option<Arc<Pools>>);

#[derive(Debug)]
struct Pools {
    bytes: usize,
    of: [Pool; Holder::ALL.len()],
    /// Those who read for answers what may be long.
    long_reads: Arc<Semaphore>,
}

/// How often a holder that can give way checks whether others wait.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// The checks in a row that must find others waiting.
const LOOKS: usize = 2;

/// What a holder has of the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Who holds it.
    pub holder: Holder,
    /// Bytes that are held now.
    pub held_bytes: usize,
    /// The most that ever were.
    pub held_bytes_max: usize,
    /// Bytes that may be held.
    pub limit_bytes: usize,
    /// Those who wait for room.
    pub waiting: usize,
    /// How often there was no room.
    pub refused: u64,
}

impl Budget {
    /// A budget of this many bytes.
    pub fn new(bytes: usize) -> Budget {
        let of = Holder::ALL.map(|holder| Pool::new(bytes / 16 * holder.sixteenths()));
        let long_reads = Arc::new(Semaphore::new(turns(bytes)));
        Budget(Some(Arc::new(Pools {
            bytes,
            of,
            long_reads,
        })))
    }

    /// The bytes of all together.
    pub fn bytes(&self) -> usize {
        self.0.as_ref().map_or(usize::MAX, |pools| pools.bytes)
    }

    /// The bytes that all shares of a holder may have together.
    pub fn limit(&self, holder: Holder) -> usize {
        self.pool(holder).map_or(usize::MAX, |pool| pool.limit)
    }

    /// A share without any bytes yet.
    pub fn share(&self, holder: Holder) -> Share {
        Share::new(self.clone(), holder)
    }

    /// A share of bytes that are there already, and cannot be given up.
    pub fn charged(&self, holder: Holder, bytes: usize) -> Share {
        let mut share = self.share(holder);
        share.charge(bytes);
        share
    }

    /// Waits until a holder has less than its limit: for code that learns only afterwards how much it takes, and then
    /// charges it.
    pub async fn room(&self, holder: Holder, time_max: Duration) -> Result<(), Full> {
        let Some(pool) = self.pool(holder) else {
            return Ok(());
        };
        // No timer if nobody has to wait.
        if self.has_room(holder) {
            return Ok(());
        }
        let waited = tokio::time::timeout(time_max, pool.wait_until(Pool::has_room)).await;
        waited.map_err(|_| self.full(holder, 0))
    }

    /// Waits until answers that were made have gone to their clients, or to the disk, and leave room for another. To be called before
    /// something is read for an answer. If it may be long, few read at the same time, since what an answer takes is counted only
    /// when it is made. Fails if there is no room in time: clients that read nothing would fill the memory.
    pub async fn turn_to_answer(&self, may_be_long: bool, time_max: Duration) -> Result<Turn, Full> {
        let holder = Holder::Answers;
        let semaphore = self.0.as_ref().map(|pools| Arc::clone(&pools.long_reads));
        let permit = match semaphore.filter(|_| may_be_long) {
            Some(semaphore) => {
                let permit = tokio::time::timeout(time_max, semaphore.acquire_owned()).await;
                // The semaphore is never closed.
                let permit = permit.ok().and_then(Result::ok);
                Some(permit.ok_or_else(|| self.full(holder, 0))?)
            }
            None => None,
        };
        self.room(holder, time_max).await?;
        Ok(Turn { _permit: permit })
    }

    /// Whether a holder has less than its limit, and nobody waits for that.
    pub fn has_room(&self, holder: Holder) -> bool {
        let pool = self.pool(holder);
        pool.is_none_or(|pool| pool.waiting.load(Ordering::Relaxed) == 0 && pool.has_room())
    }

    /// Whether somebody waits for what others of this holder have.
    pub fn is_wanted(&self, holder: Holder) -> bool {
        let pool = self.pool(holder);
        pool.is_some_and(|pool| pool.waiting.load(Ordering::Relaxed) > 0)
    }

    /// Waits until others have waited for a while for what all of a holder have: for those who can keep elsewhere what they hold.
    pub async fn wanted(&self, holder: Holder) {
        let mut looks = 0;
        while looks < LOOKS {
            tokio::time::sleep(LOOK_INTERVAL).await;
            looks = if self.is_wanted(holder) { looks + 1 } else { 0 };
        }
    }

    /// Who holds what.
    pub fn usage(&self) -> Vec<Usage> {
        let known = Holder::ALL.into_iter().filter_map(|holder| {
            let pool = self.pool(holder)?;
            Some(Usage {
                holder,
                held_bytes: pool.held.load(Ordering::Relaxed),
                held_bytes_max: pool.held_max.load(Ordering::Relaxed),
                limit_bytes: pool.limit,
                waiting: pool.waiting.load(Ordering::Relaxed),
                refused: pool.refused.load(Ordering::Relaxed),
            })
        });
        known.collect()
    }

    pub(crate) fn pool(&self, holder: Holder) -> Option<&Pool> {
        self.0.as_ref()?.of.get(holder as usize)
    }

    /// Counts a refusal, and logs who holds what.
    pub(crate) fn full(&self, holder: Holder, wanted_bytes: usize) -> Full {
        let pool = self.pool(holder);
        let held_bytes = pool.map_or(0, |pool| pool.held.load(Ordering::Relaxed));
        let full = Full {
            holder,
            wanted_bytes,
            held_bytes,
            limit_bytes: self.limit(holder),
        };
        if pool.is_some_and(Pool::refuse) {
            let usage = self.usage();
            let held = usage.iter().filter(|usage| usage.held_bytes > 0);
            let held: Vec<String> = held
                .map(|usage| format!("{} {}", usage.holder.name(), usage.held_bytes))
                .collect();
            tracing::warn!(
                holder = holder.name(),
                held = held.join(", "),
                "no memory left: {full}"
            );
        }
        full
    }
}
