//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p store
//! --test all capped::`.

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
