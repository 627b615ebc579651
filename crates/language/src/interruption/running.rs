//! The operation on a thread, and how often it checks its interruption.

use super::Interruption;
use crate::metrics::Metrics;
use crate::{Code, Result};
use memory::Budget;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// The number of steps between two looks at the clock: a step takes some 100 ns, and so does a look.
pub const STEPS_BETWEEN_LOOKS: usize = 1_000;
/// Comparisons of two values that are done in the time of one step.
pub const COMPARISONS_PER_STEP: usize = 4;
/// How long work holds its thread before it makes room. Most operations have ended by then.
const HOLDS_THREAD_MAX: Duration = Duration::from_millis(5);
/// The longest time until it makes room again: new tasks may be waiting, and the first attempt may have failed.
const ROOM_INTERVAL_MAX: Duration = Duration::from_millis(50);
/// How often work checks whether its client is still there, which is a system call.
const CLIENT_LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// An operation at work on this thread.
struct Running {
    interruption: Interruption,
    /// When it was first seen on this thread.
    since: Option<Instant>,
    /// How long it runs from then until it makes room.
    room_after: Duration,
    /// When it last made room, if it has.
    made_room: Option<Duration>,
    /// How long it runs from then until it checks for its client.
    client_after: Duration,
    /// The regular expressions that it has compiled.
    patterns: usize,
}

thread_local! {
    static STEPS_LEFT: Cell<usize> = const { Cell::new(STEPS_BETWEEN_LOOKS) };
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Counts this many steps, each about the work of a small operator. Fails once the operation must end.
#[inline]
pub fn steps(count: usize) -> Result<()> {
    let left = STEPS_LEFT.get();
    if count < left {
        STEPS_LEFT.set(left - count);
        return Ok(());
    }
    look()
}

/// Before one step that may take tens of milliseconds: makes room for others at once; fails once the operation must end.
pub fn long_step() -> Result<()> {
    RUNNING.with_borrow_mut(|running| running.as_mut().map_or(Ok(()), Running::before_long_step))
}

/// Runs work under an interruption, which its steps and those of all that it calls check.
pub fn within<T>(interruption: &Interruption, work: impl FnOnce() -> T) -> T {
    /// Puts back what ran around it, after a panic too.
    struct Around(Option<Running>);

    impl Drop for Around {
        fn drop(&mut self) {
            RUNNING.set(self.0.take());
        }
    }

    let running = Running {
        interruption: interruption.clone(),
        since: None,
        room_after: HOLDS_THREAD_MAX,
        made_room: None,
        client_after: CLIENT_LOOK_INTERVAL,
        patterns: 0,
    };
    let _around = Around(RUNNING.replace(Some(running)));
    work()
}

pub(super) fn current() -> Interruption {
    RUNNING.with_borrow(|running| {
        let running = running.as_ref();
        running.map_or_else(Interruption::default, |running| running.interruption.clone())
    })
}

/// Notes something in the metrics of the operation on this thread.
pub fn note(what: impl FnOnce(&Metrics)) {
    RUNNING.with_borrow(|running| {
        if let Some(metrics) = running
            .as_ref()
            .and_then(|running| running.interruption.metrics.as_ref())
        {
            what(metrics);
        }
    });
}

/// Counts a regular expression that the operation on this thread compiles. Returns how many these are at a stretch.
pub(crate) fn count_pattern() -> usize {
    RUNNING.with_borrow_mut(|running| {
        running.as_mut().map_or(0, |running| {
            running.patterns += 1;
            running.patterns
        })
    })
}

/// The budget from which the operation on this thread takes memory; without a limit if none runs.
pub fn memory() -> Budget {
    RUNNING.with_borrow(|running| {
        let running = running.as_ref();
        running.map_or_else(Budget::default, |running| running.interruption.memory.clone())
    })
}

/// Checks whether the operation must end, and makes room for others if it has run for long.
#[cold]
pub(super) fn look() -> Result<()> {
    STEPS_LEFT.set(STEPS_BETWEEN_LOOKS);
    RUNNING.with_borrow_mut(|running| running.as_mut().map_or(Ok(()), Running::look))
}

impl Running {
    fn before_long_step(&mut self) -> Result<()> {
        // What waits for this thread was given to others a moment ago, if room was made then.
        let earliest = self.made_room.map_or(Duration::ZERO, |at| at + HOLDS_THREAD_MAX);
        self.room_after = self.room_after.min(earliest);
        self.look()
    }

    fn look(&mut self) -> Result<()> {
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        let held = now - since;
        if held >= self.room_after {
            self.room_after = held + held.min(ROOM_INTERVAL_MAX);
            self.made_room = Some(held);
            if let Some(make_room) = self.interruption.make_room {
                make_room();
            }
        }
        if held >= self.client_after {
            self.client_after = held + CLIENT_LOOK_INTERVAL;
            let client = self.interruption.client.as_ref();
            if client.is_some_and(|client| client.is_gone()) {
                self.interruption.kill.with(Code::CLIENT_DISCONNECT);
            }
        }
        self.interruption.check_at(now)
    }
}
