//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../fuzz/checks/mongo.rs"]
mod checks;
#[path = "../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn messages() {
    run("mongo_message", checks::message);
}

#[test]
fn compressed_messages() {
    run("mongo_compressed", checks::compressed);
}

#[test]
fn commands_before_a_login() {
    run("mongo_command", checks::command);
}

#[test]
fn sasl_payloads() {
    run("mongo_sasl", checks::sasl);
}
