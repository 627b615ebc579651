//! What the tests of libraries on Elasticsearch's clients look at.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_of_libraries_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case("PUT /read", "", 200, ""),
    case("PUT /read/_doc/_stats", r#"{"size_in_bytes": 1024}"#, 201, ""),
    // Texts for people beside numbers, but not in documents.
    case(
        "GET /read/_stats/store,get?human",
        "",
        200,
        r#"{"indices": {"read": {"primaries": {"store": {"size": "*", "size_in_bytes": "*"}, "get": {"getTime": "*"}}}}}"#,
    ),
    case(
        "GET /_cluster/health?human=true",
        "",
        200,
        r#"{"active_shards_percent": "*", "task_max_waiting_in_queue": "0s"}"#,
    ),
    case(
        "GET /read/_recovery?human",
        "",
        200,
        r#"{"read": {"shards": [{"start_time": "*", "total_time": "0s"}]}}"#,
    ),
    case("GET /_tasks?human", "", 200, "running_time\":\""),
    case(
        "GET /read/_doc/_stats?human",
        "",
        200,
        r#""_source":{"size_in_bytes":1024}"#,
    ),
];
