//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#[path = "../../../../fuzz/checks/ingest.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn the_corpus_of_grok_patterns_is_accepted_or_refused_as_named() {
    run("ingest_grok", checks::grok);
}

#[test]
fn the_corpus_of_dissect_patterns_is_accepted_or_refused_as_named() {
    run("ingest_dissect", checks::dissect);
}
