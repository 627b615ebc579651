//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#[path = "../../../../fuzz/checks/ingest.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn groks() {
    run("ingest_grok", checks::grok);
}

#[test]
fn dissections() {
    run("ingest_dissect", checks::dissect);
}
