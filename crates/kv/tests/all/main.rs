//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p kv
//! --test all checkpoint::`.

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
