//! Map/reduce: inputs go through phases, each of which maps objects, follows their links, or reduces what came before.
//!
//! A [`Job`] is what a client asks, parsed; a [`Run`] gives what its phases keep, page by page, so that neither inputs nor
//! streamed results are held as a whole. Functions are JavaScript (`script`), or those of Riak's own Erlang modules, which are
//! here in Rust (`erlang`).
//!
//! What must hold: a script runs within the job's time and within limits of memory, and not on a thread that answers others;
//! no object is read that the user may not read.

mod ahead;
mod erlang;
mod failure;
mod filter;
mod inputs;
mod item;
mod job;
mod object;
mod outline;
mod phase;
mod room;
mod run;
mod running;
mod script;

pub(crate) use failure::Failure;
pub(crate) use job::Job;
pub use outline::{KeyOutline, outline_job};
pub(crate) use run::Run;
