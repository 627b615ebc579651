//! What parameters in URLs and bodies do.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_parameters_get_couchdbs_answers() {
    run(CASES);
}

#[test]
fn settings_say_how_large_reductions_may_be() {
    run(REDUCTIONS);
}

const REDUCTIONS: &[Case] = &[
    case("PUT /db", "", 201, ""),
    case("PUT /db/a", "{}", 201, ""),
    case(
        "PUT /db/_design/d",
        r#"{"views": {"v": {"map": "function (doc) { emit(1, 1); }", "reduce": "function () { return new Array(2000).join('grow'); }"}}}"#,
        201,
        "",
    ),
    case(
        "GET /db/_design/d/_view/v",
        "",
        200,
        r#"{"rows": [{"error": "reduce_overflow_error"}]}"#,
    ),
    case(
        "PUT /_node/_local/_config/query_server_config/reduce_limit",
        r#""false""#,
        200,
        "",
    ),
    // Earlier reductions keep their values.
    case(
        "PUT /db/_design/e",
        r#"{"views": {"v": {"map": "function (doc) { emit(2, 1); }", "reduce": "function () { return new Array(2000).join('grow'); }"}}}"#,
        201,
        "",
    ),
    case(
        "GET /db/_design/e/_view/v",
        "",
        200,
        r#"{"rows": [{"key": null, "value": "*"}]}"#,
    ),
];

