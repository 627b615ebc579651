//! How large reductions of functions in JavaScript may be.

use crate::limits::{REDUCE_LIMIT_BYTES, REDUCE_LIMIT_RATIO};

/// What becomes of a reduction that is hardly smaller than what it was made of (CouchDB's `reduce_limit`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOverflow {
    /// An error stands in its place.
    Refused,
    /// It is taken, and the log says so.
    Logged,
    /// It is taken.
    Taken,
}

/// Which reductions are too large, and what becomes of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReduceLimit {
    /// What becomes of those that are.
    pub overflow: ReduceOverflow,
    /// None is that has no more bytes.
    pub bytes: usize,
    /// None is that is smaller than its input by this factor.
    pub ratio: f64,
}

impl Default for ReduceLimit {
    fn default() -> ReduceLimit {
        ReduceLimit {
            overflow: ReduceOverflow::Refused,
            bytes: REDUCE_LIMIT_BYTES,
            ratio: REDUCE_LIMIT_RATIO,
        }
    }
}

impl ReduceLimit {
    /// Whether the output of a reduction is too large for its input.
    pub(super) fn is_passed(&self, output_bytes: usize, input_bytes: usize) -> bool {
        output_bytes > self.bytes && output_bytes as f64 * self.ratio > input_bytes as f64
    }
}
