//! The CouchDB protocol on the engine.
//!
//! A request becomes a [`call::Call`]: its path taken apart, its user known. [`route`] finds its endpoint ([`endpoints`], one
//! file a family), which parses what it is asked, calls the engine and encodes the answer. The behaviour is that of CouchDB 3.5;
//! each file names the part of CouchDB's source whose rules it follows.
//!
//! A database is a collection ([`names`]); JSON becomes BSON without a tree between ([`json`]).
//!
//! What must hold: no bytes from a client cause a panic, a hang or unbounded memory; every error has CouchDB's status, error
//! and reason; nothing is read or written that the user may not.
//!
//! Left to others: what edits, histories and changes are (`engine`, and the store below), connections (`http`).

mod attachments;
mod call;
mod compactions;
mod config;
mod cors;
mod database;
mod design;
mod endpoints;
mod error;
mod ids;
pub mod incoming;
pub mod json;
mod jsonp;
mod limits;
mod login;
mod mango;
mod names;
mod outgoing;
pub mod query;
mod replication;
mod request_id;
mod respond;
mod route;
mod row_limit;
mod security;
mod sequence;
mod server;
mod stream;
mod users;

pub use endpoints::changes::check_request as check_changes_request;
pub use error::CouchError;
pub use server::{Options, ServeError, serve};
