//! Queries: selectors, views, partitions.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_queries_get_couchdbs_answers() {
    run(&cases().collect::<Vec<_>>());
}

pub fn cases() -> impl Iterator<Item = Case> {
    [CONTENT, SELECTORS, VIEWS, LINKS, PARTITIONS]
        .into_iter()
        .flatten()
        .copied()
}

const DESIGN: &str = r#"{
    "views": {"by_n": {"map": "function(doc) { if (doc.n) emit(doc.n, 1); }", "reduce": "_sum"}},
    "options": {"partitioned": false}
}"#;

const CONTENT: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "POST /db/_bulk_docs",
        r#"{"docs": [{"_id": "a", "n": 1}, {"_id": "b", "n": 2}, {"_id": "c", "n": 3}]}"#,
        201,
        "",
    ),
    case("PUT /db/_design/d", DESIGN, 201, r#"{"ok": true}"#),
    case("PUT /parts?partitioned=true", "", 201, r#"{"ok": true}"#),
    case(
        "POST /parts/_bulk_docs",
        r#"{"docs": [{"_id": "x:1", "n": 1}, {"_id": "x:2", "n": 2}, {"_id": "y:1", "n": 3}]}"#,
        201,
        "",
    ),
    case(
        "PUT /parts/_design/d",
        r#"{"views": {"by_n": {"map": "function(doc) { emit(doc.n, 1); }"}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
];

const SELECTORS: &[Case] = &[
    case(
        "POST /db/_index",
        r#"{"index": {"fields": ["n"]}, "ddoc": "i", "name": "n"}"#,
        200,
        r#"{"result": "created", "id": "_design/i", "name": "n"}"#,
    ),
    case(
        "POST /db/_index",
        r#"{"index": {"fields": ["n"]}, "ddoc": "i", "name": "n"}"#,
        200,
        r#"{"result": "exists"}"#,
    ),
    case("POST /db/_index", r#"{"index": {}}"#, 400, r#"{"error": "*"}"#),
    case(
        "GET /db/_index",
        "",
        200,
        r#"{"total_rows": 2, "indexes": [{"name": "_all_docs", "type": "special"}, {"name": "n", "ddoc": "_design/i", "type": "json"}]}"#,
    ),
    case(
        "PUT /db/_index",
        "",
        405,
        r#"{"reason": "Only GET,POST allowed"}"#,
    ),
    case(
        "POST /db/_find",
        r#"{"selector": {"n": {"$gt": 1}}, "fields": ["_id"], "sort": ["n"]}"#,
        200,
        r#"{"docs": [{"_id": "b"}, {"_id": "c"}], "bookmark": "*"}"#,
    ),
    case(
        "PUT /_node/_local/_config/mango/default_limit",
        r#""1""#,
        200,
        r#""""#,
    ),
    case(
        "POST /db/_find",
        r#"{"selector": {"n": {"$gt": 1}}, "fields": ["_id"], "sort": ["n"]}"#,
        200,
        r#"{"docs": [{"_id": "b"}]}"#,
    ),
    case(
        "DELETE /_node/_local/_config/mango/default_limit",
        "",
        200,
        r#""1""#,
    ),
    case(
        "POST /db/_find",
        "{}",
        400,
        r#"{"error": "missing_required_key", "reason": "Missing required key: selector"}"#,
    ),
    case(
        "POST /db/_find",
        r#"{"selector": {"n": {"$no": 1}}}"#,
        400,
        r#"{"error": "invalid_operator", "reason": "Invalid operator: $no"}"#,
    ),
    case("GET /db/_find", "", 405, r#"{"reason": "Only POST allowed"}"#),
    case(
        "POST /db/_explain",
        r#"{"selector": {"n": {"$gt": 1}}}"#,
        200,
        r#"{"dbname": "db", "index": {"name": "n", "type": "json"}}"#,
    ),
    case(
        "POST /db/_explain",
        "{}",
        400,
        r#"{"error": "missing_required_key"}"#,
    ),
    case(
        "DELETE /db/_index/_design/i/json/none",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case("DELETE /db/_index/_design/i/json/n", "", 200, r#"{"ok": true}"#),
    case(
        "POST /db/_index",
        r#"{"index": {"fields": ["n"]}, "ddoc": "i", "name": "n"}"#,
        200,
        r#"{"result": "created"}"#,
    ),
    case("DELETE /db/_index/i/json/n", "", 200, r#"{"ok": true}"#),
    case("DELETE /db/_index/i/json/n", "", 404, r#"{"error": "not_found"}"#),
    case(
        "GET /db/_index/i/json/n",
        "",
        405,
        r#"{"reason": "Only DELETE allowed"}"#,
    ),
    case(
        "POST /db/_index/_bulk_delete",
        r#"{"docids": ["_design/none"]}"#,
        200,
        r#"{"success": [], "fail": [{"id": "_design/none"}]}"#,
    ),
    case("POST /db/_index/_bulk_delete", "{}", 400, r#"{"error": "*"}"#),
    case("GET /db/_index/nothing", "", 404, r#"{"error": "not_found"}"#),
];

const VIEWS: &[Case] = &[
    case(
        "GET /db/_design/d/_view/by_n",
        "",
        200,
        r#"{"rows": [{"key": null, "value": 3}]}"#,
    ),
    case(
        "GET /db/_design/d/_view/by_n?reduce=false&startkey=2",
        "",
        200,
        r#"{"total_rows": 3, "offset": 1, "rows": [{"id": "b", "key": 2}, {"id": "c"}]}"#,
    ),
    case(
        "POST /db/_design/d/_view/by_n?reduce=false",
        r#"{"keys": [3]}"#,
        200,
        r#"{"rows": [{"id": "c", "key": 3, "value": 1}]}"#,
    ),
    case(
        "POST /db/_design/d/_view/by_n?reduce=false&descending=true",
        r#"{"keys": [3, 1]}"#,
        200,
        r#"{"rows": [{"id": "a"}, {"id": "c"}]}"#,
    ),
    case(
        "POST /db/_design/d/_view/by_n?group=true&descending=true",
        r#"{"keys": [1, 3, 2]}"#,
        200,
        r#"{"rows": [{"key": 1}, {"key": 3}, {"key": 2}]}"#,
    ),
    case(
        "GET /db/_design/d/_view/none",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing_named_view"}"#,
    ),
    case(
        "GET /db/_design/d/_view/by_n?group_level=x",
        "",
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
    case(
        "GET /db/_design/d/_view/by_n?reduce=false&group=true",
        "",
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
    case(
        "PUT /db/_design/d/_view/by_n",
        "{}",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case(
        "POST /db/_design/d/_view/by_n/queries",
        r#"{"queries": [{"group": true}, {"reduce": false, "limit": 1}]}"#,
        200,
        r#"{"results": [{"rows": ["*", "*", "*"]}, {"rows": [{"id": "a"}]}]}"#,
    ),
    case(
        "POST /db/_design/d/_view/by_n/queries",
        "{}",
        400,
        r#"{"error": "bad_request", "reason": "POST body must include `queries` parameter."}"#,
    ),
    case(
        "GET /db/_design/d/_info",
        "",
        200,
        r#"{"name": "d", "view_index": {"language": "javascript"}}"#,
    ),
    case("GET /db/_design/none/_info", "", 404, r#"{"error": "not_found"}"#),
    case("POST /db/_compact/d", "{}", 202, r#"{"ok": true}"#),
];

/// Rows with documents that their values name.
const LINKS: &[Case] = &[
    case("PUT /links", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /links/_design/d",
        r#"{"views": {"v": {"map": "function (doc) { emit(doc._id, doc.value); }"}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /links/_bulk_docs",
        r#"{"new_edits": false, "docs": [
            {"_id": "a", "_rev": "1-x", "value": {"_id": null}, "_attachments": {"t": {"data": "YWJj"}}},
            {"_id": "a", "_rev": "1-w"},
            {"_id": "b", "_rev": "1-x", "value": {"_id": "a"}},
            {"_id": "c", "_rev": "1-x", "value": {"_id": "none"}},
            {"_id": "d", "_rev": "1-x", "value": {"_rev": "2-y"}},
            {"_id": "d", "_rev": "2-y", "_deleted": true, "_revisions": {"start": 2, "ids": ["y", "w"]}},
            {"_id": "e", "_rev": "1-x", "value": {"_id": "d", "_rev": "2-y"}},
            {"_id": "f", "_rev": "1-x", "value": {"_id": 5}}]}"#,
        201,
        "[]",
    ),
    case(
        "GET /links/_design/d/_view/v?include_docs=true",
        "",
        200,
        r#"{"rows": [
            {"id": "a", "doc": null},
            {"id": "b", "doc": {"_id": "a", "_rev": "1-x"}},
            {"id": "c", "doc": null},
            {"id": "d", "doc": null},
            {"id": "e", "doc": {"_id": "d", "_rev": "2-y", "_deleted": true}},
            {"id": "f", "doc": null}]}"#,
    ),
    // Linked documents come without conflicts and attachments.
    case(
        "GET /links/_design/d/_view/v?include_docs=true&conflicts=true&key=%22b%22",
        "",
        200,
        r#""doc":{"_id":"a","_rev":"1-x","value":{"_id":null},"_attachments":{"t":{"#,
    ),
    case(
        "GET /links/_design/d/_view/v?include_docs=true&attachments=true&key=%22b%22",
        "",
        200,
        r#""stub":true}}}}"#,
    ),
];

const PARTITIONS: &[Case] = &[
    case(
        "GET /parts/_partition/x",
        "",
        200,
        r#"{"db_name": "parts", "partition": "x", "doc_count": 2, "doc_del_count": 0}"#,
    ),
    case(
        "GET /db/_partition/x",
        "",
        400,
        r#"{"error": "bad_request", "reason": "database is not partitioned"}"#,
    ),
    case(
        "POST /parts/_partition/x",
        "{}",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case("POST /parts/_partition/_x", "{}", 400, r#"{"error": "*"}"#),
    case(
        "GET /parts/_partition",
        "",
        400,
        r#"{"error": "bad_request", "reason": "invalid_partition_req"}"#,
    ),
    case(
        "GET /parts/_partition/x/_all_docs",
        "",
        200,
        r#"{"rows": [{"id": "x:1"}, {"id": "x:2"}]}"#,
    ),
    case(
        "POST /parts/_partition/x/_all_docs",
        r#"{"keys": ["x:2"]}"#,
        200,
        r#"{"rows": [{"id": "x:2"}]}"#,
    ),
    case(
        "GET /parts/_partition/x/_all_docs?partition=y",
        "",
        400,
        r#"{"reason": "Conflicting value for `partition` in query string"}"#,
    ),
    case(
        "POST /parts/_partition/x/_all_docs/queries",
        r#"{"queries": [{"limit": 1}]}"#,
        200,
        r#"{"results": [{"rows": [{"id": "x:1"}]}]}"#,
    ),
    case(
        "POST /parts/_partition/x/_all_docs/queries",
        "{}",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "POST /parts/_partition/x/_find",
        r#"{"selector": {"n": {"$gt": 1}}}"#,
        200,
        r#"{"docs": [{"_id": "x:2"}]}"#,
    ),
    case(
        "POST /parts/_partition/x/_find",
        "{}",
        400,
        r#"{"error": "missing_required_key"}"#,
    ),
    case(
        "POST /parts/_partition/x/_explain",
        r#"{"selector": {"n": {"$gt": 1}}}"#,
        200,
        r#"{"partitioned": "*", "dbname": "parts"}"#,
    ),
    case(
        "POST /parts/_partition/x/_explain",
        "{}",
        400,
        r#"{"error": "missing_required_key"}"#,
    ),
    case(
        "GET /parts/_partition/x/_index",
        "",
        200,
        r#"{"indexes": [{"name": "_all_docs"}]}"#,
    ),
    case(
        "POST /parts/_partition/x/_index",
        r#"{"index": {"fields": ["n"]}, "name": "n"}"#,
        200,
        r#"{"result": "created", "name": "n"}"#,
    ),
    case(
        "PUT /parts/_partition/x/_index",
        "",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case(
        "GET /parts/_partition/x/_design/d/_view/by_n",
        "",
        200,
        r#"{"rows": [{"id": "x:1"}, {"id": "x:2"}]}"#,
    ),
    case(
        "POST /parts/_partition/x/_design/d/_view/by_n",
        r#"{"keys": [1]}"#,
        200,
        r#"{"rows": [{"id": "x:1"}]}"#,
    ),
    case(
        "GET /parts/_partition/x/_design/d/_view/none",
        "",
        404,
        r#"{"reason": "missing_named_view"}"#,
    ),
    case(
        "POST /parts/_partition/x/_design/d/_view/by_n/queries",
        r#"{"queries": [{"key": 2}]}"#,
        200,
        r#"{"results": [{"rows": [{"id": "x:2"}]}]}"#,
    ),
    case(
        "POST /parts/_partition/x/_design/d/_view/by_n/queries",
        "{}",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "GET /parts/_partition/x/_design/d/_info",
        "",
        200,
        r#"{"name": "d"}"#,
    ),
    case(
        "GET /parts/_partition/x/_design/none/_info",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /parts/_partition/x/_changes",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
];
