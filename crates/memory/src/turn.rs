//! Turns of those who read long values for an answer.

use tokio::sync::OwnedSemaphorePermit;

/// The long values that are read for answers at the same time. What they take is counted only when they are read, so these are what
/// answers can take beyond their limit.
pub(crate) const LONG_READS_MAX: usize = 4;

/// The right to read something for an answer. To be kept until what the answer takes is counted.
#[derive(Debug)]
#[must_use = "the turn ends when it is dropped"]
pub struct Turn {
    /// Nothing, if what is read cannot be long.
    pub(crate) _permit: Option<OwnedSemaphorePermit>,
}
