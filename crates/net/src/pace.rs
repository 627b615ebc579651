//! How fast a message or a body must come.

use std::time::{Duration, Instant};

/// The time that a message has besides the time for its bytes: a client may be silent that long.
const GRACE: Duration = Duration::from_secs(60);
/// The same while others wait for the memory that it holds.
const GRACE_WHEN_WANTED: Duration = Duration::from_secs(2);
/// The least number of bytes in a second after that, so that no message drips in for ever.
const BYTES_PER_SECOND_MIN: u64 = 16 * 1024;
/// The same while others wait.
const BYTES_PER_SECOND_MIN_WHEN_WANTED: u64 = 1024 * 1024;
/// How often a waiting reader checks whether others wait for its memory.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// Whether the bytes of one message come fast enough: a client may be silent for a minute, but may not let a message drip in for
/// ever.
#[derive(Clone, Debug)]
pub struct Pace {
    grace: Duration,
    waited: Duration,
    /// When the present wait began.
    since: Option<Instant>,
    came: u64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace::with_grace(GRACE)
    }
}

impl Pace {
    /// Begins again, as if nothing had been waited for and nothing had come.
    pub fn restart(&mut self) {
        self.waited = Duration::ZERO;
        self.since = None;
        self.came = 0;
    }

    /// Begins to wait for bytes.
    pub fn begin(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// `bytes` more have come, which ends the wait.
    pub fn came(&mut self, bytes: usize) {
        self.came += bytes as u64;
        self.waited = self.waited();
        self.since = None;
    }

    /// How long to wait for more now; `None` if the message came too slowly. `is_wanted`: whether others wait for its memory.
    pub fn wait(&self, is_wanted: bool) -> Option<Duration> {
        let (grace, rate) = match is_wanted {
            true => (
                GRACE_WHEN_WANTED.min(self.grace),
                BYTES_PER_SECOND_MIN_WHEN_WANTED,
            ),
            false => (self.grace, BYTES_PER_SECOND_MIN),
        };
        let allowed = grace + Duration::from_millis(self.came.saturating_mul(1000) / rate);
        let left = allowed.checked_sub(self.waited())?;
        (!left.is_zero()).then(|| left.min(LOOK_INTERVAL))
    }

    fn waited(&self) -> Duration {
        self.waited + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// A pace that allows this much silence.
    pub fn with_grace(grace: Duration) -> Pace {
        Pace {
            grace,
            waited: Duration::ZERO,
            since: None,
            came: 0,
        }
    }

    /// How much silence it allows.
    pub fn grace(&self) -> Duration {
        self.grace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: u64, came: u64) -> Pace {
        Pace {
            waited: Duration::from_secs(seconds),
            came,
            ..Pace::default()
        }
    }

    #[test]
    fn dripping_messages_are_given_up_and_flowing_ones_are_not() {
        assert!(after(50, 0).wait(false).is_some());
        assert!(after(61, 61).wait(false).is_none());
        assert!(after(600, 600 * BYTES_PER_SECOND_MIN).wait(false).is_some());
    }

    #[test]
    fn while_others_wait_it_must_go_on_sooner() {
        assert!(after(2, 1_000_000).wait(true).is_some());
        assert!(after(5, 1_000_000).wait(true).is_none());
    }
}
