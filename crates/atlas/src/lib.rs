//! MongoDB's Atlas Search on the full-text indexes: `$search`, `$searchMeta`, and the indexes that clients name and define.
//!
//! A [`definition`] says which fields are read and how; it is kept with the collection. A field holds the values of one type at
//! one path, so that `number:year` and `string:year` are two ([`fields`]). What `$search` says ([`request`]) becomes a query of
//! the crate `search` by its [`operators`], which [`Atlas`] shows the documents of the collection: those of its index, and what
//! that has not reached yet.
//!
//! What must hold: a search sees every write that was acknowledged before it; what a definition or a search says and nothing here
//! understands is an error that names it.
//!
//! Left to others: indexes on disk and the change log (`indexing`), matching and scores (`search`), the stages of pipelines
//! (`pipeline`), commands (`mongo`).

mod analyzers;
mod catalog;
mod definition;
mod error;
mod facets;
mod fields;
mod highlights;
mod index;
mod operators;
mod paths;
mod request;
mod searches;
mod sorts;
mod spec;

pub use searches::{Atlas, Options};
