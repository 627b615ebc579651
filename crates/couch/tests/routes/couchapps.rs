//! Functions of design documents that answer requests: `_show`, `_list`, `_update`, `_rewrite`.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_couchapps_get_couchdbs_answers() {
    run(CASES);
}

#[test]
fn functions_in_another_language_are_refused_by_its_name() {
    run(IN_ERLANG);
}

#[test]
fn functions_have_the_time_that_the_settings_say() {
    run(ENDLESS);
}

const ENDLESS: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case("PUT /db/a", "{}", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/_design/d",
        r#"{"views": {"v": {"map": "function () { for (;;); }"}}, "shows": {"s": "function () { for (;;); }"}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /_node/_local/_config/couchdb/os_process_timeout",
        r#""123""#,
        200,
        r#""""#,
    ),
    case("GET /db/_design/d/_view/v", "", 500, "longer than 123 ms"),
    case("GET /db/_design/d/_show/s", "", 500, "longer than 123 ms"),
    case(
        "PUT /_node/_local/_config/couchdb/os_process_timeout",
        r#""321""#,
        200,
        r#""123""#,
    ),
    case("GET /db/_design/d/_view/v", "", 500, "longer than 321 ms"),
    case("GET /db/_design/d/_show/s", "", 500, "longer than 321 ms"),
];

const REFUSED_LANGUAGE: &str =
    r#"{"error": "invalid_design_doc", "reason": "unknown_query_language: erlang"}"#;

const IN_ERLANG: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/_design/erl",
        r#"{"language": "erlang", "filters": {"f": "fun(Doc, Req) -> true end."}, "shows": {"s": "fun() -> 1 end."},
            "lists": {"l": "fun(Head, Req) -> 1 end."}, "updates": {"u": "fun() -> 1 end."}, "views": {"v": {"map": "fun() -> 1 end."}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case("GET /db/_changes?filter=erl/f", "", 400, REFUSED_LANGUAGE),
    case(
        "GET /db/_changes?filter=_view&view=erl/v",
        "",
        400,
        REFUSED_LANGUAGE,
    ),
    case("GET /db/_design/erl/_show/s", "", 400, REFUSED_LANGUAGE),
    case("GET /db/_design/erl/_list/l/_all_docs", "", 400, REFUSED_LANGUAGE),
    case("POST /db/_design/erl/_update/u", "", 400, REFUSED_LANGUAGE),
    case("PUT /db/a", "{}", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/_design/erl2",
        r#"{"language": "erlang", "validate_doc_update": "fun() -> ok end."}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case("PUT /db/b", "{}", 400, REFUSED_LANGUAGE),
];

const DESIGN: &str = r#"{
    "views": {"by_n": {"map": "function (doc) { if (doc.n) emit(doc.n, doc._id); }"}},
    "shows": {"s": "function (doc, req) { return {json: [doc && doc.n, req.id]}; }",
              "secrets": "function (doc, req) { return {json: [req.headers['X-Told'], req.headers['X-Secret'] || null, req.cookie.c || null]}; }",
              "fails": "function () { return nobody; }"},
    "lists": {"l": "function (head) { var row, n = []; while (row = getRow()) n.push(row.key); return toJSON(n); }",
              "fails": "function () { getRow(); return nobody; }"},
    "updates": {"u": "function (doc, req) { return [{_id: req.id || req.uuid, n: 9}, {json: 1}]; }"},
    "rewrites": [{"from": "s/:id", "to": "_show/s/:id"}, {"from": "out", "to": "../../../_up"}]
}"#;

