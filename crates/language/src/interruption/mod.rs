//! Ending work that takes too long, and making room for others while it runs.
//!
//! Whoever runs an operation does so within its [`Interruption`]. Whatever loops over a client's values meanwhile counts its
//! [`steps`]; every thousand or so, they look whether the operation must end: the time is up, somebody has killed it, or its
//! client has gone. So an expression is not told under which operation it runs, and one that is kept for a cursor runs under
//! the operation that asks for the next batch.

mod running;
mod sort;

pub use running::{COMPARISONS_PER_STEP, STEPS_BETWEEN_LOOKS, long_step, memory, note, steps, within};
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

/// What a running operation looks at to know that it must end.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    /// When it must have ended (`maxTimeMS`).
    pub deadline: Option<Instant>,
    /// Set when somebody ends it.
    pub kill: Kill,
    /// Who waits for the answer, where that can be known.
    pub client: Option<Arc<dyn Client>>,
    /// Called when the work has held its thread for long, and again at growing distances: lets others have what waits
    /// for this thread.
    pub make_room: Option<fn()>,
    /// What the operation has done, where somebody wants to know.
    pub metrics: Option<Arc<Metrics>>,
    /// From what it takes memory.
    pub memory: Budget,
}

/// Who waits for an operation's answer.
pub trait Client: Debug + Send + Sync {
    /// Whether nobody waits any more.
    fn is_gone(&self) -> bool;
}

/// Why an operation was asked to end, if it was. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Kill(Arc<AtomicI32>);

impl Kill {
    /// Asks the operation to end with this error as soon as it looks.
    pub fn with(&self, code: Code) {
        self.0.store(code.number(), Ordering::Relaxed);
    }

    /// The error that it is to end with.
    pub fn code(&self) -> Option<Code> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            number => Some(Code::from_number(number)),
        }
    }
}

impl Interruption {
    /// The interruption of what runs on this thread now, so that other threads can work in its name.
    pub fn current() -> Interruption {
        running::current()
    }

    /// Fails once the time is up or the operation was killed; looks after the thread too.
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
