//! All tests of this crate are one program, which links faster than one program a file. To run one file: `cargo test -p
//! engine --test all files::`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ending;
mod files;
mod fused_groups;
mod graphs;
mod idle_cursors;
mod ids;
mod index_specifications;
mod logins;
mod merging;
mod metadata;
mod pipeline_pushdown;
mod pipelines;
mod plans;
mod rank_fusion;
mod sizes;
mod stage_operands;
#[path = "../support/mod.rs"]
mod support;
mod unended_uploads;
mod upload_memory;
mod validators;
