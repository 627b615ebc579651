//! Making room for tasks that wait for a busy thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};

/// How long a thread steps aside, so that another one can wake and take over its other tasks, which takes some 50 µs on a quiet machine.
/// An operation of 30 ms steps aside three times, so more than is needed would be noticed.
const STEPS_ASIDE: Duration = Duration::from_micros(150);

/// Whether this thread may block in place, because the runtime lets another one run its other tasks.
pub(crate) fn may_block_in_place() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

/// How often it checks whether another thread has taken over, which takes milliseconds on a busy machine.
const LOOKS_MAX: usize = 40;

/// Hands the tasks that wait for this thread over to another one; for work that has held the thread for long. The work
/// continues here until it awaits something. If no other thread is quick enough, nothing changes.
pub fn make_room() {
    if !may_block_in_place() {
        return;
    }
    // A probe task: once another thread has run it, that thread has taken over.
    let is_taken_over = Arc::new(AtomicBool::new(false));
    let shown = is_taken_over.clone();
    tokio::spawn(async move { shown.store(true, Ordering::Release) });
    tokio::task::block_in_place(|| {
        for _ in 0..LOOKS_MAX {
            std::thread::sleep(STEPS_ASIDE);
            if is_taken_over.load(Ordering::Acquire) {
                break;
            }
        }
    });
}
