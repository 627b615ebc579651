//! `$setWindowFields`: values computed over the neighbours of each document in its partition.
//!
//! [`parse`] reads the stage. At work ([`running`]) it sorts all documents by partition and order, takes one partition
//! after the other, and lets each output ([`function`]) go over its documents once: the frame ([`frame`]) of the next
//! document begins and ends nowhere before that of this one, so that what comes in is added to a state and what goes out
//! is removed from it ([`removable`]). A function whose state cannot forget is computed anew for each different frame.
//!
//! What must hold: all outputs see the documents as they came in, not what another output sets.

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
