//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#[path = "../../../../fuzz/checks/painless.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn the_corpus_of_scripts_is_accepted_or_refused_as_named() {
    run("painless_script", checks::script);
}
