//! The tests of the key-value store: one program, which is built faster than one for each file. Those of a file:
//! `cargo test -p kv --test all checkpoint::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archive;
mod checkpoint;
mod commits;
#[path = "../common/mod.rs"]
mod common;
mod crashes;
mod embedded;
mod folder;
mod full;
mod large;
mod log_damage;
mod model;
mod reads;
