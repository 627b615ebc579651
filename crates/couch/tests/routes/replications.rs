//! Replications: how they are requested, and how they are reported.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_replications_get_couchdbs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case("PUT /a", "", 201, r#"{"ok": true}"#),
    case("PUT /b", "", 201, r#"{"ok": true}"#),
    case("PUT /a/one", r#"{"n": 1}"#, 201, r#"{"ok": true}"#),
    case(
        "POST /_replicate",
        r#"{"source": "a", "target": "b"}"#,
        200,
        r#"{"ok": true, "history": [{"docs_written": 1, "doc_write_failures": 0}]}"#,
    ),
    case("GET /b/one", "", 200, r#"{"n": 1}"#),
    // A design document with an attachment is read by itself, by a path with the slash of its id.
    case(
        "PUT /a/_design/d",
        r#"{"_attachments": {"t": {"content_type": "text/plain", "data": "aGVsbG8="}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_replicate",
        r#"{"source": "a", "target": "b"}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case("GET /b/_design/d/t", "", 200, "hello"),
    case(
        "POST /_replicate",
        r#"{"source": "nothing", "target": "b"}"#,
        500,
        r#"{"error": "db_not_found"}"#,
    ),
    case(
        "POST /_replicate",
        r#"{"source": "a"}"#,
        500,
        r#"{"error": "bad_rep_doc"}"#,
    ),
    case("GET /_replicate", "", 405, r#"{"reason": "Only POST allowed"}"#),
    case(
        "GET /_scheduler/jobs",
        "",
        200,
        r#"{"total_rows": 0, "offset": 0, "jobs": []}"#,
    ),
    case(
        "POST /_scheduler/jobs",
        "",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case(
        "POST /_replicate",
        r#"{"source": "a", "target": "b", "continuous": true}"#,
        202,
        r#"{"ok": true, "_local_id": "*"}"#,
    ),
    case(
        "GET /_scheduler/jobs/<_local_id>",
        "",
        200,
        r#"{"id": "<_local_id>", "source": "*"}"#,
    ),
    case(
        "GET /_scheduler/jobs/nothing",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "POST /_replicate",
        r#"{"replication_id": "<_local_id>", "cancel": true}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_replicate",
        r#"{"replication_id": "<_local_id>", "cancel": true}"#,
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /_scheduler/docs",
        "",
        200,
        r#"{"total_rows": 0, "docs": []}"#,
    ),
    case("PUT /_replicator", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /_replicator/job",
        r#"{"source": "a", "target": "b", "continuous": true}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator",
        "",
        200,
        r#"{"total_rows": 1, "docs": [{"doc_id": "job"}]}"#,
    ),
    case(
        "PUT /_replicator/next",
        r#"{"source": "a", "target": "c", "continuous": true}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_scheduler/docs?descending=true&limit=1",
        "",
        200,
        r#"{"total_rows": 2, "offset": 0, "docs": [{"doc_id": "next"}]}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator?start_key=%22k%22",
        "",
        200,
        r#"{"total_rows": 2, "offset": 1, "docs": [{"doc_id": "next"}]}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator?end_key=%22k%22&skip=1",
        "",
        200,
        r#"{"total_rows": 2, "offset": 1, "docs": []}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator/job",
        "",
        200,
        r#"{"database": "_replicator", "doc_id": "job"}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator/nothing",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /_scheduler/docs/nothing",
        "",
        400,
        r#"{"error": "bad_request", "reason": "Invalid path"}"#,
    ),
    case("PUT /x%2F_replicator", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /x%2F_replicator/job",
        r#"{"source": "a", "target": "b", "continuous": true}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_scheduler/docs/x/_replicator",
        "",
        200,
        r#"{"total_rows": 1}"#,
    ),
    case(
        "GET /_scheduler/docs/x/_replicator/job",
        "",
        200,
        r#"{"doc_id": "job"}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator?states=Completed",
        "",
        200,
        r#"{"docs": []}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator?states=lost",
        "",
        400,
        r#"{"error": "query_parse_error",
            "reason": "States must be one or more of [initializing,error,running,pending,crashing,completed,failed]"}"#,
    ),
    case(
        "GET /_scheduler/docs?limit=x",
        "",
        400,
        r#"{"error": "query_parse_error", "reason": "Invalid value for integer: \"x\""}"#,
    ),
    case(
        "GET /_scheduler/docs?skip=-1",
        "",
        400,
        r#"{"error": "query_parse_error", "reason": "Invalid value for positive integer: \"-1\""}"#,
    ),
    case(
        "GET /_scheduler/jobs?limit=x",
        "",
        400,
        r#"{"error": "query_parse_error", "reason": "limit must be an integer"}"#,
    ),
    case(
        "GET /_scheduler/jobs?skip=-1",
        "",
        400,
        r#"{"error": "query_parse_error", "reason": "skip not in range of [0,infinity]"}"#,
    ),
    case("PUT /x%2Fy%2F_replicator", "", 201, r#"{"ok": true}"#),
    case(
        "GET /_scheduler/docs/x/y/_replicator",
        "",
        200,
        r#"{"total_rows": 0}"#,
    ),
    case(
        "GET /_scheduler/docs/y/_replicator",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /_scheduler/docs/y/_replicator/job",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "POST /_scheduler/docs",
        "",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case("GET /_scheduler", "", 404, r#"{"error": "not found"}"#),
];

#[test]
fn settings_say_what_requests_for_replications_do_not() {
    run(SETTINGS);
}

const SETTINGS: &[Case] = &[
    case("PUT /a", "", 201, ""),
    case("PUT /b", "", 201, ""),
    case("PUT /a/one", r#"{"n": 1}"#, 201, ""),
    case(
        "PUT /_node/_local/_config/replicator/use_checkpoints",
        r#""false""#,
        200,
        "",
    ),
    // Not a number, so it has no effect.
    case(
        "PUT /_node/_local/_config/replicator/worker_processes",
        r#""many""#,
        200,
        "",
    ),
    case(
        "POST /_replicate",
        r#"{"source": "a", "target": "b"}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case("GET /b/one", "", 200, r#"{"n": 1}"#),
    case("GET /b/_local_docs", "", 200, r#"{"rows": []}"#),
    case(
        "POST /_replicate",
        r#"{"source": "a", "target": "b", "use_checkpoints": true}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case("GET /b/_local_docs", "", 200, r#"{"rows": ["*"]}"#),
    case(
        "PUT /_node/_local/_config/replicator/valid_endpoint_protocols",
        r#""https""#,
        200,
        "",
    ),
    case(
        "POST /_replicate",
        r#"{"source": "http://127.0.0.1:1/a", "target": "b"}"#,
        400,
        r#"{"error": "invalid_replication", "reason": "endpoint has an invalid url"}"#,
    ),
];
