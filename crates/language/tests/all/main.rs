//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p
//! language --test all conformance::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod conformance;
mod constants;
mod fields;
mod filter_derived;
mod filter_error;
mod filter_match;
mod filter_schema;
mod interruption;
mod projection_find;
mod projection_stage;
mod regexes;
mod script_memory;
mod script_sources;
mod seen;
mod user_roles;
