//! The time that a client gives for an answer.

use crate::error::Result;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// When an answer is too late, if ever.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// After `timeout_ms` from now; never if that is zero or none.
    pub(crate) fn of(timeout_ms: Option<u32>) -> Deadline {
        let limit = timeout_ms
            .filter(|&ms| ms > 0)
            .map(|ms| Duration::from_millis(ms.into()));
        Deadline(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    pub(crate) fn is_past(self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// The same, but so long from now at the latest.
    pub(crate) fn within(self, limit: Option<Duration>) -> Deadline {
        let latest = limit.and_then(|limit| Instant::now().checked_add(limit));
        Deadline(match (self.0, latest) {
            (Some(own), Some(latest)) => Some(own.min(latest)),
            (own, latest) => own.or(latest),
        })
    }

    /// Does something within the time. It is pinned where it is asked for: a future that takes another one by value has room
    /// for it twice, and a request goes through several.
    pub(crate) async fn run<T>(self, work: Pin<&mut impl Future<Output = Result<T>>>) -> Result<T> {
        match self.0 {
            None => work.await,
            Some(limit) => engine::run_until(limit, work).await,
        }
    }
}
