//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#[path = "../../../../fuzz/checks/riak.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn messages() {
    run("riak_message", checks::message);
}

#[test]
fn jobs() {
    run("riak_job", checks::job);
}

#[test]
fn clocks() {
    run("riak_clock", checks::clock);
}
