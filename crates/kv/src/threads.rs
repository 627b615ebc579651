//! What a task owes the others that wait for its thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};

/// How long a thread steps aside, for another one to wake and take its other tasks over: some 50 µs on a quiet machine. An operation
/// of 30 ms steps aside three times, so what is longer than needed is felt.
const STEPS_ASIDE: Duration = Duration::from_micros(150);

/// Whether this thread may block as it is: the runtime then lets another one do its other tasks.
pub(crate) fn may_block_in_place() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

/// How often it looks whether another one has: on a machine that is busy that takes milliseconds.
const LOOKS_MAX: usize = 40;

/// Hands the tasks that wait for this thread over to another one, as work does that has held it for long. It goes on
/// here until it awaits something. Where no other thread was quick enough, nothing has changed.
pub fn make_room() {
    if !may_block_in_place() {
        return;
    }
    // A task that another thread has run shows that there is one.
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
