//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#[path = "../../../../fuzz/checks/elastic.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn bodies_of_bulk_requests() {
    run("elastic_bulk", checks::bulk);
}
