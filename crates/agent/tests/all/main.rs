//! Tests of the agent: its spool through crashes and damage, files through rotations, records through transformations.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod configuration;
mod damage;
mod gathered;
mod history;
mod limits;
mod processing;
mod sources;
mod spooled;
mod tailing;
