//! Documents: single ones, with attachments, many at once, and their changes.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_documents_get_couchdbs_answers() {
    run(&cases().collect::<Vec<_>>());
}

pub fn cases() -> impl Iterator<Item = Case> {
    [ONE, ATTACHMENTS, MANY, CHANGES, HISTORIES]
        .into_iter()
        .flatten()
        .copied()
}

const ONE: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/a",
        r#"{"n": 1}"#,
        201,
        "Location: /db/a\n\n{\"ok\": true, \"id\": \"a\", \"rev\": \"*\"}",
    ),
    case(
        "PUT /db/a",
        r#"{"n": 2}"#,
        409,
        r#"{"error": "conflict", "reason": "Document update conflict."}"#,
    ),
    case(
        "PUT /db/a",
        "{",
        400,
        r#"{"error": "bad_request", "reason": "invalid UTF-8 JSON"}"#,
    ),
    case("PUT /db/_no", "{}", 400, r#"{"error": "illegal_docid"}"#),
    case(
        "PUT /db/a",
        r#"{"_rev": "<rev>", "n": 2}"#,
        201,
        r#"{"ok": true, "id": "a"}"#,
    ),
    case("GET /db/a", "", 200, r#"{"_id": "a", "_rev": "<rev>", "n": 2}"#),
    case("HEAD /db/a", "", 200, "ETag: \"<rev>\"\n\n"),
    case(
        "GET /db/a?revs=true",
        "",
        200,
        "ETag: \"<rev>\"\n\n{\"_revisions\": {\"start\": 2, \"ids\": [\"*\", \"*\"]}}",
    ),
    case("GET /db/a?open_revs=%5B%5D", "", 200, r#"{"_id": "a", "n": 2}"#),
    case("GET /db/a\nIf-None-Match: \"<rev>\"", "", 304, ""),
    case(
        "GET /db/a?rev=x",
        "",
        400,
        r#"{"error": "bad_request", "reason": "Invalid rev format"}"#,
    ),
    case(
        "GET /db/none",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing"}"#,
    ),
    case(
        "COPY /db/a\nDestination: b",
        "",
        201,
        r#"{"ok": true, "id": "b"}"#,
    ),
    case(
        "COPY /db/a",
        "",
        400,
        r#"{"error": "bad_request", "reason": "Destination header is mandatory for COPY."}"#,
    ),
    case("DELETE /db/b", "", 409, r#"{"error": "conflict"}"#),
    case("DELETE /db/b?rev=<rev>", "", 200, r#"{"ok": true, "id": "b"}"#),
    case(
        "GET /db/b",
        "",
        404,
        r#"{"error": "not_found", "reason": "deleted"}"#,
    ),
    case(
        "POST /db/form\nReferer: http://<host>/\nContent-Type: multipart/form-data; boundary=xx",
        "--xx\r\nContent-Disposition: form-data; name=\"_doc\"\r\n\r\n{\"n\": 1}\r\n--xx--\r\n",
        201,
        r#"{"ok": true, "id": "form"}"#,
    ),
    case(
        "POST /db/form\nReferer: http://elsewhere/",
        "x",
        400,
        r#"{"reason": "Referer header must match host."}"#,
    ),
    case("LINK /db/a", "", 405, r#"{"error": "method_not_allowed"}"#),
    case(
        "PUT /db/_design/d",
        r#"{"language": "javascript"}"#,
        201,
        r#"{"ok": true, "id": "_design/d"}"#,
    ),
    case(
        "GET /db/_design/d",
        "",
        200,
        r#"{"_id": "_design/d", "_rev": "<rev>"}"#,
    ),
    case("GET /db/_design/none", "", 404, r#"{"error": "not_found"}"#),
    case(
        "PUT /db/_design%2Fd/a%2Fnote?rev=<rev>",
        "some text",
        201,
        r#"{"ok": true, "id": "_design/d"}"#,
    ),
    case("GET /db/_design/d/a/note", "", 200, "some text"),
    // Who reads is led to the path with the slash.
    case(
        "GET /db/_design%2Fd/a/note?rev=1-x",
        "",
        301,
        "Location: /db/_design/d/a/note?rev=1-x\n\n",
    ),
    case("HEAD /db/_design%2fd", "", 301, "Location: /db/_design/d\n\n"),
    case("GET /none/_design%2Fd", "", 404, r#"{"error": "not_found"}"#),
    case(
        "DELETE /db/_design%2Fd/a%2Fnote?rev=<rev>",
        "",
        200,
        r#"{"ok": true, "id": "_design/d"}"#,
    ),
    case(
        "DELETE /db/_design%2Fd/_nothing",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "COPY /db/_design/d\nDestination: _design/f",
        "",
        201,
        r#"{"ok": true, "id": "_design/f"}"#,
    ),
    case("DELETE /db/_design/f?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case(
        "POST /db/_design/g\nReferer: http://<host>/\nContent-Type: multipart/form-data; boundary=xx",
        "--xx\r\nContent-Disposition: form-data; name=\"_doc\"\r\n\r\n{}\r\n--xx--\r\n",
        201,
        r#"{"ok": true, "id": "_design/g"}"#,
    ),
    case("DELETE /db/_design%2Fg?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case(
        "PUT /db/_design%2Fh",
        "{}",
        201,
        r#"{"ok": true, "id": "_design/h"}"#,
    ),
    case(
        "COPY /db/_design%2Fh\nDestination: _design/i",
        "",
        201,
        r#"{"ok": true}"#,
    ),
    case("DELETE /db/_design%2Fi?rev=<rev>", "", 200, r#"{"ok": true}"#),
    case(
        "DELETE /db/_design%2Fh?rev=<rev>",
        "",
        409,
        r#"{"error": "conflict"}"#,
    ),
    case("GET /db/_design", "", 404, r#"{"error": "not_found"}"#),
    case("GET /db/_design/d/_nothing", "", 404, r#"{"error": "not_found"}"#),
];

const ATTACHMENTS: &[Case] = &[
    case(
        "PUT /db/with/text\nContent-Type: text/plain",
        "hello",
        201,
        r#"{"ok": true, "id": "with"}"#,
    ),
    case("GET /db/with/text", "", 200, "Content-Type: text/plain\n\nhello"),
    case("GET /db/with/text\nRange: bytes=1-2", "", 200, "hello"),
    case(
        "GET /db/with",
        "",
        200,
        r#"{"_attachments": {"text": {"content_type": "text/plain", "length": 5, "stub": true}}}"#,
    ),
    case(
        "GET /db/with/none",
        "",
        404,
        r#"{"error": "not_found", "reason": "Document is missing attachment"}"#,
    ),
    case(
        "PUT /db/with/text\nContent-Type: text/plain",
        "x",
        409,
        r#"{"error": "conflict"}"#,
    ),
    case("DELETE /db/with/text", "", 409, r#"{"error": "conflict"}"#),
    case("DELETE /db/with/text?rev=<_rev>", "", 200, r#"{"ok": true}"#),
    case(
        "POST /db/with/text",
        "x",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case(
        "PUT /db/_design/d/page.html?rev=1-0\nContent-Type: text/html",
        "x",
        409,
        r#"{"error": "not_found", "reason": "missing_rev"}"#,
    ),
    case(
        "PUT /db/_design/e/page.html\nContent-Type: text/html",
        "<p>",
        201,
        r#"{"ok": true, "id": "_design/e"}"#,
    ),
    case("GET /db/_design/e/page.html", "", 200, "<p>"),
    case(
        "DELETE /db/_design/e/page.html?rev=<rev>",
        "",
        200,
        r#"{"ok": true}"#,
    ),
];

const MANY: &[Case] = &[
    case(
        "POST /db/_bulk_docs",
        r#"{"docs": [{"_id": "c", "n": 3}, {"_id": "a", "n": 9}]}"#,
        201,
        r#"[{"ok": true, "id": "c"}, {"id": "a", "error": "conflict"}]"#,
    ),
    case(
        "POST /db/_bulk_docs",
        r#"{"docs": 1}"#,
        400,
        r#"{"error": "bad_request", "reason": "`docs` parameter must be an array."}"#,
    ),
    case(
        "GET /db/_bulk_docs",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case(
        "POST /db/_bulk_get",
        r#"{"docs": [{"id": "c"}, {"id": "none"}]}"#,
        200,
        r#"{"results": [{"id": "c", "docs": [{"ok": {"n": 3}}]}, {"id": "none", "docs": [{"error": {"error": "not_found"}}]}]}"#,
    ),
    case(
        "POST /db/_bulk_get",
        "{}",
        400,
        r#"{"error": "bad_request", "reason": "Missing JSON list of 'docs'."}"#,
    ),
    case(
        "GET /db/_all_docs?startkey=%22a%22&endkey=%22c%22&include_docs=true",
        "",
        200,
        r#"{"rows": [{"id": "a", "doc": {"n": 2}}, {"id": "c"}]}"#,
    ),
    case(
        "POST /db/_all_docs",
        r#"{"keys": ["c", "none"]}"#,
        200,
        r#"{"rows": [{"id": "c"}, {"key": "none", "error": "not_found"}]}"#,
    ),
    case("GET /db/_all_docs?startkey=a", "", 400, r#"{"error": "*"}"#),
    case(
        "PUT /db/_all_docs",
        "{}",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case(
        "POST /db/_all_docs/queries",
        r#"{"queries": [{"key": "a"}, {"limit": 0}]}"#,
        200,
        r#"{"results": [{"rows": [{"id": "a"}]}, {"rows": []}]}"#,
    ),
    case(
        "POST /db/_all_docs/queries\nContent-Type: text/plain",
        r#"{"queries": [{"limit": 0}]}"#,
        200,
        r#"{"results": [{"rows": []}]}"#,
    ),
    case(
        "POST /db/_all_docs/queries",
        "{}",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "GET /db/_design_docs",
        "",
        200,
        r#"{"rows": [{"id": "_design/d"}, {"id": "_design/e"}, {"id": "_design/h"}]}"#,
    ),
    case(
        "POST /db/_design_docs",
        r#"{"keys": ["_design/d"]}"#,
        200,
        r#"{"rows": [{"id": "_design/d"}]}"#,
    ),
    case(
        "POST /db/_design_docs",
        r#"{"keys": ["a", 5, "_design/d", "_design/none"]}"#,
        200,
        r#"{"rows": [{"id": "_design/d"}, {"key": "_design/none", "error": "not_found"}]}"#,
    ),
    case(
        "POST /db/_design_docs/queries",
        r#"{"queries": [{"keys": ["_design/d", "a"], "descending": true, "limit": 1}]}"#,
        200,
        r#"{"results": [{"rows": []}]}"#,
    ),
    case(
        "GET /db/_design_docs?limit=-1",
        "",
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
    case(
        "POST /db/_design_docs/queries",
        r#"{"queries": [{"limit": 1}]}"#,
        200,
        r#"{"results": [{"rows": [{"id": "_design/d"}]}]}"#,
    ),
    case(
        "GET /db/_design_docs/queries",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
];

const CHANGES: &[Case] = &[
    case(
        "GET /db/_changes?limit=1",
        "",
        200,
        r#"{"results": [{"seq": "*", "id": "*", "changes": [{"rev": "*"}]}], "last_seq": "*", "pending": "*"}"#,
    ),
    case(
        "GET /db/_changes?since=<last_seq>&limit=100",
        "",
        200,
        r#"{"pending": 0}"#,
    ),
    case(
        "POST /db/_changes?filter=_doc_ids",
        r#"{"doc_ids": ["c"]}"#,
        200,
        r#"{"results": [{"id": "c"}]}"#,
    ),
    case(
        "GET /db/_changes?feed=longpoll&since=now&timeout=1",
        "",
        200,
        r#"{"results": []}"#,
    ),
    case(
        "GET /db/_changes?filter=_selector",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case("GET /db/_changes?since=nonsense", "", 400, r#"{"error": "*"}"#),
    case("PUT /db/_changes", "", 405, r#"{"error": "method_not_allowed"}"#),
];

const HISTORIES: &[Case] = &[
    case(
        "POST /db/_revs_diff",
        r#"{"c": ["9-x"]}"#,
        200,
        r#"{"c": {"missing": ["9-x"], "possible_ancestors": ["*"]}}"#,
    ),
    case("POST /db/_revs_diff", "[]", 400, r#"{"error": "bad_request"}"#),
    case(
        "POST /db/_missing_revs",
        r#"{"c": ["9-x"]}"#,
        200,
        r#"{"missing_revs": {"c": ["9-x"]}}"#,
    ),
    case(
        "POST /db/_missing_revs",
        r#"{"c": ["x"]}"#,
        400,
        r#"{"error": "bad_request", "reason": "Invalid rev format"}"#,
    ),
    // The revisions that are there come first, each once, and in order.
    case(
        "POST /db/_bulk_docs",
        r#"{"new_edits": false, "docs": [{"_id": "leaves", "_rev": "1-z"}, {"_id": "leaves", "_rev": "1-x"}, {"_id": "leaves", "_rev": "2-a"}]}"#,
        201,
        "[]",
    ),
    case(
        "GET /db/leaves?open_revs=all\nAccept: application/json",
        "",
        200,
        r#"[{"ok": {"_rev": "1-x"}}, {"ok": {"_rev": "1-z"}}, {"ok": {"_rev": "2-a"}}]"#,
    ),
    case(
        "GET /db/leaves?open_revs=%5B%2210-q%22,%221-z%22,%229-q%22,%221-x%22,%221-z%22%5D\nAccept: application/json",
        "",
        200,
        r#"[{"ok": {"_rev": "1-x"}}, {"ok": {"_rev": "1-z"}}, {"missing": "9-q"}, {"missing": "10-q"}]"#,
    ),
];
