//! Local documents: every way to write them, and their lists.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_local_documents_get_couchdbs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/_local/l",
        r#"{"n": 1}"#,
        201,
        "ETag: \"0-1\"\n\n{\"ok\": true, \"id\": \"_local/l\", \"rev\": \"0-1\"}",
    ),
    case(
        "PUT /db/_local/l",
        r#"{"_rev": "1-x"}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "GET /db/_local/l",
        "",
        200,
        r#"{"_id": "_local/l", "_rev": "0-1", "n": 1}"#,
    ),
    case("GET /db/_local%2Fl", "", 200, r#"{"_id": "_local/l"}"#),
    case("GET /db/_local/l\nIf-None-Match: <etag>", "", 304, ""),
    case(
        "COPY /db/_local/l\nDestination: _local/m",
        "",
        201,
        r#"{"ok": true, "id": "_local/m", "rev": "0-1"}"#,
    ),
    case("GET /db/_local/m", "", 200, r#"{"_id": "_local/m", "n": 1}"#),
    case("DELETE /db/_local/m", "", 200, r#"{"ok": true}"#),
    case(
        "COPY /db/_local/l\nDestination: of-local",
        "",
        201,
        r#"{"ok": true, "id": "of-local"}"#,
    ),
    case("DELETE /db/of-local?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case("COPY /db/_local/l", "", 400, r#"{"error": "bad_request"}"#),
    case(
        "COPY /db/_local/none\nDestination: _local/m",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /absent/a/b/c",
        "",
        404,
        r#"{"error": "not_found", "reason": "Database does not exist."}"#,
    ),
    case(
        "POST /db/_local/l",
        "{}",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case("GET /db/_local/none", "", 404, r#"{"error": "not_found"}"#),
    case(
        "GET /db/_local_docs",
        "",
        200,
        r#"{"rows": [{"id": "_local/l", "value": {"rev": "0-1"}}]}"#,
    ),
    case(
        "POST /db/_local_docs",
        r#"{"keys": ["_local/none"]}"#,
        200,
        r#"{"rows": [{"key": "_local/none", "error": "not_found"}]}"#,
    ),
    // An id that cannot be a local document's has no row, but is counted.
    case(
        "POST /db/_local_docs",
        r#"{"keys": ["a", 5, "_local/l", "_local/none"], "skip": 1, "limit": 2}"#,
        200,
        r#"{"rows": [{"id": "_local/l"}]}"#,
    ),
    case(
        "GET /db/_local_docs?limit=x",
        "",
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
    case(
        "DELETE /db/_local/l",
        "",
        200,
        r#"{"ok": true, "id": "_local/l"}"#,
    ),
    case("DELETE /db/_local/l", "", 404, r#"{"error": "not_found"}"#),
    case(
        "GET /db/_local",
        "",
        400,
        r#"{"error": "bad_request", "reason": "Invalid _local document id."}"#,
    ),
    case(
        "GET /db/_local/l/text",
        "",
        400,
        r#"{"reason": "_local documents do not accept attachments."}"#,
    ),
    // Every endpoint that can write a document.
    case(
        "POST /db",
        r#"{"_id": "_local/posted", "n": 1}"#,
        201,
        "Location: _local%2Fposted\n\n{\"ok\": true, \"id\": \"_local/posted\", \"rev\": \"0-1\"}",
    ),
    case(
        "POST /db",
        r#"{"_id": "_local/posted", "_rev": "0-1"}"#,
        201,
        r#"{"rev": "0-2"}"#,
    ),
    case(
        "POST /db?batch=ok",
        r#"{"_id": "_local/batch"}"#,
        202,
        r#"{"id": "_local/batch"}"#,
    ),
    case("GET /db/_local/batch", "", 200, r#"{"_rev": "0-1"}"#),
    case("PUT /db/of", r#"{"n": 2}"#, 201, r#"{"ok": true}"#),
    case(
        "COPY /db/of\nDestination: _local/copied",
        "",
        201,
        "ETag: \"0-1\"\n\n{\"id\": \"_local/copied\", \"rev\": \"0-1\"}",
    ),
    case(
        "GET /db/_local/copied",
        "",
        200,
        r#"{"_id": "_local/copied", "n": 2}"#,
    ),
    case(
        "POST /db/_bulk_docs",
        r#"{"docs": [{"_id": "_local/many"}]}"#,
        201,
        r#"[{"ok": true, "id": "_local/many", "rev": "0-1"}]"#,
    ),
    // If one is refused, none is written.
    case(
        "POST /db/_bulk_docs",
        r#"{"docs": [{"_id": "_local/early"}, {"_id": "_local/wrong", "_rev": "1-x"}]}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case("GET /db/_local/early", "", 404, r#"{"error": "not_found"}"#),
    case("PUT /db/_local/posted?rev=0-7", "{}", 201, r#"{"rev": "0-8"}"#),
    case(
        "PUT /db/_local/posted?rev=0-7",
        r#"{"_rev": "0-8"}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case("GET /db/_all_docs", "", 200, r#"{"rows": [{"id": "of"}]}"#),
    case(
        "POST /db/_local_docs/queries",
        r#"{"queries": [{"limit": 1}, {"keys": ["_local/posted", "_local/none"]}]}"#,
        200,
        r#"{"results": [{"rows": [{"id": "_local/batch"}]}, {"rows": [{"id": "_local/posted"}, {"error": "not_found"}]}]}"#,
    ),
    case(
        "POST /db/_local_docs/queries",
        "{}",
        400,
        r#"{"reason": "POST body must include `queries` parameter."}"#,
    ),
    case(
        "GET /db/_local_docs/queries",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
];
