//! Commits: the one way to change documents.
//!
//! A caller's operations become a [`request::Request`] in the collection's [`queue`]; whoever finds no committer at work
//! starts one ([`committer`]). It takes all requests that wait and builds of them one batch ([`group::Group`]), looking at
//! what is stored through what the batch itself has already changed ([`apply`]), commits it once, and answers each.

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
mod overlay;
mod place;
mod placed;
mod prefetch;
mod queue;
mod request;
mod session;
mod statement;
mod types;
mod writer;

pub(crate) use group::Group;
pub use placed::PlacedDocument;
pub(crate) use queue::Queue;
pub(crate) use session::Session;
pub use types::{
    CommitOptions, Edit, EditOrigin, Image, Outcome, Present, ReplayedKind, ReplayedOutcome, StatementId,
    Target, Transform, Transformed, WriteOp,
};
pub(crate) use writer::{Writer, align};
