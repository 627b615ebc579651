//! How long to wait before a failed run is tried again.

use std::time::Duration;

/// The wait after the first failure.
const FIRST: Duration = Duration::from_secs(1);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Waits that double with each failure in a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The failures in a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts a failure; how long to wait after it.
    pub fn fail(&mut self) -> Duration {
        let doubled = 2u32.saturating_pow(self.failures);
        self.failures = self.failures.saturating_add(1);
        FIRST.saturating_mul(doubled).min(LONGEST)
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
        let mut backoff = Backoff::default();
        let seconds: Vec<u64> = (0..4).map(|_| backoff.fail().as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8]);
        for _ in 0..100 {
            assert!(backoff.fail() <= LONGEST);
        }
        backoff.reset();
        assert_eq!(backoff.fail(), FIRST);
    }
}
