//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p view
//! --test all crash::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod crash;
mod grouped;
mod limits;
mod members;
mod partitions;
mod reductions;
mod rows;
#[path = "../support/mod.rs"]
mod support;
