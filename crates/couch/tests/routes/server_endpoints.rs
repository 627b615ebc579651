//! Endpoints that belong to no database: the server, its node, sessions.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_the_server_get_couchdbs_answers() {
    run(&cases().collect::<Vec<_>>());
}

pub fn cases() -> impl Iterator<Item = Case> {
    [GLOBAL, NODE, SESSIONS].into_iter().flatten().copied()
}

const GLOBAL: &[Case] = &[
    case(
        "GET /",
        "",
        200,
        r#"{"couchdb": "Welcome", "version": "*", "uuid": "*", "vendor": {"name": "Larder"},
            "features": ["nouveau", "partitioned", "quickjs", "scheduler", "search"]}"#,
    ),
    case(
        "POST /",
        "",
        405,
        "Allow: GET\n\n{\"error\": \"method_not_allowed\", \"reason\": \"Only GET,HEAD allowed\"}",
    ),
    case("GET /_up", "", 200, r#"{"status": "ok", "seeds": {}}"#),
    case("PUT /_up", "", 405, r#"{"error": "method_not_allowed"}"#),
    case(
        "PUT /_node/_local/_config/chttpd/max_uri_length",
        r#""50""#,
        200,
        "",
    ),
    case(
        "GET /_up?of=twenty_letters_and_twenty_more_and_eleven_more",
        "",
        414,
        r#"{"error": "too_long", "reason": "the request uri is too long"}"#,
    ),
    case("GET /_up?of=few", "", 200, r#"{"status": "ok"}"#),
    case(
        "GET /_up%",
        "",
        400,
        r#"{"error": "bad_request", "reason": "invalid_url_encoding"}"#,
    ),
    case(
        "GET /_up?of=%2",
        "",
        400,
        r#"{"error": "bad_request", "reason": "invalid_url_encoding"}"#,
    ),
    case(
        "DELETE /_node/_local/_config/chttpd/max_uri_length",
        "",
        200,
        r#""50""#,
    ),
    case(
        "PUT /_node/_local/_config/couchdb/maintenance_mode",
        r#""nolb""#,
        200,
        "",
    ),
    case("GET /_up", "", 404, r#"{"status": "nolb"}"#),
    case(
        "DELETE /_node/_local/_config/couchdb/maintenance_mode",
        "",
        200,
        r#""nolb""#,
    ),
    case("PUT /a", "", 201, r#"{"ok": true}"#),
    case("PUT /b", "", 201, r#"{"ok": true}"#),
    case("GET /_all_dbs", "", 200, r#"["a", "b"]"#),
    case("GET /_all_dbs?startkey=%22b%22", "", 200, r#"["b"]"#),
    case("GET /_all_dbs?descending=true&limit=1", "", 200, r#"["b"]"#),
    case(
        "GET /_all_dbs?startkey=b",
        "",
        400,
        r#"{"error": "*", "reason": "*"}"#,
    ),
    case(
        "DELETE /_all_dbs",
        "",
        405,
        r#"{"reason": "Only GET,HEAD allowed"}"#,
    ),
    case(
        "GET /_dbs_info",
        "",
        200,
        "ETag: \"\n\n[{\"key\": \"a\", \"info\": {\"db_name\": \"a\"}}, {\"key\": \"b\"}]",
    ),
    case(
        "POST /_dbs_info",
        r#"{"keys": ["b", "c"]}"#,
        200,
        r#"[{"key": "b", "info": {"doc_count": 0}}, {"key": "c", "error": "not_found"}]"#,
    ),
    case(
        "POST /_dbs_info",
        "{}",
        400,
        r#"{"error": "bad_request", "reason": "`keys` member must exist."}"#,
    ),
    case("GET /_uuids?count=2", "", 200, r#"{"uuids": ["*", "*"]}"#),
    case("GET /_uuids?count=x", "", 400, r#"{"error": "bad_request"}"#),
    case(
        "GET /_uuids?count=1000000",
        "",
        400,
        r#"{"error": "bad_request", "reason": "count parameter too large"}"#,
    ),
    case(
        "GET /favicon.ico",
        "",
        200,
        "Cache-Control: public, max-age=31536000\nExpires: GMT\n\n",
    ),
    case("PUT /favicon.ico", "", 405, r#"{"error": "method_not_allowed"}"#),
    case(
        "GET /_db_updates",
        "",
        200,
        r#"{"results": [{"db_name": "a", "type": "updated", "seq": "*"}, {"db_name": "b"}], "last_seq": "*"}"#,
    ),
    case(
        "GET /_db_updates?descending=true&limit=1&heartbeat=false&style=odd",
        "",
        200,
        r#"{"results": [{"db_name": "b"}], "last_seq": "*"}"#,
    ),
    case(
        "GET /_db_updates?limit=0",
        "",
        200,
        r#"{"results": [], "last_seq": "*"}"#,
    ),
    case(
        "GET /_db_updates?feed=longpoll&since=0&limit=1",
        "",
        200,
        r#"{"results": [{"db_name": "a"}]}"#,
    ),
    case(
        "GET /_db_updates?feed=live",
        "",
        400,
        r#"{"error": "bad_request", "reason": "Supported `feed` types: normal, continuous, longpoll, eventsource"}"#,
    ),
    case("POST /_db_updates", "", 405, r#"{"reason": "Only GET allowed"}"#),
    case(
        "GET /_cluster_setup",
        "",
        200,
        r#"{"state": "single_node_disabled"}"#,
    ),
    case(
        "GET /_cluster_setup?ensure_dbs_exist=%22a%22",
        "",
        400,
        r#"{"error": "bad_request", "reason": "*"}"#,
    ),
    case(
        "POST /_cluster_setup",
        r#"{"action": "enable_single_node", "ensure_dbs_exist": []}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_cluster_setup",
        r#"{"action": "add_node"}"#,
        400,
        r#"{"error": "bad_request", "reason": "*"}"#,
    ),
    case(
        "PUT /_cluster_setup",
        "",
        405,
        r#"{"reason": "Only GET,POST allowed"}"#,
    ),
    case(
        "GET /_membership",
        "",
        200,
        r#"{"all_nodes": ["nonode@nohost"], "cluster_nodes": ["nonode@nohost"]}"#,
    ),
    case("POST /_membership", "", 405, r#"{"reason": "Only GET allowed"}"#),
    case("POST /_reload_query_servers", "{}", 200, r#"{"ok": true}"#),
    // What a POST may not stand for leaves it what it is.
    case(
        "POST /_reload_query_servers\nX-HTTP-Method-Override: PATCH",
        "{}",
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_reload_query_servers\nX-HTTP-Method-Override: PUT",
        "{}",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case(
        "GET /_reload_query_servers",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case("GET /_active_tasks", "", 200, "[]"),
    case(
        "POST /_active_tasks",
        "",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case("GET /_utils/", "", 404, r#"{"error": "not_found"}"#),
    case(
        "GET /_nothing",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing"}"#,
    ),
];

const NODE: &[Case] = &[
    case(
        "GET /_node",
        "",
        400,
        r#"{"reason": "Incomplete path to _node request"}"#,
    ),
    case("GET /_node/_local", "", 200, r#"{"name": "nonode@nohost"}"#),
    case(
        "GET /_node/elsewhere",
        "",
        404,
        r#"{"error": "not_found", "reason": "no such node: elsewhere"}"#,
    ),
    case("PUT /_node/_local", "", 405, r#"{"reason": "Only GET allowed"}"#),
    case(
        "GET /_node/_local/_system",
        "",
        200,
        r#"{"uptime": "*", "memory": {}}"#,
    ),
    case(
        "POST /_node/_local/_system",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case(
        "GET /_node/_local/_prometheus",
        "",
        200,
        "couchdb_httpd_request_methods{method=\"GET\"}",
    ),
    case(
        "POST /_node/_local/_prometheus",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case(
        "GET /_node/_local/_stats",
        "",
        200,
        r#"{"couchdb": {"commits": {"type": "counter"}}}"#,
    ),
    case(
        "GET /_node/_local/_stats/couchdb/commits",
        "",
        200,
        r#"{"type": "counter", "value": "*"}"#,
    ),
    case(
        "GET /_node/_local/_stats/couchdb/httpd_request_methods/GET",
        "",
        200,
        r#"{"type": "counter", "value": "*", "desc": "number of HTTP GET requests"}"#,
    ),
    case(
        "GET /_node/_local/_stats/couchdb/httpd_status_codes/404",
        "",
        200,
        r#"{"type": "counter", "value": "*", "desc": "number of HTTP 404 Not Found responses"}"#,
    ),
    case("GET /_node/_local/_stats/nothing", "", 200, "null"),
    case(
        "POST /_node/_local/_stats",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case("GET /_node/_local/_smoosh/status", "", 200, r#"{"channels": {}}"#),
    case(
        "POST /_node/_local/_smoosh/status",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case(
        "GET /_node/_local/_versions",
        "",
        200,
        r#"{"javascript_engine": {"name": "quickjs"}}"#,
    ),
    case(
        "POST /_node/_local/_versions",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case("POST /_node/_local/_restart", "", 501, r#"{"error": "*"}"#),
    case(
        "GET /_node/_local/_restart",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case("PUT /_node/_local/_config/s/name", r#"" v ""#, 200, r#""""#),
    case("GET /_node/_local/_config/s/name", "", 200, r#""v""#),
    case("GET /_node/_local/_config/s", "", 200, r#"{"name": "v"}"#),
    case(
        "POST /_node/_local/_config/s",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case(
        "GET /_node/_local/_config",
        "",
        200,
        r#"{"s": {"name": "v"}, "admins": {}}"#,
    ),
    case(
        "POST /_node/_local/_config",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case(
        "PUT /_node/_local/_config/s/name",
        "{}",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "PUT /_node/_local/_config/query_servers/x",
        r#""v""#,
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case("DELETE /_node/_local/_config/s/name", "", 200, r#""v""#),
    case(
        "GET /_node/_local/_config/s/name",
        "",
        404,
        r#"{"error": "not_found", "reason": "unknown_config_value"}"#,
    ),
    case("POST /_node/_local/_config/_reload", "", 200, r#"{"ok": true}"#),
    case(
        "GET /_node/_local/_config/_reload",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case("GET /_node/_local/_nothing", "", 404, r#"{"error": "not_found"}"#),
];

/// Once an administrator exists, everybody else may do less; the last case removes the administrator again.
const SESSIONS: &[Case] = &[
    case(
        "GET /_session",
        "",
        200,
        r#"{"ok": true, "userCtx": {"name": null, "roles": ["_admin"]}}"#,
    ),
    case("PUT /_session", "", 405, r#"{"error": "method_not_allowed"}"#),
    case(
        "PUT /_node/_local/_config/admins/keeper",
        r#""larder""#,
        200,
        r#""""#,
    ),
    case(
        "GET /_all_dbs",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin."}"#,
    ),
    // A user who is not an administrator is not shown the list.
    case("GET /_nothing/at/all", "", 401, r#"{"error": "unauthorized"}"#),
    case(
        "POST /_session",
        r#"{"name": "keeper", "password": "x"}"#,
        401,
        r#"{"error": "unauthorized", "reason": "Name or password is incorrect."}"#,
    ),
    case(
        "POST /_session",
        "{}",
        400,
        r#"{"error": "bad_request", "reason": "request body must contain a username"}"#,
    ),
    case(
        "POST /_session\nContent-Type: text/plain",
        "x",
        415,
        r#"{"error": "bad_content_type"}"#,
    ),
    case(
        "POST /_session\nContent-Type: application/x-www-form-urlencoded",
        "name=keeper&username=jan&password=larder",
        400,
        r#"{"reason": "request body contains different usernames"}"#,
    ),
    case(
        "POST /_session\nContent-Type: application/x-www-form-urlencoded",
        "username=keeper&password=larder&password=x",
        200,
        r#"{"name": "keeper"}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "keeper", "password": "larder"}"#,
        200,
        "Set-Cookie: AuthSession=\n\n{\"ok\": true, \"name\": \"keeper\", \"roles\": [\"_admin\"]}",
    ),
    case(
        "GET /_session\nCookie: <set-cookie>",
        "",
        200,
        r#"{"userCtx": {"name": "keeper", "roles": ["_admin"]}, "info": {"authenticated": "cookie"}}"#,
    ),
    case(
        "GET /_session\nAuthorization: Basic a2VlcGVyOng=",
        "",
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "DELETE /_session",
        "",
        200,
        "Set-Cookie: AuthSession=;\n\n{\"ok\": true}",
    ),
    // keeper:larder
    case(
        "PUT /_node/_local/_config/admins/other\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#""-pbkdf2-0c60c80f961f0e71f3a9b524af6012062fe037a6,salt,1""#,
        400,
        r#"{"error": "bad_request", "reason": "a password is wanted, not its hash: accounts here have SCRAM credentials"}"#,
    ),
    case(
        "DELETE /_node/_local/_config/admins/keeper\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        200,
        r#""*""#,
    ),
];
