//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../fuzz/checks/couch.rs"]
mod checks;
#[path = "../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn the_corpus_of_documents_is_accepted_or_refused_as_named() {
    run("couch_document", checks::document);
}

#[test]
fn the_corpus_of_queries_is_accepted_or_refused_as_named() {
    run("couch_query", checks::query);
}

#[test]
fn the_corpus_of_requests_for_changes_is_accepted_or_refused_as_named() {
    run("couch_changes", checks::changes);
}

#[test]
fn the_corpus_of_multipart_bodies_is_accepted_or_refused_as_named() {
    run("couch_multipart", checks::multipart);
}
