//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../fuzz/checks/mongo.rs"]
mod checks;
#[path = "../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn the_corpus_of_messages_is_accepted_or_refused_as_named() {
    run("mongo_message", checks::message);
}

#[test]
fn the_corpus_of_compressed_messages_is_accepted_or_refused_as_named() {
    run("mongo_compressed", checks::compressed);
}

#[test]
fn commands_before_a_login() {
    run("mongo_command", checks::command);
}

#[test]
fn the_corpus_of_sasl_payloads_is_accepted_or_refused_as_named() {
    run("mongo_sasl", checks::sasl);
}
