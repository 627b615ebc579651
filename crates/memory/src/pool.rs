//! What all shares of one holder have together.

use std::sync::Mutex as BlockingMutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, Notify};

/// The least time between two lines of the log about the same holder.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// How long a thread that waits sleeps before it looks again.
const SLEEP: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) limit: usize,
    pub(crate) held: AtomicUsize,
    pub(crate) held_max: AtomicUsize,
    pub(crate) refused: AtomicU64,
    pub(crate) waiting: AtomicUsize,
    /// Those who wait stand in line for this lock, so that a large share is not overtaken for ever.
    line: Mutex<()>,
    freed: Notify,
    logged: BlockingMutex<Option<Instant>>,
}

impl Pool {
    pub(crate) fn new(limit: usize) -> Pool {
        Pool {
            limit,
            held: AtomicUsize::new(0),
            held_max: AtomicUsize::new(0),
            refused: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            line: Mutex::new(()),
            freed: Notify::new(),
            logged: BlockingMutex::new(None),
        }
    }

    /// Takes bytes if there is room for them.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let fits = |held: usize| {
            let after = held.checked_add(bytes)?;
            (after <= self.limit).then_some(after)
        };
        let taken = self
            .held
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits)
            .is_ok();
        if taken {
            self.note_held();
        }
        taken
    }

    /// Whether less is held than may be.
    pub(crate) fn has_room(&self) -> bool {
        self.held.load(Ordering::SeqCst) < self.limit
    }

    /// Takes bytes whether or not there is room.
    pub(crate) fn charge(&self, bytes: usize) {
        self.held.fetch_add(bytes, Ordering::Relaxed);
        self.note_held();
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        // In one order with those who begin to wait: either they see these bytes, or they are seen here.
        self.held.fetch_sub(bytes, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.freed.notify_one();
        }
    }

    /// Waits in line until `enter` says that there is room.
    pub(crate) async fn wait_until(&self, enter: impl Fn(&Pool) -> bool) {
        if self.waiting.load(Ordering::Relaxed) == 0 && enter(self) {
            return;
        }
        let _waiting = Waiting::in_line(&self.waiting);
        let _turn = self.line.lock().await;
        loop {
            // Listens before it looks, so that nothing is given back unseen in between.
            let freed = self.freed.notified();
            if enter(self) {
                return;
            }
            freed.await;
        }
    }

    /// Takes bytes as soon as there is room for them; false if there is none within the time.
    pub(crate) fn wait_blocking(&self, bytes: usize, time_max: Duration) -> bool {
        if self.take(bytes) {
            return true;
        }
        let _waiting = Waiting::in_line(&self.waiting);
        let begun = Instant::now();
        while begun.elapsed() < time_max {
            std::thread::sleep(SLEEP);
            if self.take(bytes) {
                return true;
            }
        }
        false
    }

    /// Counts a refusal. Returns whether it is to be logged.
    pub(crate) fn refuse(&self) -> bool {
        self.refused.fetch_add(1, Ordering::Relaxed);
        let Ok(mut logged) = self.logged.lock() else {
            return false;
        };
        let is_due = logged.is_none_or(|at| at.elapsed() >= LOG_INTERVAL);
        if is_due {
            *logged = Some(Instant::now());
        }
        is_due
    }

    fn note_held(&self) {
        let held = self.held.load(Ordering::Relaxed);
        if held > self.held_max.load(Ordering::Relaxed) {
            self.held_max.fetch_max(held, Ordering::Relaxed);
        }
    }
}

/// Counts a waiting task, until it is dropped.
struct Waiting<'p>(&'p AtomicUsize);

impl Waiting<'_> {
    fn in_line(waiting: &AtomicUsize) -> Waiting<'_> {
        waiting.fetch_add(1, Ordering::SeqCst);
        Waiting(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