const CASES: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "POST /db/_bulk_docs",
        r#"{"docs": [{"_id": "a"}, {"_id": "b"}, {"_id": "c"}]}"#,
        201,
        "",
    ),
    // Bodies.
    case(
        "POST /db/_all_docs",
        r#"{"skip": 2147483648}"#,
        200,
        r#"{"rows": []}"#,
    ),
    case(
        "POST /db/_all_docs",
        r#"{"descending": "true", "limit": 1}"#,
        200,
        r#"{"rows": [{"id": "c"}]}"#,
    ),
    case(
        "POST /db/_all_docs",
        r#"{"keys": 5}"#,
        400,
        r#"{"reason": "`keys` body member must be an array."}"#,
    ),
    case(
        "POST /db/_all_docs/queries?limit=1",
        r#"{"queries": [{}, {"limit": 2}]}"#,
        200,
        r#"{"results": [{"rows": [{"id": "a"}]}, {"rows": [{"id": "a"}, {"id": "b"}]}]}"#,
    ),
    case(
        "POST /db/_all_docs/queries",
        r#"{"queries": [{"keys": ["none"]}, {"keys": ["b"]}, {"keys": ["none", "b"]}]}"#,
        200,
        r#"{"results": [{"rows": []}, {"rows": [{"id": "b"}]}, {"rows": [{"error": "not_found"}, {"id": "b"}]}]}"#,
    ),
    case(
        "POST /db/_all_docs",
        r#"{"keys": ["none"]}"#,
        200,
        r#"{"rows": [{"key": "none", "error": "not_found"}]}"#,
    ),
    case(
        "POST /db/_all_docs",
        r#"{"keys": ["a", 5]}"#,
        400,
        r#"{"error": "illegal_docid", "reason": "5"}"#,
    ),
    case(
        "POST /db/_all_docs",
        r#"{"keys": ["a", 5], "limit": 1}"#,
        200,
        r#"{"rows": [{"id": "a"}]}"#,
    ),
    case(
        "POST /db/_all_docs/queries",
        r#"{"queries": 5}"#,
        400,
        r#"{"reason": "`queries` member must be an array."}"#,
    ),
    // URLs.
    case(
        "GET /db/_all_docs?descending=TRUE&limit=1",
        "",
        200,
        r#"{"rows": [{"id": "c"}]}"#,
    ),
    case(
        "GET /db/_all_docs?startkey_docid=b&endkey_docid=c&inclusive_end=false",
        "",
        200,
        r#"{"rows": [{"id": "b"}]}"#,
    ),
    case(
        "GET /db/_all_docs?startkey=%22c%22&startkey_docid=a",
        "",
        200,
        r#"{"rows": [{"id": "c"}]}"#,
    ),
    case(
        "GET /db/_all_docs?keys=5",
        "",
        400,
        r#"{"reason": "`keys` parameter must be an array."}"#,
    ),
    case(
        "GET /db/_all_docs?keys=%5B%22none%22%5D",
        "",
        200,
        r#"{"rows": [{"key": "none", "error": "not_found"}]}"#,
    ),
    case(
        "GET /db/_all_docs?reduce=true",
        "",
        400,
        r#"{"reason": "Reduce is invalid for map-only views."}"#,
    ),
    case(
        "GET /db/_all_docs?group=true",
        "",
        400,
        r#"{"reason": "Invalid use of grouping on a map view."}"#,
    ),
    // Databases.
    case("PUT /dc", "", 201, r#"{"ok": true}"#),
    case("PUT /dd", "", 201, r#"{"ok": true}"#),
    case("GET /_all_dbs?key=%22dc%22", "", 200, r#"["dc"]"#),
    case(
        "GET /_all_dbs?endkey=%22dd%22&inclusive_end=false",
        "",
        200,
        r#"["db", "dc"]"#,
    ),
    case("GET /_all_dbs?descending=TRUE&limit=1", "", 200, r#"["dd"]"#),
    case("GET /_all_dbs?keys=%5B%22dd%22,%22no%22%5D", "", 200, r#"["dd"]"#),
    case("GET /_all_dbs", "", 200, r#"["db", "dc", "dd"]"#),
    case("GET /_all_dbs\nIf-None-Match: <etag>", "", 304, ""),
    case(
        "GET /_dbs_info?startkey=%22dc%22&limit=1",
        "",
        200,
        r#"[{"key": "dc"}]"#,
    ),
    case(
        "PUT /de?q=0",
        "",
        400,
        r#"{"reason": "The `q` value should be a positive integer."}"#,
    ),
    case(
        "PUT /de?n=",
        "",
        400,
        r#"{"reason": "The `n` value should be a positive integer."}"#,
    ),
    case(
        "PUT /de?placement=az:1,moon",
        "",
        400,
        r#"{"reason": "The `placement` value should be in a format `zone:n`."}"#,
    ),
    case(
        "PUT /de?engine=none",
        "",
        400,
        r#"{"error": "bad_request", "reason": "invalid_engine_extension"}"#,
    ),
    case(
        "PUT /de?q=8&n=1&placement=az:1,co:3&engine=couch",
        "",
        201,
        r#"{"ok": true}"#,
    ),
    // Documents.
    case("PUT /db/d", "{}", 201, r#"{"ok": true}"#),
    case("DELETE /db/d?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case("GET /db/d", "", 404, r#"{"reason": "deleted"}"#),
    case(
        "GET /db/d?deleted=true",
        "",
        200,
        r#"{"_id": "d", "_rev": "<rev>", "_deleted": true}"#,
    ),
    case("GET /db/none?deleted=true", "", 404, r#"{"reason": "missing"}"#),
    case("PUT /db/e", r#"{"n": 1}"#, 201, r#"{"ok": true}"#),
    case(
        "COPY /db/e\nDestination: http://elsewhere/f",
        "",
        400,
        r#"{"error": "bad_request", "reason": "Destination URL must be relative."}"#,
    ),
    case(
        "COPY /db/e\nDestination: f\nIf-Match: 9-x",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "COPY /db/e?rev=<rev>\nDestination: f\nIf-Match: 9-x",
        "",
        400,
        r#"{"reason": "Document rev and etag have different values"}"#,
    ),
    case(
        "COPY /db/e\nDestination: f\nIf-Match: \"<rev>\"",
        "",
        201,
        r#"{"id": "f"}"#,
    ),
    // Many documents.
    case(
        "PUT /db/g",
        r#"{"_attachments": {"t": {"data": "YWJj\r\nZGVm\n"}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case("GET /db/g/t", "", 200, "abcdef"),
    case(
        "POST /db/_bulk_get",
        r#"{"docs": [{"id": "g", "atts_since": ["0-x"]}, {"id": "g", "rev": "<rev>", "atts_since": []}]}"#,
        200,
        r#"{"results": [{"docs": [{"ok": {"_attachments": {"t": {"data": "YWJjZGVm"}}}}]}, {"docs": [{"ok": {"_attachments": {"t": {"stub": true}}}}]}]}"#,
    ),
    case(
        "POST /db/_bulk_get",
        r#"{"docs": [{"id": "g", "atts_since": ["1-x"]}, {"id": "g", "atts_since": ["x"]}, {"id": "g", "atts_since": 5}, {"id": "g", "rev": 5}, {}, {"rev": "1-x"}, {"id": "_g"}]}"#,
        200,
        r#"{"results": [
            {"docs": [{"ok": {"_attachments": {"t": {"data": "YWJjZGVm"}}}}]},
            {"docs": [{"error": {"rev": "x", "error": "bad_request", "reason": "Invalid rev format"}}]},
            {"docs": [{"error": {"rev": 5, "error": "bad_request", "reason": "att_since value must be array of revs."}}]},
            {"docs": [{"error": {"rev": 5, "error": "bad_request", "reason": "Invalid rev format"}}]},
            {"id": null, "docs": [{"error": {"reason": "document must be a JSON object"}}]},
            {"id": null, "docs": [{"error": {"reason": "document id missed"}}]},
            {"id": "_g", "docs": [{"error": {"rev": null, "error": "illegal_docid"}}]}]}"#,
    ),
    case(
        "POST /db/_bulk_get?open_revs=all",
        r#"{"docs": []}"#,
        400,
        r#"{"error": "bad_request", "reason": "\"open_revs\" query parameter is not acceptable"}"#,
    ),
    case(
        "POST /db/_bulk_get?rev=1-a",
        r#"{"docs": []}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    // Changes.
    case(
        "GET /db/_changes?seq_interval=2&limit=3",
        "",
        200,
        r#"{"results": [{"seq": null}, {"seq": "*"}, {"seq": null}], "last_seq": "*"}"#,
    ),
    case(
        "GET /db/_changes?seq_interval=0",
        "",
        400,
        r#"{"error": "bad_request", "reason": "invalid_seq_interval"}"#,
    ),
    case(
        "GET /db/_changes?seq_interval=x",
        "",
        400,
        r#"{"reason": "invalid_seq_interval"}"#,
    ),
    case("GET /db/_changes?limit=1", "", 200, "ETag: \"\n\n"),
    case("GET /db/_changes?limit=1\nIf-None-Match: <etag>", "", 304, ""),
    case("PUT /db/h", "{}", 201, r#"{"ok": true}"#),
    case(
        "GET /db/_changes?limit=1\nIf-None-Match: <etag>",
        "",
        200,
        r#"{"pending": "*"}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector&include_docs=true",
        r#"{"selector": {"_attachments.t.stub": true}, "fields": ["_id", "_attachments.t.stub"]}"#,
        200,
        r#"{"results": [{"id": "g", "doc": {"_id": "g", "_attachments": {"t": {"stub": true}}}}]}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector",
        r#"{"selector": {"_attachments.t.file": {"$exists": true}}}"#,
        200,
        r#"{"results": []}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector",
        r#"{"selector": {}, "fields": "a"}"#,
        400,
        r#"{"error": "bad_request", "reason": "Selector error: fields must be JSON array"}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector",
        r#"{"selector": {"a": {"$no": 1}}}"#,
        400,
        r#"{"error": "bad_request", "reason": "Invalid operator: $no"}"#,
    ),
    // Settings.
    case(
        "PUT /_node/_local/_config/purge/max_revisions_number",
        r#""1""#,
        200,
        "",
    ),
    case(
        "POST /db/_purge",
        r#"{"a": ["1-a", "1-b"]}"#,
        400,
        r#"{"error": "bad_request", "reason": "Exceeded maximum number of revisions."}"#,
    ),
    case(
        "POST /db/_purge",
        r#"{"a": ["1-a"]}"#,
        201,
        r#"{"purged": {"a": []}}"#,
    ),
    case(
        "PUT /_node/_local/_config/couchdb/max_document_id_length",
        r#""9""#,
        200,
        "",
    ),
    case(
        "PUT /_node/_local/_config/couchdb/max_document_size",
        r#""60""#,
        200,
        "",
    ),
    case(
        "PUT /db/123456789a",
        "{}",
        400,
        r#"{"error": "illegal_docid", "reason": "Document id is too long"}"#,
    ),
    case("PUT /db/123456789", "{}", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/i",
        r#"{"text": "as long as sixty characters, which is too long a document"}"#,
        413,
        r#"{"error": "document_too_large", "reason": "i"}"#,
    ),
    case(
        "PUT /db/_local/i",
        r#"{"text": "as long as sixty characters, which is too long a document"}"#,
        413,
        r#"{"error": "document_too_large", "reason": "_local/i"}"#,
    ),
    // Settings.
    case(
        "PUT /_node/_local/_config/s%5D/name",
        r#""v""#,
        400,
        r#"{"error": "bad_request", "reason": "Invalid configuration section"}"#,
    ),
    case(
        "PUT /_node/_local/_config/s/%5Bname",
        r#""v""#,
        400,
        r#"{"reason": "Invalid configuration key"}"#,
    ),
    case(
        "PUT /_node/_local/_config/s/name",
        r#""v\n[admins]""#,
        400,
        r#"{"reason": "Invalid configuration value"}"#,
    ),
];
