//! Databases as a whole: creating, describing, maintaining and dropping them.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_databases_get_couchdbs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case("PUT /db", "", 201, "Location: /db\n\n{\"ok\": true}"),
    case(
        "PUT /db",
        "",
        412,
        r#"{"error": "file_exists", "reason": "The database could not be created, the file already exists."}"#,
    ),
    case("PUT /Db", "", 400, r#"{"error": "illegal_database_name"}"#),
    case("PUT /pay$roll", "", 201, r#"{"ok": true}"#),
    case("GET /pay$roll", "", 200, r#"{"db_name": "pay$roll"}"#),
    case("DELETE /pay%24roll", "", 200, r#"{"ok": true}"#),
    case(
        "GET /db",
        "",
        200,
        r#"{"db_name": "db", "doc_count": 0, "doc_del_count": 0, "instance_start_time": "0", "props": {}}"#,
    ),
    case(
        "GET /nothing",
        "",
        404,
        r#"{"error": "not_found", "reason": "Database does not exist."}"#,
    ),
    case(
        "POST /db",
        r#"{"_id": "posted"}"#,
        201,
        r#"{"ok": true, "id": "posted", "rev": "*"}"#,
    ),
    case("POST /db", "[]", 400, r#"{"error": "bad_request"}"#),
    case("COPY /db", "", 405, r#"{"error": "method_not_allowed"}"#),
    // Settings.
    case(
        "GET /db/_security",
        "",
        200,
        r#"{"members": {"roles": ["_admin"]}, "admins": {"roles": ["_admin"]}}"#,
    ),
    case(
        "PUT /db/_security",
        r#"{"members": {"names": [], "roles": []}}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /db/_security",
        r#"{"members": 1}"#,
        500,
        r#"{"error": "unknown_error", "reason": "admins or members must be a JSON list of strings"}"#,
    ),
    case("GET /db/_revs_limit", "", 200, "1000"),
    case("PUT /db/_revs_limit", "9", 200, r#"{"ok": true}"#),
    case(
        "PUT /db/_revs_limit",
        "0",
        400,
        r#"{"reason": "`revs_limit` must be a positive integer"}"#,
    ),
    case("GET /db/_purged_infos_limit", "", 200, "1000"),
    case("PUT /db/_purged_infos_limit", "9", 200, r#"{"ok": true}"#),
    case(
        "PUT /db/_purged_infos_limit",
        "-1",
        400,
        r#"{"reason": "`purged_infos_limit` must be positive integer"}"#,
    ),
    // Maintenance.
    case("POST /db/_compact", "{}", 202, r#"{"ok": true}"#),
    case(
        "POST /db/_compact\nContent-Type: text/plain",
        "{}",
        415,
        r#"{"error": "bad_content_type"}"#,
    ),
    case(
        "POST /db/_compact/nothing",
        "{}",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "POST /db/_ensure_full_commit",
        "{}",
        201,
        r#"{"ok": true, "instance_start_time": "0"}"#,
    ),
    case(
        "GET /db/_ensure_full_commit",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case("POST /db/_view_cleanup", "{}", 202, r#"{"ok": true}"#),
    case(
        "POST /db/_view_cleanup\nContent-Type: text/plain",
        "",
        202,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /db/_view_cleanup",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case(
        "GET /db/_shards",
        "",
        200,
        r#"{"shards": {"00000000-ffffffff": ["nonode@nohost"]}}"#,
    ),
    case("POST /db/_shards", "", 405, r#"{"reason": "Only GET allowed"}"#),
    case(
        "GET /db/_shards/posted",
        "",
        200,
        r#"{"range": "00000000-ffffffff", "nodes": ["nonode@nohost"]}"#,
    ),
    case(
        "GET /nothing/_shards/posted",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case("POST /db/_sync_shards", "{}", 202, r#"{"ok": true}"#),
    case(
        "GET /db/_sync_shards",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    case(
        "POST /db/_temp_view",
        "{}",
        410,
        r#"{"error": "gone", "reason": "Temporary views are not supported in CouchDB"}"#,
    ),
    case("GET /db/_nothing", "", 404, r#"{"error": "not_found"}"#),
    case("PUT /db/_nothing", "{}", 400, r#"{"error": "illegal_docid"}"#),
    // Purges.
    case(
        "POST /db/_purge",
        r#"{"posted": ["1-967a00dff5e02add41819138abb3284d"]}"#,
        201,
        r#"{"purge_seq": null, "purged": {"posted": ["1-967a00dff5e02add41819138abb3284d"]}}"#,
    ),
    case(
        "POST /db/_purge",
        r#"{"posted": ["x"]}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "GET /db/_purged_infos",
        "",
        200,
        r#"{"purged_infos": [{"id": "posted"}]}"#,
    ),
    case(
        "POST /db/_purged_infos",
        "",
        405,
        r#"{"reason": "Only GET allowed"}"#,
    ),
    case("GET /db/posted", "", 404, r#"{"error": "not_found"}"#),
    // Dropping.
    case("DELETE /db?rev=1-a", "", 400, r#"{"error": "bad_request"}"#),
    case("DELETE /db", "", 200, r#"{"ok": true}"#),
    case(
        "DELETE /db",
        "",
        404,
        r#"{"error": "not_found", "reason": "Database does not exist."}"#,
    ),
];
