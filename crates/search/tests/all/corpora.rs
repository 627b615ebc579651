//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#[path = "../../../../fuzz/checks/search.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn queries_in_lucenes_form() {
    run("lucene_query", checks::lucene);
}

#[test]
fn the_corpus_of_bodies_of_searches_is_accepted_or_refused_as_named() {
    run("search_body", checks::body);
}
