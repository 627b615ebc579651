//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

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
fn bodies_of_searches() {
    run("search_body", checks::body);
}
