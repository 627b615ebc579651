//! Pauses between tries: twice as long each time, and never for all devices the same.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(250);

/// The pauses.
#[derive(Debug)]
pub struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Backoff {
    /// Pauses up to this long.
    pub fn new(longest: Duration) -> Backoff {
        Backoff {
            next: FIRST.min(longest),
            longest,
        }
    }

    /// The next pause: between half and all of what it is by doubling, and not less than what the server asked for.
    pub fn next(&mut self, asked: Option<Duration>) -> Duration {
        let pause = self.next.max(asked.unwrap_or_default().min(self.longest));
        self.next = (self.next * 2).min(self.longest);
        let mut random = [0; 2];
        let _ = getrandom::fill(&mut random);
        let share = f64::from(u16::from_le_bytes(random)) / f64::from(u16::MAX);
        let least = asked.unwrap_or_default().min(self.longest);
        pause.mul_f64(0.5 + share / 2.0).max(least)
    }

    /// All is well again.
    pub fn reset(&mut self) {
        self.next = FIRST.min(self.longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest_and_heed_the_server() {
        let longest = Duration::from_secs(2);
        let mut backoff = Backoff::new(longest);
        let pauses: Vec<_> = (0..10).map(|_| backoff.next(None)).collect();
        assert!(pauses[0] <= FIRST && pauses[0] >= FIRST / 2);
        assert!(pauses.iter().all(|pause| *pause <= longest));
        assert!(pauses[9] >= longest / 2);
        backoff.reset();
        assert!(backoff.next(Some(Duration::from_secs(1))) >= Duration::from_secs(1));
        assert!(backoff.next(Some(Duration::from_secs(100))) <= longest);
    }
}
