//! Flushes of the log, each shared by all commits that wait.
//!
//! Each write gets a ticket once it is in the log. One flush covers every ticket issued before it began, so a thousand
//! commits that wait together, of any shards, share one. A commit that arrives while no flush is under way makes it on its
//! own thread. Commits that arrive during a flush are served by a thread kept for that, which also flushes writes that
//! nobody waits for, after [`FLUSH_DELAY`].

use super::worker::Thread;
use crate::poison::Poison;
use crate::threads::may_block_in_place;
use crate::{Error, FLUSH_INTERVAL_MS};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Half of the promised time; the other half is for the flush itself.
const FLUSH_DELAY: Duration = Duration::from_millis(FLUSH_INTERVAL_MS / 2);

/// The number of a write in the order of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

type Answer = Result<(), Error>;

/// Owner of the thread that flushes for others, which ends, after a last flush, when this is dropped.
#[derive(Debug)]
pub(super) struct Flusher {
    shared: Arc<Shared>,
    /// Joined on drop, after `stopping` was set.
    _thread: Thread,
}

struct Shared {
    flush_log: Box<dyn Fn() -> Answer + Send + Sync>,
    poison: Poison,
    /// The standard library's lock: it never yields the processor while it spins, which on a busy machine
    /// costs a time slice at each hand-over, ten times the flush.
    state: Mutex<State>,
    changed: Condvar,
    flushes: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    written: Ticket,
    flushed: Ticket,
    /// When the oldest write that nobody waits for was made.
    soon_since: Option<Instant>,
    waiting: Vec<(Ticket, oneshot::Sender<Answer>)>,
    /// Whether a flush is under way.
    flushing: bool,
    stopping: bool,
}

impl State {
    /// Begins a flush and returns the last ticket that it covers. Writes that reach the log while it runs may be
    /// covered too, but that is not known.
    fn begin(&mut self) -> Ticket {
        self.flushing = true;
        self.soon_since = None;
        self.written
    }
}

impl Flusher {
    /// Starts the thread. `flush_log` must make durable all that is in the log when it is called; a failure after which
    /// nobody knows what is on the disk must have set the poison.
    pub(super) fn start(
        poison: Poison,
        flush_log: impl Fn() -> Answer + Send + Sync + 'static,
    ) -> Result<Flusher, Error> {
        let shared = Arc::new(Shared {
            flush_log: Box::new(flush_log),
            poison,
            state: Mutex::default(),
            changed: Condvar::new(),
            flushes: AtomicU64::new(0),
        });
        let thread = Thread::start("kv-flush", {
            let shared = shared.clone();
            move || shared.run()
        })?;
        Ok(Flusher {
            shared,
            _thread: thread,
        })
    }

    /// Notes that something was written to the log. To be followed by [`Flusher::flushed`] or
    /// [`Flusher::flush_soon`].
    pub(super) fn wrote(&self) -> Ticket {
        let mut state = self.shared.lock();
        state.written.0 += 1;
        state.written
    }

    /// Has the write with this ticket flushed in time, though nobody waits for it.
    pub(super) fn flush_soon(&self, ticket: Ticket) {
        let mut state = self.shared.lock();
        if state.flushed < ticket && state.soon_since.is_none() {
            state.soon_since = Some(Instant::now());
            drop(state);
            self.shared.changed.notify_one();
        }
    }

    /// Returns once the write with this ticket is on the disk.
    pub(super) async fn flushed(&self, ticket: Ticket) -> Result<(), Error> {
        let (sender, answer) = oneshot::channel();
        {
            let mut state = self.shared.lock();
            if state.flushed >= ticket {
                return Ok(());
            }
            if !state.flushing && may_block_in_place() {
                let target = state.begin();
                drop(state);
                return tokio::task::block_in_place(|| self.shared.flush(target));
            }
            state.waiting.push((ticket, sender));
        }
        self.shared.changed.notify_one();
        answer.await.unwrap_or(Err(Error::Closed))
    }

    /// Returns once all that is written now is on the disk.
    pub(super) async fn flush(&self) -> Result<(), Error> {
        self.shared.poison.check()?;
        let written = self.shared.lock().written;
        self.flushed(written).await
    }

    /// The number of flushes made.
    pub(super) fn flushes(&self) -> u64 {
        self.shared.flushes.load(Ordering::Relaxed)
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.changed.notify_one();
    }
}

impl Shared {
    /// Ignores a poisoned lock: no code that may panic runs under it, so the state is consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some(target) = self.next_target() {
            // `flush` has passed a failure to all that wait. At a stop, it is not tried again.
            if self.flush(target).is_err() && self.lock().stopping {
                return;
            }
        }
    }

    /// Waits until a flush is due that nobody else makes, and begins it. `None` at a stop, once nothing is left to
    /// flush.
    fn next_target(&self) -> Option<Ticket> {
        let mut state = self.lock();
        loop {
            let due_at = state.soon_since.map(|since| since + FLUSH_DELAY);
            let due = due_at.is_some_and(|at| at <= Instant::now());
            // At the end, writes that nobody waits for are flushed too.
            let last = state.stopping && state.flushed < state.written && self.poison.check().is_ok();
            if !state.flushing && (!state.waiting.is_empty() || due || last) {
                return Some(state.begin());
            }
            state = match due_at {
                _ if state.stopping && !state.flushing => return None,
                Some(at) if !state.flushing => {
                    let rest = at.saturating_duration_since(Instant::now());
                    self.changed
                        .wait_timeout(state, rest)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                _ => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Makes the flush that was begun, and answers all commits that it covers.
    fn flush(&self, target: Ticket) -> Answer {
        let outcome = self.poison.check().and_then(|()| {
            self.flushes.fetch_add(1, Ordering::Relaxed);
            (self.flush_log)()
        });
        let mut state = self.lock();
        state.flushing = false;
        if outcome.is_ok() {
            state.flushed = target;
        }
        // A failure concerns all that wait, since its cause is the same for them.
        let served = |ticket: Ticket| ticket <= target || outcome.is_err();
        let done: Vec<_> = state
            .waiting
            .extract_if(.., |(ticket, _)| served(*ticket))
            .collect();
        let thread_is_needed = !state.waiting.is_empty() || state.soon_since.is_some() || state.stopping;
        drop(state);
        if thread_is_needed {
            self.changed.notify_one();
        }
        for (_, sender) in done {
            // The send fails only if the commit was cancelled.
            let _ = sender.send(outcome.clone());
        }
        outcome
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
