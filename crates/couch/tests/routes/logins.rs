//! Which user a login is: with a name that also has a document, and with a name that a proxy passes on.

use crate::server::{run, run_with_keeper};
use testing::http::{Case, case};

#[test]
fn nobody_takes_an_account_by_a_document_of_its_name() {
    run_with_keeper(ACCOUNTS);
}

#[test]
fn whom_a_proxy_names_does_not_act_as_the_account_of_that_name() {
    run(NAMED_BY_A_PROXY);
}

const ACCOUNTS: &[Case] = &[
    case(
        "PUT /_users/org.couchdb.user:keeper",
        r#"{"name": "keeper", "type": "user", "roles": [], "password": "evil"}"#,
        403,
        r#"{"error": "forbidden", "reason": "There is an account of this name already."}"#,
    ),
    case(
        "POST /_users",
        r#"{"_id": "org.couchdb.user:keeper", "name": "keeper", "type": "user", "roles": [], "password": "evil"}"#,
        403,
        r#"{"error": "forbidden"}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "keeper", "password": "evil"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    // A deletion of a document that never existed.
    case(
        "POST /_users/_bulk_docs\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"docs": [{"_id": "org.couchdb.user:keeper", "_deleted": true}]}"#,
        201,
        r#"[{"ok": true}]"#,
    ),
    case(
        "POST /_users/_purge\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#"{"org.couchdb.user:keeper": ["1-x"]}"#,
        201,
        r#"{"purged": {"org.couchdb.user:keeper": []}}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "keeper", "password": "larder"}"#,
        200,
        r#"{"name": "keeper", "roles": ["_admin"]}"#,
    ),
    // The owner of the account may do it.
    case(
        "PUT /_users/org.couchdb.user:keeper\nCookie: <set-cookie>",
        r#"{"name": "keeper", "type": "user", "roles": []}"#,
        201,
        r#"{"ok": true}"#,
    ),
    // Anybody may register under a new name.
    case(
        "PUT /_users/org.couchdb.user:jan",
        r#"{"name": "jan", "type": "user", "roles": [], "password": "apple"}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /_session",
        r#"{"name": "jan", "password": "apple"}"#,
        200,
        r#"{"name": "jan", "roles": []}"#,
    ),
];

const NAMED_BY_A_PROXY: &[Case] = &[
    case("PUT /secret", "", 201, r#"{"ok": true}"#),
    case("PUT /secret/a", "{}", 201, r#"{"ok": true}"#),
    case(
        "PUT /secret/_security",
        r#"{"members": {"roles": ["reader"]}}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case("PUT /open", "", 201, r#"{"ok": true}"#),
    case("PUT /open/_security", "{}", 200, r#"{"ok": true}"#),
    case("PUT /_replicator", "", 201, r#"{"ok": true}"#),
    case("PUT /_replicator/_security", "{}", 200, r#"{"ok": true}"#),
    case("PUT /_users", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /_node/_local/_config/chttpd/authentication_handlers",
        r#""{chttpd_auth, proxy_authentication_handler}, {chttpd_auth, default_authentication_handler}""#,
        200,
        "",
    ),
    case(
        "PUT /_node/_local/_config/admins/keeper",
        r#""larder""#,
        200,
        r#""""#,
    ),
    case(
        "POST /_replicate\nX-Auth-CouchDB-UserName: keeper",
        r#"{"source": "secret", "target": "open"}"#,
        401,
        r#"{"error": "unauthorized"}"#,
    ),
    case(
        "PUT /_replicator/a\nX-Auth-CouchDB-UserName: keeper",
        r#"{"source": "secret", "target": "open", "user_ctx": {"name": "keeper"}}"#,
        403,
        r#"{"error": "forbidden", "reason": "There is an account of your name, as which the replication would run."}"#,
    ),
    case(
        "PUT /_users/org.couchdb.user:keeper\nX-Auth-CouchDB-UserName: keeper",
        r#"{"name": "keeper", "type": "user", "roles": [], "password": "evil"}"#,
        403,
        r#"{"error": "forbidden", "reason": "There is an account of this name already."}"#,
    ),
    // The roles are those that the proxy names.
    case(
        "POST /_replicate\nX-Auth-CouchDB-UserName: anna\nX-Auth-CouchDB-Roles: reader",
        r#"{"source": "secret", "target": "open"}"#,
        200,
        r#"{"ok": true, "history": [{"docs_written": 1}]}"#,
    ),
    // The credentials are right: the address is refused.
    case(
        "POST /_replicate\nX-Auth-CouchDB-UserName: anna\nX-Auth-CouchDB-Roles: reader",
        r#"{"source": "http://127.0.0.1:1/db", "target": "open"}"#,
        403,
        r#"{"error": "forbidden"}"#,
    ),
];
