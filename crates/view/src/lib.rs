//! Incremental map/reduce over the change log, as CouchDB has it.
//!
//! A design document's views are one [`Group`]: a follower of a collection's change log. Its map functions run in
//! JavaScript over each changed document; the rows that they emit stand in B+trees of compressed pages, in the order of
//! CouchDB's collation, with the reductions of all that is below a page beside it. A [`Query`] becomes an [`Answer`],
//! row by row or reduced.
//!
//! What must hold: the rows of a view are those that its map function emits for the documents as of
//! [`Answer::sequence`], whatever happened on the way there (crashes, updates, deletions); an update is one commit at a
//! time, and each leaves that true.
//!
//! Left to others: where pages are kept (`store`), how documents become JSON (a [`Render`] is handed in), what of a
//! query is in a URL (the protocol).

mod codec;
mod design;
mod error;
mod group;
mod javascript;
mod key;
mod query;
mod reduce;
mod tree;

pub mod limits;

pub use design::{Definition, check as check_design, check_language};
pub use error::{Error, Result};
pub use group::{Group, GroupInfo, Progress, Render, RenderOptions, Views};
pub use javascript::{Functions, List, ListStep, Program, Refusal, ScriptError, ScriptLimits, Sent, Sources};
pub use query::{Answer, AnswerRow, Grouping, Query, Update};
pub use reduce::{ReduceLimit, ReduceOverflow};
pub use store::Order;
