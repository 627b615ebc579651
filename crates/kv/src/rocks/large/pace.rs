//! Estimating whether a write before its commit only copies, or waits for the disk.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A write that takes this long has waited for the disk. A thread that was only preempted runs again sooner.
const WAITED_MIN: Duration = Duration::from_millis(10);

/// After a write that waited, writes count as slow for this many times as long, so no more than about 1/20 of all time
/// is lost by trying.
const DISTRUST: u32 = 20;

/// The recent durations of writes.
#[derive(Debug)]
pub(super) struct Pace {
    since: Instant,
    /// Microseconds from `since` on in which a write may wait for the disk.
    slow_until_us: AtomicU64,
}

impl Pace {
    pub(super) fn new() -> Pace {
        Pace {
            since: Instant::now(),
            slow_until_us: AtomicU64::new(0),
        }
    }

    /// Whether a write now is likely to wait.
    pub(super) fn is_slow(&self, now: Instant) -> bool {
        self.micros(now) < self.slow_until_us.load(Ordering::Relaxed)
    }

    /// Notes the duration of a write that ended at `now`.
    pub(super) fn took(&self, time: Duration, now: Instant) {
        if time >= WAITED_MIN {
            let until = self.micros(now + time * DISTRUST);
            self.slow_until_us.fetch_max(until, Ordering::Relaxed);
        }
    }

    fn micros(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.since).as_micros() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_write_slows_the_pace_for_a_second() {
        let (pace, now) = (Pace::new(), Instant::now());
        let later = |ms| now + Duration::from_millis(ms);
        pace.took(Duration::from_millis(1), now);
        assert!(!pace.is_slow(now));
        pace.took(Duration::from_millis(50), now);
        // A quick write that began earlier does not shorten the pause.
        pace.took(Duration::from_millis(10), now);
        assert!(pace.is_slow(now) && pace.is_slow(later(999)));
        assert!(!pace.is_slow(later(1001)));
    }
}
