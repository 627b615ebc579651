//! `$setWindowFields`: values computed over the neighbours of each document in its partition.
//!
//! [`parse`] reads the stage. When it runs ([`running`]), it sorts all documents by partition and order, takes one partition
//! after the other, and computes each output ([`function`]) in one pass over its documents. The frame ([`frame`]) of a document
//! never begins or ends before that of the document before it, so values that enter the frame are added to a state, and those that
//! leave it are removed ([`removable`]). A function whose state does not allow that is computed anew for each different frame.
//!
//! What must hold: all outputs see the documents as they came in, not the values that other outputs set.

mod frame;
mod function;
mod moving;
mod parse;
mod partition;
mod position;
mod removable;
mod running;
mod scaling;
mod slope;

pub use parse::window_function_names;
pub(super) use parse::{Windows, parse};
