//! How long to wait before a failed run is tried again.

use std::time::Duration;

/// Waits that double with each failure in a row.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    failures: u32,
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// The waits before a whole replication is tried again: 30 seconds at first, eight and a half hours at last
    /// (`src/couch_replicator/src/couch_replicator_scheduler.erl`, `backoff_micros`).
    pub const fn of_jobs() -> Backoff {
        let first = Duration::from_secs(30);
        Backoff {
            failures: 0,
            first,
            longest: first.saturating_mul(1024),
        }
    }

    /// The waits before something within a run is tried again.
    pub const fn of_requests() -> Backoff {
        Backoff {
            failures: 0,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(60),
        }
    }

    /// The failures in a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts a failure; how long to wait after it.
    pub fn fail(&mut self) -> Duration {
        let doubled = 2u32.saturating_pow(self.failures);
        self.failures = self.failures.saturating_add(1);
        self.first.saturating_mul(doubled).min(self.longest)
    }

    /// Forgets the failures, because a run has come further.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_again_after_a_success() {
        let mut backoff = Backoff::of_jobs();
        let seconds: Vec<u64> = (0..4).map(|_| backoff.fail().as_secs()).collect();
        assert_eq!(seconds, [30, 60, 120, 240]);
        for _ in 0..100 {
            assert!(backoff.fail() <= Duration::from_secs(30 * 1024));
        }
        assert_eq!(backoff.fail(), Duration::from_secs(30 * 1024));
        backoff.reset();
        assert_eq!(backoff.fail(), Duration::from_secs(30));
    }
}
