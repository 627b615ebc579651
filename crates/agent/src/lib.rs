//! Gathers what a device writes, and sends it to a server: each record once.
//!
//! A [`source`] reads messages; its [`processor`] makes records of them; the [`spool`] keeps them on disk, together with the position
//! that the source reached; [`send`] brings them to the server. The id of a record is given when it is spooled, and the server
//! refuses what it has, so a request may be made again whatever became of the first one.
//!
//! What must hold: a position is never ahead of what is kept on disk; a record leaves the disk when the server has it, or when
//! it is among the rejects; what is lost on purpose is counted.
//!
//! Left to others: the forms of lines (`logline`), connections (`http`). Nothing of the store is known here.

mod check;
mod counters;
mod processor;
mod run;
mod send;
mod status;

pub mod cli;
pub mod config;
pub mod source;
pub mod spool;

pub use check::check;
pub use counters::{AgentCounter, AgentCounters};
pub use processor::Processor;
pub use run::run;
pub use status::show;
