//! Commits: the one way to change documents.
//!
//! A caller's operations become a [`queue::Request`]; whoever finds no committer at work starts one. It takes all
//! requests that wait and builds of them one batch ([`group::Group`]), looking at what is stored through what the
//! batch itself has already changed, commits it once, and answers each.

mod capped;
mod counts;
mod edit;
mod entries;
mod group;
mod history;
mod local;
mod modify;
mod overlay;
mod placed;
mod prefetch;
mod queue;
mod request;
mod statement;
mod types;
mod writer;

pub(crate) use group::Group;
pub(crate) use modify::{LOG_DELETED, LOG_PUT, id_key, id_of};
pub use placed::PlacedDocument;
pub(crate) use queue::{Queue, submit};
pub(crate) use statement::Session;
pub use types::{
    CommitOptions, Edit, EditOrigin, Image, Outcome, Present, ReplayedKind, ReplayedOutcome, StatementId,
    Target, Transform, Transformed, WriteOp,
};
pub(crate) use writer::Writer;
