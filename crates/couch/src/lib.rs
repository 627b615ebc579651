//! The CouchDB protocol on the engine.
//!
//! [`serve()`] takes requests on. Each becomes a [`call::Call`]: its path taken apart, its user known ([`access::login`]).
//! [`route`] finds its endpoint ([`endpoints`], one file a family), which parses what it is asked, calls the engine and encodes
//! the answer. What all requests share is the [`server::Server`], below all of these. The behaviour is that of CouchDB 3.5;
//! each file names the part of CouchDB's source whose rules it follows.
//!
//! A database is a collection ([`access::names`]); JSON becomes BSON without a tree between (`json`).
//!
//! What must hold: no bytes from a client cause a panic, a hang or unbounded memory; every error has CouchDB's status, error
//! and reason; nothing is read or written that the user may not.
//!
//! Left to others: who asks and what they may (`access`), what edits, histories and changes are (`engine`, and the store below),
//! connections (`http`).

mod attachments;
mod call;
mod challenge;
mod compactions;
mod content_encoding;
mod cors;
mod database_events;
mod design;
mod edit_check;
mod endpoints;
mod escaped_design;
mod frames;
mod generators;
pub mod incoming;
mod jsonp;
mod limits;
mod local_documents;
mod mango;
mod minimal;
mod operation;
mod outgoing;
pub mod query;
mod reduce_limit;
mod replication;
mod request_counts;
mod request_id;
mod respond;
mod rights;
mod route;
mod row_limit;
mod script_request;
mod serve;
mod server;
mod stream;
mod text_index;
mod user_databases;
mod vhosts;

pub use ::json;
pub use access::error::CouchError;
pub use endpoints::changes::check_request as check_changes_request;
pub use replication::report::Replications;
pub use serve::{Options, Protocol, serve};
pub use server::ServeError;
