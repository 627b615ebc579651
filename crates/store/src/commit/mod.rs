//! Commits: the one way to change documents.
//!
//! A caller's operations become a [`request::Request`] in the collection's [`queue`]; the caller that finds no
//! committer running starts one ([`committer`]). The committer takes all waiting requests, builds one batch from them
//! ([`group::Group`]), commits it once and answers each caller. Operations read the store through the changes that the
//! batch has made so far ([`apply`]), so each sees those before it.

mod apply;
mod capped;
mod committer;
mod counts;
mod edit;
mod entries;
mod group;
mod history;
mod local;
mod modify;
mod notes;
mod overlay;
mod place;
mod placed;
mod prefetch;
mod queue;
mod repeat;
mod request;
mod resolve;
mod session;
mod statement;
mod types;
mod widths;
mod writer;

pub(crate) use group::Group;
pub(crate) use notes::put_term;
pub use placed::PlacedDocument;
pub(crate) use queue::Queue;
pub(crate) use session::Session;
pub use types::{
    CommitOptions, Edit, EditOrigin, Image, Notes, Outcome, Present, ReplayedKind, ReplayedOutcome, Resolve,
    StatementId, Target, Terms, Transform, Transformed, WriteOp,
};
pub(crate) use writer::{Writer, align};
