//! One thread that flushes the log for all who wait.
//!
//! Each write gets a ticket once it is in the log. One flush covers every ticket given out before it began,
//! so a thousand commits that wait together, of whatever shards, pay for one. What nobody waits for is
//! flushed after [`FLUSH_DELAY`].

use crate::poison::Poison;
use crate::{Error, FLUSH_INTERVAL_MS};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Half of what is promised; the flush itself has the other half.
const FLUSH_DELAY: Duration = Duration::from_millis(FLUSH_INTERVAL_MS / 2);

/// The number of a write in the order of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

type Answer = Result<(), Error>;

/// Owner of the flushing thread, which ends, after a last flush, when this is dropped.
#[derive(Debug)]
pub(super) struct Flusher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    flush_log: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    poison: Poison,
    state: Mutex<State>,
    changed: Condvar,
    flushes: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    written: Ticket,
    flushed: Ticket,
    /// When the oldest write that is not flushed was made.
    unflushed_since: Option<Instant>,
    waiting: Vec<(Ticket, oneshot::Sender<Answer>)>,
    stopping: bool,
}

impl Flusher {
    /// Starts the thread; `flush_log` makes all durable that is in the log when it is called.
    pub(super) fn start(
        poison: Poison,
        flush_log: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<Flusher, Error> {
        let shared = Arc::new(Shared {
            flush_log: Box::new(flush_log),
            poison,
            state: Mutex::default(),
            changed: Condvar::new(),
            flushes: AtomicU64::new(0),
        });
        let thread = std::thread::Builder::new().name("kv-flush".into()).spawn({
            let shared = shared.clone();
            move || shared.run()
        });
        let thread = thread.map_err(|error| Error::Engine {
            doing: "starting the flush thread",
            cause: error.to_string(),
        })?;
        Ok(Flusher {
            shared,
            thread: Some(thread),
        })
    }

    /// Notes that something was written to the log.
    pub(super) fn wrote(&self) -> Ticket {
        let mut state = self.shared.state.lock();
        state.written.0 += 1;
        if state.unflushed_since.is_none() {
            state.unflushed_since = Some(Instant::now());
            self.shared.changed.notify_one();
        }
        state.written
    }

    /// Comes back when the write with this ticket is on the disk.
    pub(super) async fn flushed(&self, ticket: Ticket) -> Result<(), Error> {
        let answer = {
            let mut state = self.shared.state.lock();
            if state.flushed >= ticket {
                return Ok(());
            }
            let (sender, answer) = oneshot::channel();
            state.waiting.push((ticket, sender));
            self.shared.changed.notify_one();
            answer
        };
        answer.await.unwrap_or(Err(Error::Closed))
    }

    /// Comes back when all that is written now is on the disk.
    pub(super) async fn flush(&self) -> Result<(), Error> {
        self.shared.poison.check()?;
        let written = self.shared.state.lock().written;
        self.flushed(written).await
    }

    /// The number of flushes made.
    pub(super) fn flushes(&self) -> u64 {
        self.shared.flushes.load(Ordering::Relaxed)
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.shared.state.lock().stopping = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the flush thread panicked");
        }
    }
}

impl Shared {
    fn run(&self) {
        while let Some(target) = self.next_target() {
            let outcome = match self.poison.check() {
                Ok(()) => (self.flush_log)().map_err(|cause| {
                    tracing::error!(%cause, "a flush of the log failed; writes are stopped");
                    self.poison.set(cause)
                }),
                Err(error) => Err(error),
            };
            self.flushes.fetch_add(1, Ordering::Relaxed);
            self.answer(target, &outcome);
        }
    }

    /// Waits until a flush is due. The last ticket that it will cover; `None` when all is done.
    fn next_target(&self) -> Option<Ticket> {
        let mut state = self.state.lock();
        loop {
            let due_at = state.unflushed_since.map(|since| since + FLUSH_DELAY);
            let due = due_at.is_some_and(|at| at <= Instant::now());
            if !state.waiting.is_empty() || due || (state.stopping && due_at.is_some()) {
                state.unflushed_since = None;
                return Some(state.written);
            }
            match due_at {
                _ if state.stopping => return None,
                Some(at) => {
                    self.changed.wait_until(&mut state, at);
                }
                None => self.changed.wait(&mut state),
            }
        }
    }

    fn answer(&self, target: Ticket, outcome: &Answer) {
        let mut state = self.state.lock();
        if outcome.is_ok() {
            state.flushed = target;
        }
        // A failure is everybody's: after it no flush is tried again.
        let done = state
            .waiting
            .extract_if(.., |(ticket, _)| *ticket <= target || outcome.is_err());
        let done: Vec<_> = done.collect();
        drop(state);
        for (_, sender) in done {
            // Whoever stopped waiting needs no answer.
            let _ = sender.send(outcome.clone());
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Shared")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
