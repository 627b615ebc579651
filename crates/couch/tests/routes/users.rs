//! Documents of users: which are refused, and what happens if other protocols change the accounts.

use crate::server::{KEEPER, Server, run, run_with_keeper};
use testing::http::{Case, case, exchange, faults};

#[test]
fn one_user_that_is_refused_does_not_keep_others_from_being_written() {
    run(USERS);
}

#[test]
fn a_revision_of_a_user_that_nobody_sees_changes_nobody() {
    run_with_keeper(HIDDEN_USERS);
}

#[test]
fn a_password_that_was_changed_in_another_store_replaces_the_one_known_here() {
    run_with_keeper(REKEYED_USERS);
}

#[test]
fn a_user_goes_with_the_last_revision_that_is_purged() {
    run_with_keeper(PURGED_USERS);
}

#[test]
fn users_go_with_their_database_and_administrators_with_no_document() {
    run_with_keeper(DROPPED_USERS);
}

#[test]
fn users_see_only_public_fields_of_others_documents() {
    let server = Server::start();
    let faults = faults(server.address, &[&KEEPER[..], PUBLIC].concat());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let shown = exchange(server.address, "GET /_users/org.couchdb.user:jan", "");
    assert_eq!(shown.status, 200, "{shown}");
    for hidden in ["derived_key", "salt", "roles"] {
        assert!(!shown.body.contains(hidden), "{shown}");
    }
}

const PUBLIC: &[Case] = &[
    case(
        "PUT /_users/org.couchdb.user:jan",
        r#"{"name": "jan", "type": "user", "roles": [], "password": "apple", "town": "Ulm"}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_users/org.couchdb.user:jan",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing"}"#,
    ),
    case(
        "PUT /_node/_local/_config/chttpd_auth/public_fields\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#""name, town""#,
        200,
        "",
    ),
    case(
        "GET /_users/org.couchdb.user:jan",
        "",
        200,
        r#"{"_id": "org.couchdb.user:jan", "name": "jan", "town": "Ulm"}"#,
    ),
    case(
        "GET /_users/org.couchdb.user:jan?revs=true",
        "",
        501,
        r#"{"reason": "`revs` is not for documents of which public fields alone are shown"}"#,
    ),
    case(
        "GET /_users/org.couchdb.user:eva",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing"}"#,
    ),
    case("GET /_users/_all_docs", "", 401, r#"{"error": "unauthorized"}"#),
];

const USERS: &[Case] = &[
    case("PUT /_users", "", 201, r#"{"ok": true}"#),
    case(
        "POST /_users/_bulk_docs",
        r#"{"docs": [
            {"_id": "org.couchdb.user:a", "name": "a", "type": "user", "roles": 5},
            {"_id": "org.couchdb.user:b", "name": "b", "type": "user", "roles": []}]}"#,
        201,
        r#"[{"id": "org.couchdb.user:a", "error": "forbidden", "reason": "doc.roles must be an array"}, {"ok": true, "id": "org.couchdb.user:b"}]"#,
    ),
    case("GET /_users/org.couchdb.user:b", "", 200, r#"{"name": "b"}"#),
    case(
        "POST /_users/_bulk_docs",
        r#"{"docs": [
            {"_id": "org.couchdb.user:c", "name": "c", "type": "user", "roles": [], "password_scheme": "bcrypt"},
            {"_id": "org.couchdb.user:d", "name": "d", "type": "user", "roles": [], "password_scheme": "pbkdf2", "derived_key": "0"},
            {"_id": "org.couchdb.user:e", "name": "e", "type": "user", "roles": [], "password_scheme": "pbkdf2", "iterations": 1},
            {"_id": "org.couchdb.user:f", "name": "f", "type": "user", "roles": [], "password_sha": "0"}]}"#,
        201,
        r#"[{"reason": "Password scheme `bcrypt` not supported."}, {"reason": "iterations must be a number."},
            {"reason": "derived_key must be a string."}, {"reason": "Users with password_sha must have a salt."}]"#,
    ),
];

const HIDDEN_USERS: &[Case] = &[
    case(
        "PUT /_node/_local/_config/chttpd_auth/allow_conflicted_user_docs\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#""true""#,
        200,
        "",
    ),
    case(
        "POST /_users/_bulk_docs\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"new_edits": false, "docs": [
            {"_id": "org.couchdb.user:jan", "_rev": "2-a", "name": "jan", "type": "user", "roles": ["a"], "password": "apple"}]}"#,
        201,
        "[]",
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        200,
        r#"{"name": "jan", "roles": ["a"]}"#,
    ),
    case(
        "PUT /_users/org.couchdb.user:jan?new_edits=false\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"_rev": "1-b", "name": "jan", "type": "user", "roles": ["b"], "password": "pear"}"#,
        201,
        r#"{"rev": "1-b"}"#,
    ),
    case(
        "GET /_session\nCookie: <set-cookie>",
        "",
        200,
        r#"{"userCtx": {"name": "jan", "roles": ["a"]}}"#,
    ),
    case(
        "DELETE /_users/org.couchdb.user:jan?rev=1-b\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_session\nCookie: <set-cookie>",
        "",
        200,
        r#"{"userCtx": {"name": "jan", "roles": ["a"]}}"#,
    ),
    case(
        "POST /_users/_bulk_docs\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"new_edits": false, "docs": [{"_id": "org.couchdb.user:jan", "_rev": "1-c", "_deleted": true}]}"#,
        201,
        "[]",
    ),
    case(
        "GET /_session\nCookie: <set-cookie>",
        "",
        200,
        r#"{"userCtx": {"name": "jan", "roles": ["a"]}}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "pear"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "DELETE /_users/org.couchdb.user:jan?rev=2-a\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
];

