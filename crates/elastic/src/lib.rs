//! Elasticsearch's HTTP protocol on the engine.
//!
//! [`serve()`] takes requests on. Each becomes a [`rest::call::Call`]: its path taken apart, its user known. [`route`] finds its
//! endpoint ([`endpoints`], one file a family), which parses what it is asked, calls the engine and encodes the answer.
//!
//! What must hold: no bytes from a client cause a panic, a hang or unbounded memory; every error has Elasticsearch's form;
//! a parameter that is not understood is an error that names it; nothing is read or written that the user may not.
//!
//! Left to others: what requests share (`rest`), what queries mean (`search`), and mappings (`mapping`), revisions and changes
//! (`engine`), connections (`http`).

mod blocked;
mod endpoints;
mod human;
mod index_names;
mod lifecycle;
mod limits;
mod lookups;
mod route;
mod serve;
mod tail;

pub use serve::{Options, Protocol, serve};

/// How many items a body of `_bulk` has; `None` where it is refused.
pub fn bulk_items(body: &[u8]) -> Option<usize> {
    endpoints::bulk::items_of(body)
}
