//! Accounts that documents of users create: how often they are flushed, and their state after a failed flush.

use crate::server::{KEEPER, Server};
use kv::Simulation;
use testing::http::{Answer, Case, case, exchange, faults};

/// The credentials of the keeper.
const BY_KEEPER: &str = "Authorization: Basic a2VlcGVyOmxhcmRlcg==";

/// A database of users under a name of its own, which has its design document at once: so nothing is flushed meanwhile.
const PEOPLE: [Case; 2] = [
    case(
        "PUT /people\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        "",
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "PUT /_node/_local/_config/chttpd_auth/authentication_db\nAuthorization: Basic a2VlcGVyOmxhcmRlcg==",
        r#""people""#,
        200,
        "",
    ),
];

fn start(simulation: &Simulation) -> Server {
    let server = Server::on(simulation);
    let faults = faults(server.address, &[&KEEPER[1..], &PEOPLE[..]].concat());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    server
}

fn put_jan(server: &Server, query: &str, role: &str, password: &str) -> Answer {
    let request = format!("PUT /people/org.couchdb.user:jan{query}\n{BY_KEEPER}");
    let document =
        format!(r#"{{"name": "jan", "type": "user", "roles": ["{role}"], "password": "{password}"}}"#);
    exchange(server.address, &request, &document)
}

fn log_in(server: &Server, password: &str) -> Answer {
    let credentials = format!(r#"{{"name": "jan", "password": "{password}"}}"#);
    exchange(server.address, "POST /_session", &credentials)
}

#[test]
fn an_account_follows_a_document_that_a_full_disk_keeps_from_being_flushed() {
    let simulation = Simulation::new(1);
    let server = start(&simulation);
    let put = put_jan(&server, "", "reader", "apple");
    assert_eq!(put.status, 201, "{put}");
    assert_eq!(log_in(&server, "apple").status, 200);
    let revision = put
        .header("etag")
        .unwrap_or_default()
        .trim_matches('"')
        .to_owned();

    simulation.fill_at_next_flush();
    let put = put_jan(&server, &format!("?rev={revision}"), "writer", "pear");
    assert_eq!(put.status, 507, "{put}");
    let seen = exchange(
        server.address,
        &format!("GET /people/org.couchdb.user:jan\n{BY_KEEPER}"),
        "",
    );
    assert!(seen.body.contains("writer"), "{seen}");

    let logged_in = log_in(&server, "pear");
    assert_eq!(logged_in.status, 200, "{logged_in}");
    assert!(logged_in.body.contains("writer"), "{logged_in}");
    assert_eq!(log_in(&server, "apple").status, 401);
}

#[test]
fn an_account_goes_with_a_document_whose_deletion_a_full_disk_keeps_from_being_flushed() {
    let simulation = Simulation::new(1);
    let server = start(&simulation);
    let put = put_jan(&server, "", "reader", "apple");
    let revision = put
        .header("etag")
        .unwrap_or_default()
        .trim_matches('"')
        .to_owned();
    assert_eq!(log_in(&server, "apple").status, 200);

    simulation.fill_at_next_flush();
    let request = format!("DELETE /people/org.couchdb.user:jan?rev={revision}\n{BY_KEEPER}");
    assert_eq!(exchange(server.address, &request, "").status, 507);
    assert_eq!(log_in(&server, "apple").status, 401);
}

/// The flushes that it takes to drop a database of this many users.
fn flushes_of_a_drop(users: usize) -> u64 {
    let server = start(&Simulation::new(1));
    let document = |number: usize| {
        format!(
            r#"{{"_id": "org.couchdb.user:u{number}", "name": "u{number}", "type": "user", "roles": [], "password": "apple"}}"#
        )
    };
    let documents: Vec<String> = (0..users).map(document).collect();
    let batch = format!(r#"{{"docs": [{}]}}"#, documents.join(","));
    let request = format!("POST /people/_bulk_docs\n{BY_KEEPER}");
    assert_eq!(exchange(server.address, &request, &batch).status, 201);
    assert_eq!(server.engine.all_users().len(), users + 1);

    let before = server.engine.server_report().flushes;
    let dropped = exchange(server.address, &format!("DELETE /people\n{BY_KEEPER}"), "");
    assert_eq!(dropped.status, 200, "{dropped}");
    assert_eq!(server.engine.all_users().len(), 1);
    server.engine.server_report().flushes - before
}

#[test]
fn the_accounts_of_a_database_are_dropped_together() {
    assert_eq!(flushes_of_a_drop(5), flushes_of_a_drop(1));
}

/// Names the database of users; `_users` without one.
fn set_people(server: &Server, name: Option<&str>) {
    let method = if name.is_some() { "PUT" } else { "DELETE" };
    let request = format!("{method} /_node/_local/_config/chttpd_auth/authentication_db\n{BY_KEEPER}");
    let body = name.map(|name| format!("\"{name}\"")).unwrap_or_default();
    let answer = exchange(server.address, &request, &body);
    assert_eq!(answer.status, 200, "{answer}");
}

#[test]
fn accounts_are_those_of_the_database_that_the_settings_name() {
    let server = start(&Simulation::new(1));
    assert_eq!(put_jan(&server, "", "reader", "apple").status, 201);
    assert_eq!(log_in(&server, "apple").status, 200);
    set_people(&server, None);
    assert_eq!(log_in(&server, "apple").status, 401);
    assert_eq!(server.engine.all_users().len(), 1);
    set_people(&server, Some("people"));
    let logged_in = log_in(&server, "apple");
    assert_eq!(logged_in.status, 200, "{logged_in}");
    assert!(logged_in.body.contains("reader"), "{logged_in}");
}

#[test]
fn no_account_outlives_a_database_that_is_no_longer_that_of_users() {
    let server = start(&Simulation::new(1));
    assert_eq!(put_jan(&server, "", "reader", "apple").status, 201);
    set_people(&server, None);
    let dropped = exchange(server.address, &format!("DELETE /people\n{BY_KEEPER}"), "");
    assert_eq!(dropped.status, 200, "{dropped}");
    assert_eq!(log_in(&server, "apple").status, 401);
    let made = exchange(server.address, &format!("PUT /_users\n{BY_KEEPER}"), "");
    assert!([201, 412].contains(&made.status), "{made}");
    // Anybody may register under a name that is free.
    let document = r#"{"name": "jan", "type": "user", "roles": [], "password": "pear"}"#;
    let put = exchange(server.address, "PUT /_users/org.couchdb.user:jan", document);
    assert_eq!(put.status, 201, "{put}");
    assert_eq!(log_in(&server, "pear").status, 200);
}

#[test]
fn a_user_with_one_time_passwords_has_no_credentials_for_other_protocols() {
    let server = start(&Simulation::new(1));
    let put = |query: &str, more: &str| {
        let request = format!("PUT /people/org.couchdb.user:jan{query}\n{BY_KEEPER}");
        let document =
            format!(r#"{{"name": "jan", "type": "user", "roles": [], "password": "apple"{more}}}"#);
        let answer = exchange(server.address, &request, &document);
        assert_eq!(answer.status, 201, "{answer}");
        let tag = answer
            .header("etag")
            .unwrap_or_default()
            .trim_matches('"')
            .to_owned();
        let account = server.engine.user("admin", "jan").unwrap();
        (tag, account.credentials.len())
    };
    let (first, credentials) = put("", "");
    assert!(credentials > 0);
    let totp = r#", "totp": {"key": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}"#;
    let (second, credentials) = put(&format!("?rev={first}"), totp);
    assert_eq!(credentials, 0);
    // The right password does not create credentials either.
    assert_eq!(log_in(&server, "apple").status, 401);
    assert!(server.engine.user("admin", "jan").unwrap().credentials.is_empty());
    let (_, credentials) = put(&format!("?rev={second}"), "");
    assert!(credentials > 0);
    assert_eq!(log_in(&server, "apple").status, 200);
}
