//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../fuzz/checks/couch.rs"]
mod checks;
#[path = "../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn documents() {
    run("couch_document", checks::document);
}

#[test]
fn queries() {
    run("couch_query", checks::query);
}

#[test]
fn requests_for_changes() {
    run("couch_changes", checks::changes);
}

#[test]
fn multipart_bodies() {
    run("couch_multipart", checks::multipart);
}
