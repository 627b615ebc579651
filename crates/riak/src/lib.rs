//! Riak's protocols on the engine: HTTP, and protocol buffers.
//!
//! [`Riak`] serves both. A message ([`pb`]) or a request (`rest`) is parsed, and what both do alike is below: a bucket is a
//! collection (`names`) with properties (`buckets`), an object is a document with its branches as siblings and notes for what
//! the document does not say (`object`), a vector clock says what a client has seen of it ([`Clock`]).
//!
//! What must hold: no bytes from a client cause a panic, a hang or unbounded memory; what was stored comes back byte for byte
//! with its metadata; nothing that a writer has not seen is lost where siblings are kept; nothing is read or written that the
//! user may not.
//!
//! Left to others: revisions and changes (`engine`), connections (`http`, `net`).

mod access;
mod buckets;
mod clock;
mod content;
pub mod datatype;
mod deadline;
mod error;
mod index;
mod keys;
mod limits;
mod listing;
mod locks;
mod loose_json;
mod mapreduce;
mod missing;
mod names;
mod object;
mod operation;
mod options;
pub mod pb;
mod preflist;
mod random;
mod readers;
mod rest;
mod serve;
mod server;
mod stats;
mod typed;

pub use clock::{Clock, Dot};
pub use mapreduce::{KeyOutline, outline_job};
pub use options::Options;
pub use serve::Riak;
