//! Ending operations that take too long, and making room for others while they run.
//!
//! An operation runs within its [`Interruption`]. Code that loops over a client's values counts its [`steps`]; about every
//! thousand steps, these check whether the operation must end because its time is up, it was killed, or its client has
//! gone. So an expression need not be passed its operation, and one that is kept for a cursor runs under
//! the operation that requests the next batch.

mod running;
mod select;
mod sort;

pub(crate) use running::count_pattern;
pub use running::{COMPARISONS_PER_STEP, STEPS_BETWEEN_LOOKS, long_step, memory, note, steps, within};
pub use select::place_ranks;
pub use sort::sort_by;

use crate::metrics::Metrics;
use crate::{Code, Error, Result};
use memory::Budget;
use std::fmt::Debug;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Instant;

/// What a running operation checks to see whether it must end.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    /// When it must have ended (`maxTimeMS`).
    pub deadline: Option<Instant>,
    /// Set when the operation is killed.
    pub kill: Kill,
    /// The client that waits for the answer, if that can be known.
    pub client: Option<Arc<dyn Client>>,
    /// Called when the work has held its thread for long, and again at growing intervals: hands tasks that wait for this
    /// thread to others.
    pub make_room: Option<fn()>,
    /// The metrics of the operation, if they are wanted.
    pub metrics: Option<Arc<Metrics>>,
    /// The memory budget of the operation.
    pub memory: Budget,
}

/// The client that waits for an operation's answer.
pub trait Client: Debug + Send + Sync {
    /// Whether the client is gone.
    fn is_gone(&self) -> bool;
}

/// Why an operation was killed, if it was. All clones share the same state.
#[derive(Clone, Debug, Default)]
pub struct Kill(Arc<AtomicI32>);

impl Kill {
    /// Makes the operation end with this error at its next check.
    pub fn with(&self, code: Code) {
        self.0.store(code.number(), Ordering::Relaxed);
    }

    /// The error with which it has to end; `None` if it was not killed.
    pub fn code(&self) -> Option<Code> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            number => Some(Code::from_number(number)),
        }
    }
}

impl Interruption {
    /// The interruption of the operation on this thread, so that other threads can work for it.
    pub fn current() -> Interruption {
        running::current()
    }

    /// Fails if the time is up or the operation was killed. Also makes room for other tasks of the thread.
    pub fn check(&self) -> Result<()> {
        self.check_at(Instant::now())?;
        running::look()
    }

    /// Runs a future under this interruption.
    pub async fn run<F: Future>(&self, work: F) -> F::Output {
        let mut work = pin!(work);
        poll_fn(|context| within(self, || work.as_mut().poll(context))).await
    }

    fn check_at(&self, now: Instant) -> Result<()> {
        if let Some(code) = self.kill.code() {
            return Err(Error::new(code, "operation was interrupted"));
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Error::new(
                Code::MAX_TIME_MS_EXPIRED,
                "operation exceeded time limit",
            ));
        }
        Ok(())
    }
}
