//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p query
//! --test all filter_partial::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod distinct_runs;
mod draw;
mod filter_partial;
mod filter_property;
mod find_batches;
mod find_index_key;
mod find_long;
mod find_text;
mod in_hand;
mod index_changes;
mod plan_ended;
mod plan_equivalence;
mod plan_explain;
mod plan_race;
mod plan_stages;
#[path = "../support/mod.rs"]
mod support;
mod update_writes;
#[path = "../write_support/mod.rs"]
mod write_support;
