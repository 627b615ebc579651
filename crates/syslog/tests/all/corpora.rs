//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#[path = "../../../../fuzz/checks/syslog.rs"]
mod checks;
#[path = "../../../../fuzz/checks/corpus.rs"]
mod corpus;

use corpus::run;

#[test]
fn streams() {
    run("syslog_stream", checks::stream);
}
