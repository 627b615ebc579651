//! How fast connections may be established: MongoDB's "ingress connection establishment rate limiter" (parameters
//! `ingressConnectionEstablishment*`). A storm of connections costs a handshake and a login each; when it is spread over time,
//! the commands of those who are connected already go on.
//!
//! A bucket of tokens: each connection takes one, and they come back at the rate. Where there is none, a connection waits for
//! its own in a bounded queue; where that is full, it is closed before it has been read.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// What an administrator has set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) is_enabled: bool,
    /// Connections per second, above zero.
    pub(crate) rate: f64,
    /// For how many seconds of the rate tokens are kept while nobody connects.
    pub(crate) burst_seconds: f64,
    /// How many connections may wait for their tokens.
    pub(crate) queue_depth_max: u32,
}

impl Default for Settings {
    /// MongoDB's: no limit, until somebody sets one.
    fn default() -> Settings {
        Settings {
            is_enabled: false,
            rate: f64::from(i32::MAX),
            burst_seconds: f64::MAX,
            queue_depth_max: 0,
        }
    }
}

impl Settings {
    /// The most tokens that are kept. One at least: with less, no connection would ever find one.
    fn capacity(&self) -> f64 {
        (self.rate * self.burst_seconds).max(1.0)
    }
}

/// What has become of connections since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) queued: u32,
    pub(crate) queued_total: u64,
    pub(crate) admitted: u64,
    pub(crate) rejected: u64,
    /// The time in the queue of all that have left it.
    queued_time: Duration,
}

impl Counts {
    /// Those that have left the queue.
    pub(crate) fn unqueued(&self) -> u64 {
        self.queued_total - u64::from(self.queued)
    }

    /// The mean time in the queue.
    pub(crate) fn mean_wait(&self) -> Option<Duration> {
        let queued_us = self.queued_time.as_micros() as u64;
        queued_us.checked_div(self.unqueued()).map(Duration::from_micros)
    }
}

/// Admits connections at a rate.
#[derive(Debug, Default)]
pub(crate) struct Limiter(Mutex<Bucket>);

#[derive(Debug)]
struct Bucket {
    settings: Settings,
    /// The tokens at `as_of`; below zero, those that are owed to connections in the queue.
    tokens: f64,
    as_of: Instant,
    counts: Counts,
}

impl Default for Bucket {
    fn default() -> Bucket {
        let settings = Settings::default();
        Bucket {
            tokens: settings.capacity(),
            settings,
            as_of: Instant::now(),
            counts: Counts::default(),
        }
    }
}

impl Bucket {
    /// Counts the tokens that have come since the last time.
    fn refill(&mut self) {
        let now = Instant::now();
        let came = self.settings.rate * (now - self.as_of).as_secs_f64();
        self.tokens = (self.tokens + came).min(self.settings.capacity());
        self.as_of = now;
    }

    fn take(&mut self) -> Token {
        if !self.settings.is_enabled {
            self.counts.admitted += 1;
            return Token::Now;
        }
        self.refill();
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            self.counts.admitted += 1;
            return Token::Now;
        }
        if self.counts.queued >= self.settings.queue_depth_max {
            self.counts.rejected += 1;
            return Token::Never;
        }
        let seconds = (1.0 - self.tokens) / self.settings.rate;
        self.tokens -= 1.0;
        self.counts.queued += 1;
        self.counts.queued_total += 1;
        Token::After(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

/// When a connection gets its token.
enum Token {
    Now,
    After(Duration),
    Never,
}

/// A place in the queue, which is left however the wait ends.
struct Queued<'a> {
    limiter: &'a Limiter,
    since: Instant,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut bucket = self.limiter.0.lock();
        bucket.counts.queued -= 1;
        bucket.counts.queued_time += self.since.elapsed();
    }
}

impl Limiter {
    pub(crate) fn settings(&self) -> Settings {
        self.0.lock().settings
    }

    /// Changes the settings; connections that wait already keep the time at which they are admitted.
    pub(crate) fn set(&self, change: impl FnOnce(&mut Settings)) {
        let mut bucket = self.0.lock();
        bucket.refill();
        let was_full = bucket.tokens >= bucket.settings.capacity();
        change(&mut bucket.settings);
        let capacity = bucket.settings.capacity();
        bucket.tokens = if was_full {
            capacity
        } else {
            bucket.tokens.min(capacity)
        };
    }

    /// Waits until a connection may go on; false where it must be closed.
    pub(crate) async fn admits(&self) -> bool {
        let token = self.0.lock().take();
        match token {
            Token::Now => true,
            Token::Never => false,
            Token::After(time) => {
                let place = Queued {
                    limiter: self,
                    since: Instant::now(),
                };
                tokio::time::sleep(time).await;
                drop(place);
                self.0.lock().counts.admitted += 1;
                true
            }
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.0.lock().counts
    }

    /// The tokens that are there now.
    pub(crate) fn tokens(&self) -> f64 {
        let mut bucket = self.0.lock();
        bucket.refill();
        bucket.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(rate: f64, queue_depth_max: u32) -> Limiter {
        let limiter = Limiter::default();
        limiter.set(|settings| {
            *settings = Settings {
                is_enabled: true,
                rate,
                burst_seconds: 1.0,
                queue_depth_max,
            };
        });
        limiter
    }

    async fn admitted(limiter: &Limiter, connections: usize) -> usize {
        let asked = (0..connections).map(|_| limiter.admits());
        let answers = futures::future::join_all(asked).await;
        answers.into_iter().filter(|admitted| *admitted).count()
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_all_are_admitted() {
        let limiter = Limiter::default();
        assert_eq!(admitted(&limiter, 10_000).await, 10_000);
        assert_eq!(limiter.counts().rejected, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_admitted_and_the_rest_refused() {
        let limiter = limiter(20.0, 0);
        assert_eq!(admitted(&limiter, 100).await, 20);
        assert_eq!(limiter.counts().rejected, 80);
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(admitted(&limiter, 100).await, 10, "those that came back since");
    }

    #[tokio::test(start_paused = true)]
    async fn those_in_the_queue_are_admitted_at_the_rate() {
        let limiter = limiter(20.0, 40);
        let started = Instant::now();
        assert_eq!(admitted(&limiter, 100).await, 60);
        let took = started.elapsed();
        assert!(
            took.abs_diff(Duration::from_secs(2)) < Duration::from_millis(10),
            "{took:?}"
        );
        let counts = limiter.counts();
        assert_eq!((counts.queued, counts.queued_total, counts.rejected), (0, 40, 40));
        let wait = counts.mean_wait().expect("some waited");
        assert!(
            wait.abs_diff(Duration::from_millis(1025)) < Duration::from_millis(10),
            "{wait:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_in_the_queue_is_left_by_a_wait_that_ends_early() {
        let limiter = limiter(1.0, 1);
        assert!(limiter.admits().await);
        let waited = tokio::time::timeout(Duration::from_millis(100), limiter.admits()).await;
        waited.expect_err("a second is needed");
        assert_eq!(limiter.counts().queued, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn less_than_a_connection_per_second_is_a_rate_too() {
        let limiter = limiter(0.5, 1);
        assert_eq!(admitted(&limiter, 2).await, 2);
        assert_eq!(limiter.counts().queued_total, 1);
    }
}
