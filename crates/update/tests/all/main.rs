//! The tests of updates: one program, which is built faster than one for each file. Those of a file:
//! `cargo test -p update --test all kinds::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod interruption;
mod kinds;
mod operators;
