//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#[path = "../../../../fuzz/checks/value.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn the_corpus_of_raw_documents_is_accepted_or_refused_as_named() {
    run("raw_document", checks::raw_document);
}

#[test]
fn the_corpus_of_json_texts_is_accepted_or_refused_as_named() {
    run("json", checks::json);
}

#[test]
fn the_corpus_of_keys_is_accepted_or_refused_as_named() {
    run("key", checks::key);
}
