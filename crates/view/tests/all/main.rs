//! The tests of views: one program, which is built faster than one for each file. Those of a file:
//! `cargo test -p view --test all crash::`.

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
