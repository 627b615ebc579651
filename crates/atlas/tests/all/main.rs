//! Searches by an index answer as searches of the documents do: two sets of indexes on one store, one with a folder.

#![allow(clippy::unwrap_used, reason = "a test that goes wrong should say so loudly")]

mod equal;
mod store;
