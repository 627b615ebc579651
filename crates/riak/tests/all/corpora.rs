//! Runs the fuzz targets' corpora as a test: an input named `valid-…` is accepted, one named `invalid-…` is refused, and none
//! panics.

#[path = "../../../../fuzz/checks/riak.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn the_corpus_of_messages_is_accepted_or_refused_as_named() {
    run("riak_message", checks::message);
}

#[test]
fn the_corpus_of_jobs_is_accepted_or_refused_as_named() {
    run("riak_job", checks::job);
}

#[test]
fn the_corpus_of_clocks_is_accepted_or_refused_as_named() {
    run("riak_clock", checks::clock);
}
