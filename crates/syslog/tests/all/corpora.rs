//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#[path = "../../../../fuzz/checks/syslog.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn the_corpus_of_streams_is_accepted_or_refused_as_named() {
    run("syslog_stream", checks::stream);
}
