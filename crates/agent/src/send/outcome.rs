//! What became of a request.

use std::time::Duration;

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server says of each record what it did.
    Answered(Answer),
    /// The server takes nothing of a request like this.
    Refused(String),
    /// It is to be tried again; the server may say when.
    Later(String, Option<Duration>),
}

/// What the server says of the records of a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How many it took.
    pub taken: u64,
    /// How many it had.
    pub repeated: u64,
    /// Those it will never take, and why.
    pub refused: Vec<(usize, String)>,
    /// Those it may take later.
    pub again: Vec<usize>,
}
