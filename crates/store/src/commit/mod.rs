//! Commits: the one way to change documents.

mod types;

pub use types::{
    CommitOptions, Image, Outcome, Present, ReplayedKind, ReplayedOutcome, StatementId, Target, Transform,
    Transformed, WriteOp,
};
