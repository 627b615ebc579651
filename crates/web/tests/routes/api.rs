//! The page and the endpoints that it uses.

use crate::server::{Server, run};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;
use testing::http::{Case, case, exchange};

#[test]
fn the_page_and_what_it_asks() {
    run(CASES);
}

const INSERT: &str = r#"{"insert": "zips", "documents": [
    {"_id": 1, "city": "A, \"B\"", "pop": {"$numberLong": "5"}, "at": {"$date": "2026-01-01T00:00:00Z"}},
    {"_id": 2, "city": "a text that is longer than ten bytes"}]}"#;

pub const CASES: &[Case] = &[
    case(
        "POST /api/command/default\nOrigin: http://<host>",
        r#"{"ping": 1}"#,
        200,
        "",
    ),
    case(
        "GET /",
        "",
        200,
        "Content-Type: text/html; charset=utf-8\nContent-Security-Policy: default-src 'none'; script-src 'self' 'sha256-\nCache-Control: no-cache\n\n<div id=\"app\">",
    ),
    case("HEAD /", "", 200, ""),
    case("POST /", "", 405, "Allow: GET, HEAD\n\n"),
    case(
        "GET /api/session",
        "",
        200,
        r#"{"users": false, "user": null, "page": "*", "version": "*"}"#,
    ),
    case("HEAD /api/session", "", 200, ""),
    case(
        "PUT /api/session\nContent-Type: application/json",
        "{}",
        405,
        "Allow: GET, HEAD, POST, DELETE\n\n",
    ),
    case(
        "POST /api/session",
        r#"{"name": "ann"}"#,
        400,
        "give name and password",
    ),
    case(
        "POST /api/session",
        r#"{"name": "ann", "password": "x", "as": 1}"#,
        400,
        "'as' is not known",
    ),
    case("DELETE /api/session", "", 200, r#"{"user": null}"#),
    case(
        "GET /page/<page>/app.js",
        "",
        200,
        "Cache-Control: public, max-age=31536000, immutable\nContent-Type: text/javascript; charset=utf-8\nX-Content-Type-Options: nosniff\nETag: W/\"\n\nimport",
    ),
    case("GET /page/<page>/app.js\nIf-None-Match: \"<page>\"", "", 304, ""),
    case(
        "GET /page/<page>/app.js\nIf-None-Match: W/\"<page>\"",
        "",
        304,
        "",
    ),
    case("HEAD /page/<page>/vendor/preact.mjs", "", 200, ""),
    case("GET /page/<page>/none.js", "", 404, r#"{"error": "not_found"}"#),
    case(
        "GET /page/0000000000000000/app.js",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "POST /api/command/default",
        INSERT,
        200,
        r#"{"n": {"$numberInt": "2"}, "ok": "*"}"#,
    ),
    case(
        "POST /api/command/default",
        r#"{"find": "zips", "filter": {"_id": 1}}"#,
        200,
        r#"{"cursor": {"firstBatch": [{"pop": {"$numberLong": "5"}}]}}"#,
    ),
    case(
        "POST /api/command/default?trim=10",
        r#"{"find": "zips", "filter": {"_id": 2}}"#,
        200,
        r#"{"cursor": {"firstBatch": [{"city": {"$cut": {"bytes": {"$numberLong": "36"}, "head": "a text tha"}}}]}}"#,
    ),
    case(
        "POST /api/command/default",
        r#"{"nothing": 1}"#,
        400,
        r#"{"codeName": "CommandNotFound"}"#,
    ),
    case(
        "POST /api/command/default",
        r#"{"find": "#,
        400,
        "invalid JSON at byte",
    ),
    case(
        "POST /api/command/default",
        r#"{"ping": 1, "$db": "admin"}"#,
        400,
        "$db is given by the path",
    ),
    case("POST /api/command/default?trim=-1", r#"{"ping": 1}"#, 400, "trim"),
    case("GET /api/command/default", "", 405, "Allow: POST\n\n"),
    case(
        "GET /api/collections",
        "",
        200,
        r#"{"collections": [{"name": "default.zips", "documents": 2, "indexes": [{"name": "_id_"}]}]}"#,
    ),
    case("HEAD /api/collections", "", 200, ""),
    case("DELETE /api/collections", "", 405, "Allow: GET, HEAD\n\n"),
    case(
        "GET /api/status",
        "",
        200,
        r#"{"documents": 2, "memory": {"requests": "*"}, "disk": {"is_low": false}}"#,
    ),
    case("HEAD /api/status", "", 200, ""),
    case("DELETE /api/status", "", 405, "Allow: GET, HEAD\n\n"),
    case(
        "GET /api/export/default.zips",
        "",
        200,
        r#"{"_id":1,"city":"A, \"B\"","pop":5,"at":{"$date":"2026-01-01T00:00:00Z"}}"#,
    ),
    case("HEAD /api/export/default.zips", "", 200, ""),
    case(
        "GET /api/export/default.zips?format=csv&fields=_id,city,at&filter=%7B%22_id%22%3A1%7D",
        "",
        200,
        "Content-Type: text/csv; charset=utf-8\n\n_id,city,at\r\n1,\"A, \"\"B\"\"\",2026-01-01T00:00:00Z\r\n",
    ),
    // A line with nothing on it would be no record.
    case(
        "GET /api/export/default.zips?format=csv&fields=pop&sort=%7B%22_id%22%3A1%7D",
        "",
        200,
        "pop\r\n5\r\n\"\"\r\n",
    ),
    case(
        "GET /api/export/default.zips?format=xml",
        "",
        400,
        "give ndjson or csv",
    ),
    case(
        "GET /api/export/default.zips?filter=%7B%22%24no%22%3A1%7D",
        "",
        400,
        r#"{"error": "refused"}"#,
    ),
    case("GET /api/export/zips", "", 400, "DB.COLLECTION"),
    case(
        "POST /api/export/default.zips\nContent-Type: application/json",
        "",
        405,
        "Allow: GET, HEAD\n\n",
    ),
    case("GET /api/couch/zips", "", 200, r#"{"db_name": "zips"}"#),
    case(
        "POST /api/couch/zips/_find",
        r#"{"selector": {"pop": {"$gt": 0}}, "limit": 1}"#,
        200,
        r#"{"docs": [{}]}"#,
    ),
    case("GET /api/couch/none", "", 404, r#"{"error": "not_found"}"#),
    case("GET /api/elastic/zips/_count", "", 200, r#"{"count": 2}"#),
    case(
        "POST /api/elastic/zips/_search",
        r#"{"query": {"query_string": {"query": "city:longer"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "GET /api/elastic/none/_count",
        "",
        404,
        "index_not_found_exception",
    ),
    case("HEAD /api/tail?c=zips", "", 200, ""),
    case("GET /api/tail?c=none", "", 404, "index_not_found_exception"),
    case("GET /api/tail?c=zips&x=1", "", 400, "[x]"),
    case("GET /api/tail?c=zips&since=soon", "", 400, "no position"),
    case(
        "POST /api/tail\nContent-Type: application/json",
        "",
        405,
        "Allow: GET, HEAD\n\n",
    ),
    // What a page of another site can make a browser send.
    case(
        "POST /api/command/default\nContent-Type: text/plain",
        r#"{"ping": 1}"#,
        415,
        "application/json",
    ),
    case(
        "POST /api/command/default\nContent-Type: application/x-www-form-urlencoded",
        "a=1",
        415,
        "application/json",
    ),
    case(
        "POST /api/command/default\nOrigin: http://evil.example",
        r#"{"ping": 1}"#,
        403,
        "evil.example",
    ),
    case(
        "POST /api/command/default\nOrigin: null",
        r#"{"ping": 1}"#,
        403,
        "from null",
    ),
    case(
        "POST /api/command/default\nOrigin: http://localhost:1",
        r#"{"ping": 1}"#,
        403,
        "localhost:1",
    ),
    case(
        "GET /api/collections\nSec-Fetch-Site: cross-site",
        "",
        403,
        "pages of another site",
    ),
    case(
        "GET /api/collections\nSec-Fetch-Site: same-site",
        "",
        403,
        "pages of another site",
    ),
    case(
        "GET /api/collections\nSec-Fetch-Site: same-origin",
        "",
        200,
        "Cache-Control: no-store\n\n",
    ),
    case(
        "GET /api/tail?c=zips\nOrigin: http://evil.example",
        "",
        403,
        "evil.example",
    ),
];

#[test]
fn the_tail_sends_matching_lines_as_they_come() {
    let server = Server::start();
    let insert = |document: &str| {
        let body = format!(r#"{{"insert": "logs", "documents": [{document}]}}"#);
        assert_eq!(
            exchange(server.address, "POST /api/command/default", &body).status,
            200
        );
    };
    insert(r#"{"_id": 0, "level": "error"}"#);
    let tail = |since: &str| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head = format!("GET /api/tail?c=logs&q=level:error{since} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        BufReader::new(stream).lines().map(Result::unwrap)
    };
    let mut lines = tail("");
    assert!(lines.any(|line| line == "event: open"));
    let opened = lines.find(|line| line.starts_with("data: ")).unwrap();
    insert(r#"{"_id": 1, "level": "info"}"#);
    insert(r#"{"_id": 2, "level": "error"}"#);
    let told = lines.find(|line| line.contains("\"lines\":")).unwrap();
    assert!(told.contains(r#""_id":"2""#) && !told.contains("info"), "{told}");
    // A client that was away goes on where it was.
    let opened: serde_json::Value = serde_json::from_str(opened.trim_start_matches("data: ")).unwrap();
    let position = opened["position"].as_str().unwrap();
    let again = tail(&format!("&since={position}"))
        .find(|line| line.contains("\"lines\":"))
        .unwrap();
    assert_eq!(again, told);
}

#[test]
fn a_server_that_stops_does_not_wait_for_those_who_follow_a_collection() {
    let server = Server::start();
    let insert = r#"{"insert": "logs", "documents": [{"_id": 0}]}"#;
    assert_eq!(
        exchange(server.address, "POST /api/command/default", insert).status,
        200
    );
    let mut stream = TcpStream::connect(server.address).unwrap();
    // Less than a server waits for what does not end by itself.
    stream.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
    stream
        .write_all(b"GET /api/tail?c=logs HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "event: open"));
    server.stop();
    assert!(lines.any(|line| line == "event: end"));
    assert_eq!(
        lines.next().as_deref(),
        Some(r#"data: {"reason":"the server stops"}"#)
    );
    assert!(lines.last().is_some(), "it ends");
}
