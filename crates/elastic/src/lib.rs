//! Elasticsearch's HTTP protocol on the engine.
//!
//! [`serve()`] takes requests on. Each becomes a [`call::Call`]: its path taken apart, its user known. [`route`] finds its
//! endpoint ([`endpoints`], one file a family), which parses what it is asked, calls the engine and encodes the answer.
//! An index is a collection ([`names`]); what Elasticsearch knows of it besides (settings, mapping, aliases) is kept with
//! the collection ([`index`]).
//!
//! What must hold: no bytes from a client cause a panic, a hang or unbounded memory; every error has Elasticsearch's form;
//! a parameter that is not understood is an error that names it; nothing is read or written that the user may not.
//!
//! Left to others: what queries mean (`search`), and mappings (`mapping`), revisions and changes (`engine`), connections (`http`).

mod access;
mod api_keys;
mod body;
mod call;
mod compiled;
mod contexts;
mod definition;
mod endpoints;
mod index;
mod kept;
mod lifecycle;
mod limits;
mod listed;
mod lookups;
mod names;
mod node;
mod parameters;
mod pipelines;
mod resolve;
mod respond;
mod route;
mod routed;
mod serve;
mod server;
mod source;
mod streams;
mod tail;
mod tasks;

pub use serve::{Options, Protocol, serve};

/// How many items a body of `_bulk` has; `None` where it is refused.
pub fn bulk_items(body: &[u8]) -> Option<usize> {
    endpoints::bulk::items_of(body)
}
