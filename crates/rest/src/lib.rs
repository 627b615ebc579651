//! What all requests of Elasticsearch's REST API share.
//!
//! A request becomes a [`call::Call`]: its path taken apart, its parameters read ([`parameters`]), its user known ([`access`]).
//! The names in it stand for indices ([`resolve`]), which are collections ([`names`]); what Elasticsearch knows of an index
//! besides (settings, mapping, aliases) is kept with the collection ([`index`]), and what it knows of the server as a whole
//! in a collection of its own ([`kept`]). What it is answered is a [`respond::Answer`], in the form that the client wants.
//!
//! What must hold: every error has Elasticsearch's form; a parameter that is not understood is an error that names it; nothing
//! is read or written that the user may not.
//!
//! Left to others: what each path does (`elastic`), what an index is (`indices`), connections (`http`).

pub mod access;
pub mod api_keys;
mod body;
pub mod call;
pub mod compiled;
pub mod contexts;
pub mod definition;
pub mod failed;
pub mod index;
pub mod kept;
pub mod limits;
pub mod listed;
pub mod names;
pub mod node;
pub mod parameters;
pub mod pipelines;
pub mod resolve;
pub mod respond;
pub mod routed;
pub mod server;
pub mod source;
pub mod streams;
pub mod tasks;
