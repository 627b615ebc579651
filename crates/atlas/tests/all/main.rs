//! A search with a full-text index returns what a search that reads the documents returns. Two sets of indexes share one
//! store; only one has a folder for files.

#![allow(clippy::unwrap_used, reason = "a test that goes wrong should say so loudly")]

mod equal;
mod store;
