//! Databases that users have for themselves.

use crate::server::Server;
use std::time::Duration;
use testing::http::{Answer, exchange};

/// keeper:larder
const KEEPER: &str = "Authorization: Basic a2VlcGVyOmxhcmRlcg==";
/// jan:apple
const JAN: &str = "Authorization: Basic amFuOmFwcGxl";
/// The database of jan.
const OWN: &str = "userdb-6a616e";

/// Asks as the administrator, who is there already.
fn ask(server: &Server, request: &str, body: &str) -> Answer {
    exchange(server.address, &format!("{request}\n{KEEPER}"), body)
}

/// Asks until the answer is right.
fn until(server: &Server, request: &str, is_right: impl Fn(&Answer) -> bool) -> Answer {
    for _ in 0..300 {
        let answer = ask(server, request, "");
        if is_right(&answer) {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{request} is never answered so");
}

/// A server with an administrator, the database of users and the user jan.
fn with_jan() -> Server {
    let server = Server::start();
    assert_eq!(exchange(server.address, "PUT /_users", "").status, 201);
    let keeper = "PUT /_node/_local/_config/admins/keeper";
    assert_eq!(exchange(server.address, keeper, r#""larder""#).status, 200);
    let jan = r#"{"name": "jan", "password": "apple", "type": "user", "roles": []}"#;
    let made = ask(&server, "PUT /_users/org.couchdb.user:jan", jan);
    assert_eq!(made.status, 201, "{made}");
    server
}

fn set(server: &Server, name: &str) {
    let request = format!("PUT /_node/_local/_config/couch_peruser/{name}");
    assert_eq!(ask(server, &request, r#""true""#).status, 200);
}

fn delete_jan(server: &Server) {
    let request = "/_users/org.couchdb.user:jan";
    let present = ask(server, &format!("HEAD {request}"), "");
    let tag = present.header("etag").unwrap_or_default();
    let gone = ask(server, &format!("DELETE {request}\nIf-Match: {tag}"), "");
    assert_eq!(gone.status, 200, "{gone}");
}

#[test]
fn a_user_has_a_database_and_is_named_there_while_there_is_a_document() {
    let server = with_jan();
    set(&server, "enable");
    let security = format!("GET /{OWN}/_security");
    let named = until(&server, &security, |answer| answer.body.contains("jan"));
    assert_eq!(
        named.body.trim(),
        r#"{"members":{"roles":["_admin"],"names":["jan"]},"admins":{"roles":["_admin"],"names":["jan"]}}"#
    );
    let put = exchange(server.address, &format!("PUT /{OWN}/a\n{JAN}"), "{}");
    assert_eq!(put.status, 201, "{put}");
    assert_eq!(exchange(server.address, &format!("GET /{OWN}"), "").status, 401);
    delete_jan(&server);
    until(&server, &security, |answer| !answer.body.contains("jan"));
}

#[test]
fn a_database_goes_with_its_user_where_the_settings_say_so() {
    let server = with_jan();
    assert_eq!(ask(&server, &format!("GET /{OWN}"), "").status, 404);
    set(&server, "delete_dbs");
    set(&server, "enable");
    let database = format!("GET /{OWN}");
    until(&server, &database, |answer| answer.status == 200);
    delete_jan(&server);
    until(&server, &database, |answer| answer.status == 404);
}
