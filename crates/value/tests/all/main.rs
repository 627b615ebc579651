//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p value
//! --test all collation::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod collation;
mod collation_options;
mod column;
mod corpora;
mod decimal;
mod json_parse;
mod json_write;
mod key;
mod macros;
mod numbers;
mod order;
mod path_extract;
mod path_visit;
mod raw_documents;
mod raw_validation;
#[path = "../support/mod.rs"]
mod support;
mod timestamps;
mod types;