/// The derived keys of the passwords `apple` and `pear`.
const REKEYED_USERS: &[Case] = &[
    case(
        "PUT /_node/_local/_config/chttpd_auth/upgrade_hash_on_auth\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#""false""#,
        200,
        "",
    ),
    case(
        "PUT /_users/org.couchdb.user:jan?new_edits=false\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"_rev": "1-a", "name": "jan", "type": "user", "roles": [], "password_scheme": "pbkdf2", "iterations": 1,
            "salt": "salt", "derived_key": "f80ee7c2e2499169624231d321c5aedd7014c0e6"}"#,
        201,
        r#"{"rev": "1-a"}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        200,
        r#"{"name": "jan"}"#,
    ),
    // A changed role does not change the password.
    case(
        "PUT /_users/org.couchdb.user:jan?new_edits=false\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"_revisions": {"start": 2, "ids": ["b", "a"]}, "name": "jan", "type": "user", "roles": ["b"],
            "password_scheme": "pbkdf2", "iterations": 1, "salt": "salt",
            "derived_key": "f80ee7c2e2499169624231d321c5aedd7014c0e6"}"#,
        201,
        r#"{"rev": "2-b"}"#,
    ),
    case(
        "GET /_session\nCookie: <set-cookie>",
        "",
        200,
        r#"{"userCtx": {"name": "jan", "roles": ["b"]}}"#,
    ),
    case(
        "POST /_users/_bulk_docs\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"new_edits": false, "docs": [
            {"_id": "org.couchdb.user:jan", "_revisions": {"start": 3, "ids": ["c", "b", "a"]}, "name": "jan", "type": "user",
             "roles": ["c"], "password_scheme": "pbkdf2", "iterations": 1, "salt": "pepper",
             "derived_key": "c521da9603759917a967b07f82e709ee38f97b99"}]}"#,
        201,
        "[]",
    ),
    case(
        "GET /_session\nCookie: <set-cookie>",
        "",
        200,
        r#"{"userCtx": {"name": null, "roles": []}}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "pear"}"#,
        200,
        r#"{"name": "jan", "roles": ["c"]}"#,
    ),
    // So does the password of a conflict that wins once the other branch is deleted.
    case(
        "PUT /_users/org.couchdb.user:jan?new_edits=false\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"_rev": "1-z", "name": "jan", "type": "user", "roles": ["z"], "password_scheme": "pbkdf2", "iterations": 1,
            "salt": "salt", "derived_key": "f80ee7c2e2499169624231d321c5aedd7014c0e6"}"#,
        201,
        r#"{"rev": "1-z"}"#,
    ),
    case(
        "DELETE /_users/org.couchdb.user:jan?rev=3-c\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "pear"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        200,
        r#"{"name": "jan", "roles": ["z"]}"#,
    ),
];

const PURGED_USERS: &[Case] = &[
    case(
        "PUT /_users/org.couchdb.user:jan?new_edits=false\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"_rev": "1-a", "name": "jan", "type": "user", "roles": [], "password": "apple"}"#,
        201,
        r#"{"rev": "1-a"}"#,
    ),
    case(
        "POST /_users/_purge\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"org.couchdb.user:jan": ["1-x"]}"#,
        201,
        r#"{"purged": {"org.couchdb.user:jan": []}}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        200,
        r#"{"name": "jan"}"#,
    ),
    case(
        "POST /_users/_purge\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"org.couchdb.user:jan": ["1-a"]}"#,
        201,
        r#"{"purged": {"org.couchdb.user:jan": ["1-a"]}}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
];

const DROPPED_USERS: &[Case] = &[
    case(
        "PUT /_users/org.couchdb.user:jan",
        r#"{"name": "jan", "type": "user", "roles": [], "password": "apple"}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /_users/org.couchdb.user:keeper\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"name": "keeper", "type": "user", "roles": ["reader"]}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "DELETE /_users/org.couchdb.user:keeper?rev=<rev>\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "keeper", "password": "larder"}"#,
        200,
        r#"{"name": "keeper", "roles": ["_admin"]}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        200,
        r#"{"name": "jan"}"#,
    ),
    case(
        "DELETE /_users\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "PUT /_users\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /_users/org.couchdb.user:jan",
        r#"{"name": "jan", "type": "user", "roles": [], "password": "pear"}"#,
        201,
        r#"{"ok": true}"#,
    ),
];
