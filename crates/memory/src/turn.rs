//! Turns of those who read long values for an answer.

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a long document of 16 MB takes with the answer that is made of it. There is one turn for each of them in the budget, and two at
/// least: what is read is counted only when it is there, so these are what answers can take beyond their limit.
const LONG_READ_BYTES: usize = 32 << 20;

/// The turns that a budget of this many bytes has.
pub(crate) fn turns(bytes: usize) -> usize {
    (bytes / LONG_READ_BYTES).clamp(2, Semaphore::MAX_PERMITS)
}

/// The right to read something for an answer. To be kept until what the answer takes is counted.
#[derive(Debug)]
#[must_use = "the turn ends when it is dropped"]
pub struct Turn {
    /// Nothing, if what is read cannot be long.
    pub(crate) _permit: Option<OwnedSemaphorePermit>,
}
