//! The tests of the engine: one program, which is built faster than one for each file. Those of a file:
//! `cargo test -p engine --test all files::`.

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
