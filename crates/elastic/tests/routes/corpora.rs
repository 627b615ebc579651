//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#[path = "../../../../fuzz/checks/elastic.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn bodies_of_bulk_requests() {
    run("elastic_bulk", checks::bulk);
}
