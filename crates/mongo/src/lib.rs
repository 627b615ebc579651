//! The MongoDB wire protocol on the engine.
//!
//! A connection's bytes become messages ([`wire`]), a message becomes a call of one command ([`commands`], one file
//! each, found in one table), its arguments are read as strictly as MongoDB reads them ([`arguments`]), the engine
//! does the work, and the answer goes back in the form in which the question came.
//!
//! The server presents itself as a `mongos`: drivers then use sessions and retryable writes, take every address as
//! an equal, and need no replica-set names.
//!
//! What must hold: no bytes from a client cause a panic, a hang or unbounded memory; where users exist, nothing but
//! the login is answered before it; every error has MongoDB's code, name and words.
//!
//! Left to others: what operations mean and who else runs (`engine`), who may do what (`auth`).

mod access;
mod call;
mod cluster_time;
mod connection;
mod decoding;
mod dispatch;
mod error;
mod establishment;
mod express;
mod failpoint;
mod profile;
mod protocol;
mod read_level;
mod serve;
mod server;
mod topology;

pub mod arguments;
pub mod commands;
pub mod wire;

pub use error::CommandError;
pub use protocol::Protocol;
pub use serve::serve;
pub use server::{Options, ServeError};
