//! The tests of the store: one program, which is built faster than one for each file. Those of a file:
//! `cargo test -p store --test all capped::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod capped;
mod catalog;
mod changes;
mod crash;
mod damage;
mod documents;
mod embedded;
mod ids;
mod index_kinds;
mod indexes;
mod partitions;
mod placed;
mod record_cache;
mod repeats;
mod retries;
mod revisions;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
