//! What some users may see and others may not.

use crate::server::run_with_keeper;
use testing::http::{Case, case};

#[test]
fn a_replication_is_shown_to_its_owner_and_to_administrators() {
    run_with_keeper(REPLICATIONS);
}

#[test]
fn purging_is_for_server_administrators_and_compacting_for_those_of_the_database() {
    run_with_keeper(UPKEEP);
}

#[test]
fn a_user_with_one_time_passwords_needs_more_than_a_password() {
    run_with_keeper(ONE_TIME_PASSWORDS);
}

/// Makes a user whose credentials are jan:apple.
const JAN: Case = case(
    "PUT /_users/org.couchdb.user:jan",
    r#"{"name": "jan", "type": "user", "roles": [], "password": "apple"}"#,
    201,
    r#"{"ok": true}"#,
);

/// Makes a user whose credentials are eva:apple.
const EVA: Case = case(
    "PUT /_users/org.couchdb.user:eva",
    r#"{"name": "eva", "type": "user", "roles": [], "password": "apple"}"#,
    201,
    r#"{"ok": true}"#,
);

const ONE_TIME_PASSWORDS: &[Case] = &[
    JAN,
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple", "token": "of no need"}"#,
        200,
        r#"{"name": "jan"}"#,
    ),
    case(
        "PUT /_users/org.couchdb.user:eva",
        r#"{"name": "eva", "type": "user", "roles": [], "password": "apple",
            "totp": {"key": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "eva", "password": "apple"}"#,
        401,
        r#"{"error": "unauthorized", "reason": "Name or password is incorrect."}"#,
    ),
    case(
        "POST /_session\nContent-Type: application/x-www-form-urlencoded",
        "name=eva&password=apple&token=12345",
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "GET /_session\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "Name or password is incorrect."}"#,
    ),
];

#[test]
fn figures_of_the_server_are_for_administrators_and_for_those_of_the_role_metrics() {
    run_with_keeper(FIGURES);
}

/// The credentials are those of the keeper, jan:apple and eva:apple.
const REPLICATIONS: &[Case] = &[
    case(
        "PUT /_replicator\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /_replicator/_security\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "{}",
        200,
        r#"{"ok": true}"#,
    ),
    JAN,
    EVA,
    case(
        "PUT /_replicator/a\nAuthorization: Basic amFuOmFwcGxl",
        r#"{"source": "http://jan:apple@127.0.0.1:1/a", "target": "http://127.0.0.1:1/b",
            "_attachments": {"note": {"data": "YQ=="}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_replicator/a\nAuthorization: Basic amFuOmFwcGxl",
        "",
        200,
        r#"{"owner": "jan"}"#,
    ),
    case(
        "GET /_replicator/a\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        200,
        r#"{"owner": "jan"}"#,
    ),
    case(
        "GET /_replicator/a\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "GET /_replicator/a?open_revs=all\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case("GET /_replicator/a", "", 403, r#"{"error": "forbidden"}"#),
    case(
        "GET /_replicator/a/note\nAuthorization: Basic amFuOmFwcGxl",
        "",
        200,
        "",
    ),
    case(
        "GET /_replicator/a/note\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "PUT /_replicator/a/note?rev=1-a\nAuthorization: Basic ZXZhOmFwcGxl",
        "b",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case("GET /_replicator/a/note", "", 403, r#"{"error": "forbidden"}"#),
    case(
        "COPY /_replicator/a\nDestination: b\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "GET /_replicator/_all_docs\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin."}"#,
    ),
    case(
        "GET /_scheduler/docs/_replicator\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "GET /_replicator\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        200,
        r#"{"db_name": "_replicator"}"#,
    ),
];

/// The credentials are those of the keeper and eva:apple.
const FIGURES: &[Case] = &[
    case(
        "PUT /_users/org.couchdb.user:eva",
        r#"{"name": "eva", "type": "user", "roles": ["_metrics"], "password": "apple"}"#,
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "PUT /_users/org.couchdb.user:eva\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"name": "eva", "type": "user", "roles": ["_metrics"], "password": "apple"}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_node/_local/_stats/couchdb/commits\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        200,
        r#"{"type": "counter"}"#,
    ),
    case(
        "GET /_node/_local/_config\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin."}"#,
    ),
    case(
        "GET /_node/_local/_prometheus",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin or read-only metrics user"}"#,
    ),
];

/// The credentials are those of the keeper, jan:apple, who administers the database, and eva:apple.
const UPKEEP: &[Case] = &[
    JAN,
    EVA,
    case(
        "PUT /db\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /db/_security\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"admins": {"names": ["jan"]}, "members": {"names": ["eva"]}}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /db/_purge\nAuthorization: Basic amFuOmFwcGxl",
        r#"{"a": ["1-a"]}"#,
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin."}"#,
    ),
    case(
        "PUT /db/_purged_infos_limit\nAuthorization: Basic amFuOmFwcGxl",
        "9",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin."}"#,
    ),
    case(
        "GET /db/_purged_infos_limit\nAuthorization: Basic amFuOmFwcGxl",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin."}"#,
    ),
    case(
        "POST /db/_sync_shards\nAuthorization: Basic amFuOmFwcGxl",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server admin."}"#,
    ),
    case(
        "POST /db/_purge\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"a": ["1-a"]}"#,
        201,
        r#"{"purged": {"a": []}}"#,
    ),
    case(
        "GET /db/_purged_infos\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        200,
        r#"{"purged_infos": "*"}"#,
    ),
    case(
        "POST /db/_compact\nAuthorization: Basic amFuOmFwcGxl",
        "{}",
        202,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /db/_compact\nAuthorization: Basic ZXZhOmFwcGxl",
        "{}",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server or db admin."}"#,
    ),
    case(
        "GET /db/_view_cleanup\nAuthorization: Basic ZXZhOmFwcGxl",
        "",
        401,
        r#"{"error": "unauthorized", "reason": "You are not a server or db admin."}"#,
    ),
    case(
        "POST /_replicate",
        r#"{"source": "db", "target": "other"}"#,
        401,
        r#"{"error": "unauthorized", "reason": "You are not an authenticated user"}"#,
    ),
];
