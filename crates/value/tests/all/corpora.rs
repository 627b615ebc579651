//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#[path = "../../../../fuzz/checks/value.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn raw_documents() {
    run("raw_document", checks::raw_document);
}

#[test]
fn json_texts() {
    run("json", checks::json);
}

#[test]
fn keys() {
    run("key", checks::key);
}
