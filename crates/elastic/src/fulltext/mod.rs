//! The full-text indexes of collections: each follows the change log of its own, and a search takes what it has not reached yet
//! from the documents.
//!
//! [`follow`] is the task that writes an index, [`state`] what is known of one, [`find`] a search by one, [`collect`] its
//! aggregations, [`tail`] what the index has not reached. An index can be thrown away at any moment:
//! it is made anew from the documents.

mod collect;
pub(crate) mod find;
mod follow;
mod keys;
mod state;
mod sweep;
mod tail;

pub(crate) use follow::begin;
pub(crate) use state::{Following, Indexes, Published};
pub(crate) use sweep::sweep;