pub const CASES: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "POST /db/_bulk_docs",
        r#"{"docs": [{"_id": "a", "n": 1}, {"_id": "b", "n": 2}]}"#,
        201,
        "",
    ),
    case("PUT /db/_design/app", DESIGN, 201, r#"{"ok": true}"#),
    case("GET /db/_design/app/_show/s", "", 200, "[null, null]"),
    case("POST /db/_design/app/_show/s/a", "", 200, r#"[1, "a"]"#),
    case(
        "GET /db/_design/app/_show/s/none/of/it",
        "",
        200,
        r#"[null, "none/of/it"]"#,
    ),
    case(
        "PUT /_node/_local/_config/chttpd_auth/x_auth_token",
        r#""X-secret""#,
        200,
        r#""""#,
    ),
    case(
        "GET /db/_design/app/_show/secrets\nX-Secret: s\nX-Told: t\nCookie: c=d",
        "",
        200,
        r#"["t", null, null]"#,
    ),
    case(
        "PUT /_node/_local/_config/chttpd/scrub_json_request",
        r#""false""#,
        200,
        r#""""#,
    ),
    case(
        "GET /db/_design/app/_show/secrets\nX-Secret: s\nX-Told: t\nCookie: c=d",
        "",
        200,
        r#"["t", "s", "d"]"#,
    ),
    case(
        "DELETE /_node/_local/_config/chttpd/scrub_json_request",
        "",
        200,
        r#""false""#,
    ),
    case(
        "GET /db/_design/app/_show/none",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing json key: none"}"#,
    ),
    case(
        "GET /db/_design/app/_show",
        "",
        404,
        r#"{"error": "show_error", "reason": "Invalid path."}"#,
    ),
    case(
        "GET /db/_design/app/_show/fails",
        "",
        500,
        r#"{"error": "render_error", "reason": "*"}"#,
    ),
    case(
        "GET /db/_design/none/_show/s",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case("GET /db/_design/app/_list/l/by_n", "", 200, "[1, 2]"),
    case(
        "GET /db/_design/app/_list/l/app/by_n?descending=true",
        "",
        200,
        "[2, 1]",
    ),
    case(
        "POST /db/_design/app/_list/l/by_n",
        r#"{"keys": [2]}"#,
        200,
        "[2]",
    ),
    case(
        "GET /db/_design/app/_list/l/_all_docs?limit=1&startkey=%22a%22",
        "",
        200,
        r#"["a"]"#,
    ),
    case(
        "PUT /db/_design/app/_list/l/by_n",
        "",
        405,
        r#"{"reason": "Only GET,POST,HEAD allowed"}"#,
    ),
    case(
        "GET /db/_design/app/_list/l",
        "",
        404,
        r#"{"error": "list_error", "reason": "Invalid path."}"#,
    ),
    case(
        "GET /db/_design/app/_list/none/by_n",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /db/_design/app/_list/l/none",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /db/_design/app/_list/fails/by_n",
        "",
        500,
        r#"{"error": "render_error", "reason": "*"}"#,
    ),
    case("PUT /db/_design/app/_update/u/c", "", 201, "1"),
    case("GET /db/c", "", 200, r#"{"_id": "c", "n": 9}"#),
    case("POST /db/_design/app/_update/u", "", 201, "1"),
    case(
        "POST /db/_design/app/_update/u/c",
        "",
        409,
        r#"{"error": "conflict"}"#,
    ),
    case(
        "GET /db/_design/app/_update/u/c",
        "",
        405,
        r#"{"error": "method_not_allowed", "reason": "Update functions do not allow GET"}"#,
    ),
    case(
        "POST /db/_design/app/_update",
        "",
        404,
        r#"{"error": "update_error", "reason": "Invalid path."}"#,
    ),
    // A rule that leads out of the database is refused, and with it all of them.
    case(
        "GET /db/_design/app/_rewrite/s/a",
        "",
        500,
        r#"{"error": "insecure_rewrite_rule", "reason": "too many ../.. segments"}"#,
    ),
    case(
        "PUT /db/_design/led",
        r#"{"rewrites": [{"from": "s/:id", "to": "../app/_show/s/:id"}, {"from": "loop", "to": "_rewrite/loop"}]}"#,
        201,
        "",
    ),
    case("GET /db/_design/led/_rewrite/s/b", "", 200, r#"[2, "b"]"#),
    case(
        "GET /db/_design/led/_rewrite/none",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing"}"#,
    ),
    case(
        "GET /db/_design/led/_rewrite/loop",
        "",
        400,
        r#"{"error": "bad_request", "reason": "Exceeded rewrite recursion limit"}"#,
    ),
    case("PUT /parts?partitioned=true", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /parts/_design/app",
        r#"{"views": {"v": {"map": "function (doc) { emit(doc._id); }"}},
            "lists": {"l": "function () { var row, n = []; while (row = getRow()) n.push(row.key); return toJSON(n); }"}}"#,
        201,
        "",
    ),
    case("PUT /parts/x:1", "{}", 201, r#"{"ok": true}"#),
    case("PUT /parts/y:1", "{}", 201, r#"{"ok": true}"#),
    case(
        "GET /parts/_partition/x/_design/app/_list/l/v",
        "",
        200,
        r#"["x:1"]"#,
    ),
    case(
        "POST /parts/_partition/x/_design/app/_list/l/v",
        r#"{"limit": 1}"#,
        200,
        r#"["x:1"]"#,
    ),
    case(
        "GET /parts/_partition/x/_design/app/_list/none/v",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
];
