//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p
//! update --test all kinds::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod interruption;
mod kinds;
mod operators;
