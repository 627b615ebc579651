//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#[path = "../../../../fuzz/checks/painless.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn scripts() {
    run("painless_script", checks::script);
}
