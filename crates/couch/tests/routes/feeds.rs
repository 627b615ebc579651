//! Feeds of changes: sequences that stay true after a crash, and filters.

use crate::server::{Server, run};
use kv::Simulation;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use testing::http::{Answer, Case, case, exchange};

/// Seeds of the simulation, which decide what a crash loses.
const SEEDS: u64 = 20;

/// How long a feed may take on a busy machine for what comes at once on an idle one.
const PATIENCE: Duration = Duration::from_secs(60);

/// A sign of life of a feed of lines, as it is sent.
const SIGN: &str = "1\r\n\n\r\n";

/// A feed that is read piece by piece.
struct Followed {
    stream: TcpStream,
    /// What has come so far: the head, then chunks.
    text: String,
}

impl Followed {
    fn begin(server: &Server, path: &str) -> Followed {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        Followed {
            stream,
            text: String::new(),
        }
    }

    /// Reads on until this is true of what has come.
    fn read_until(&mut self, is_enough: impl Fn(&str) -> bool) {
        let begun = Instant::now();
        let mut piece = [0; 1024];
        while !is_enough(&self.text) {
            assert!(begun.elapsed() < PATIENCE, "{}", self.text);
            let read = self.stream.read(&mut piece).unwrap();
            assert!(read > 0, "{}", self.text);
            self.text += &String::from_utf8_lossy(&piece[..read]);
        }
    }
}

fn ok(server: &Server, request: &str, body: &str) -> String {
    let Answer { status, body, .. } = exchange(server.address, request, body);
    assert!((200..300).contains(&status), "{request}: {status} {body}");
    body
}

/// The string behind this member's name.
fn text_of<'a>(body: &'a str, member: &str) -> &'a str {
    let (_, rest) = body.split_once(&format!("\"{member}\":\"")).expect(body);
    rest.split('"').next().unwrap_or_default()
}

/// A client that keeps the sequence of this answer, and asks for what came after it once the server has crashed and others have
/// written.
fn goes_on_after_a_crash(asked: &str, member: &str) {
    for seed in 0..SEEDS {
        let simulation = Simulation::new(seed);
        let server = Server::on(&simulation);
        ok(&server, "PUT /d", "");
        ok(&server, "PUT /d/first", "{}");
        // Nobody waits until these are on the disk.
        for number in 0..5 {
            ok(&server, &format!("PUT /d/late{number}?batch=ok"), "{}");
        }
        let told = ok(&server, asked, "");
        let since = text_of(&told, member);
        simulation.crash();
        drop(server);
        let server = Server::on(&simulation);
        ok(&server, "PUT /d/after", "{}");
        let changes = ok(&server, &format!("GET /d/_changes?since={since}"), "");
        assert!(changes.contains(r#""id":"after""#), "{asked}, {seed}: {changes}");
    }
}

#[test]
fn who_follows_a_feed_misses_nothing_after_a_crash() {
    goes_on_after_a_crash("GET /d/_changes", "last_seq");
    goes_on_after_a_crash("GET /d/_changes?since=now", "last_seq");
    goes_on_after_a_crash("GET /d/_changes?feed=longpoll", "last_seq");
    goes_on_after_a_crash("GET /d/_changes?descending=true&limit=1", "last_seq");
}

#[test]
fn who_follows_from_a_reported_sequence_misses_nothing_after_a_crash() {
    goes_on_after_a_crash("GET /d", "update_seq");
    goes_on_after_a_crash("GET /d/_all_docs?update_seq=true", "update_seq");
    goes_on_after_a_crash("GET /d/_local_docs?update_seq=true", "update_seq");
}

#[test]
fn a_feed_ends_with_its_database() {
    for kind in ["continuous", "longpoll", "eventsource"] {
        let server = Server::start();
        ok(&server, "PUT /d", "");
        let path = format!("/d/_changes?feed={kind}&since=now&heartbeat=100");
        let mut followed = Followed::begin(&server, &path);
        // A feed that gives a sign of life waits for changes.
        followed.read_until(|text| text.contains(SIGN) || text.contains("event: heartbeat"));
        ok(&server, "DELETE /d", "");
        followed.read_until(|text| text.ends_with("\r\n0\r\n\r\n"));
        let text = followed.text;
        assert!(text.starts_with("HTTP/1.1 200 "), "{kind}: {text}");
        let is_told = kind == "eventsource" || text.contains("last_seq");
        assert!(is_told, "{kind}: {text}");
    }
}

#[test]
fn signs_of_life_come_as_often_as_the_settings_say_at_least() {
    let server = Server::start();
    ok(&server, "PUT /d", "");
    ok(
        &server,
        "PUT /_node/_local/_config/chttpd/changes_timeout",
        r#""50""#,
    );
    for asked in ["true", "600000"] {
        let path = format!("/d/_changes?feed=continuous&since=now&heartbeat={asked}");
        let mut followed = Followed::begin(&server, &path);
        followed.read_until(|text| text.contains(&format!("\r\n\r\n{SIGN}{SIGN}")));
    }
}

#[test]
fn a_feed_with_signs_of_life_ends_when_the_settings_say() {
    let server = Server::start();
    ok(&server, "PUT /d", "");
    ok(
        &server,
        "PUT /_node/_local/_config/fabric/changes_duration",
        r#""200""#,
    );
    let begun = Instant::now();
    let request = "GET /d/_changes?feed=continuous&since=now&heartbeat=50";
    let told = ok(&server, request, "");
    assert!(begun.elapsed() >= Duration::from_millis(200));
    assert!(told.starts_with('\n') && told.contains("last_seq"), "{told}");
}

#[test]
fn functions_that_filter_see_the_newest_revisions_of_a_document() {
    run(REVISIONS);
}

const REVISIONS: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /_node/_local/_config/query_server_config/revs_limit",
        r#""2""#,
        200,
        "",
    ),
    case(
        "POST /db/_bulk_docs",
        r#"{"new_edits": false, "docs": [
            {"_id": "a", "_revisions": {"start": 3, "ids": ["z", "y", "x"]}},
            {"_id": "b", "_revisions": {"start": 2, "ids": ["z", "x"]}},
            {"_id": "c", "_deleted": true, "_revisions": {"start": 3, "ids": ["z", "y", "x"]}},
            {"_id": "d", "_rev": "1-z"},
            {"_id": "d", "_rev": "1-w"}]}"#,
        201,
        "[]",
    ),
    case(
        "PUT /db/_design/d",
        r#"{"filters": {"f": "function (doc) { return doc._revisions.ids.join() === 'z,y'; }",
                        "g": "function (doc) { return Boolean(doc._conflicts); }"},
            "views": {"v": {"map": "function (doc) { if (doc._revisions.ids.join() === 'z,x') emit(1); }"}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /db/_changes?filter=d/f",
        "",
        200,
        r#"{"results": [{"id": "a"}, {"id": "c"}]}"#,
    ),
    case(
        "GET /db/_changes?filter=_view&view=d/v",
        "",
        200,
        r#"{"results": [{"id": "b"}]}"#,
    ),
    case(
        "GET /db/_changes?filter=d/g&conflicts=true",
        "",
        200,
        r#"{"results": [{"id": "d"}]}"#,
    ),
    case("GET /db/_changes?filter=d/g", "", 200, r#"{"results": []}"#),
];

#[test]
fn filters_are_asked_about_each_leaf_where_all_are_wanted() {
    run(LEAVES);
}

const LEAVES: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "POST /db/_bulk_docs",
        r#"{"new_edits": false, "docs": [
            {"_id": "a", "_rev": "1-b", "n": 1},
            {"_id": "a", "_rev": "1-a", "n": 2},
            {"_id": "b", "_rev": "1-a", "n": 1},
            {"_id": "c", "_rev": "1-a", "n": 1},
            {"_id": "c", "_rev": "1-b", "n": 2, "_deleted": true}]}"#,
        201,
        "[]",
    ),
    case(
        "PUT /db/_design/d",
        r#"{"filters": {"f": "function (doc) { return doc.n === 2 && !doc._conflicts; }"},
            "views": {"v": {"map": "function (doc) { if (doc.n === 2) emit(1); }"}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector&style=all_docs",
        r#"{"selector": {"n": 2}}"#,
        200,
        r#"{"results": [{"id": "a", "changes": [{"rev": "1-a"}]}, {"id": "c", "changes": [{"rev": "1-b"}]}]}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector&style=all_docs",
        r#"{"selector": {"n": {"$gt": 0}}}"#,
        200,
        r#"{"results": [
            {"id": "a", "changes": [{"rev": "1-b"}, {"rev": "1-a"}]},
            {"id": "b", "changes": [{"rev": "1-a"}]},
            {"id": "c", "changes": [{"rev": "1-a"}, {"rev": "1-b"}]}]}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector&style=all_docs&include_docs=true",
        r#"{"selector": {"n": 2}}"#,
        200,
        r#"{"results": [{"id": "a", "doc": {"_rev": "1-b", "n": 1}}, {"id": "c", "doc": {"_rev": "1-a", "n": 1}}]}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector",
        r#"{"selector": {"n": 2}}"#,
        200,
        r#"{"results": []}"#,
    ),
    // The winner shows its conflicts; a leaf that is tested by itself does not.
    case(
        "POST /db/_changes?filter=_selector",
        r#"{"selector": {"_conflicts": {"$exists": true}}}"#,
        200,
        r#"{"results": [{"id": "a", "changes": [{"rev": "1-b"}]}]}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector",
        r#"{"selector": {"_conflicts": ["1-a"], "_revisions": {"$exists": false}}}"#,
        200,
        r#"{"results": [{"id": "a"}]}"#,
    ),
    case(
        "POST /db/_changes?filter=_selector&style=all_docs",
        r#"{"selector": {"_conflicts": {"$exists": true}}}"#,
        200,
        r#"{"results": []}"#,
    ),
    case(
        "GET /db/_changes?filter=d/f&style=all_docs&conflicts=true",
        "",
        200,
        r#"{"results": [{"id": "a", "changes": [{"rev": "1-a"}]}, {"id": "c", "changes": [{"rev": "1-b"}]}]}"#,
    ),
    case(
        "GET /db/_changes?filter=_view&view=d/v&style=all_docs",
        "",
        200,
        r#"{"results": [{"id": "a", "changes": [{"rev": "1-a"}]}, {"id": "c", "changes": [{"rev": "1-b"}]}]}"#,
    ),
    case("GET /db/_changes?filter=d/f", "", 200, r#"{"results": []}"#),
];

#[test]
fn a_filter_that_is_not_there_is_refused_before_the_feed_begins() {
    run(MISSING);
}

const MISSING: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case(
        "PUT /db/_design/d",
        r#"{"filters": {"f": "function () { return true; }"}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /db/_changes?filter=d/none&feed=continuous",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing json key: none"}"#,
    ),
    case(
        "GET /db/_changes?filter=_view&view=d/none",
        "",
        404,
        r#"{"error": "not_found", "reason": "missing json key: views"}"#,
    ),
    case(
        "GET /db/_changes?filter=d",
        "",
        400,
        r#"{"reason": "`filter` must be of the form `designname/filtername`"}"#,
    ),
    case(
        "GET /db/_changes?filter=_view&view=d",
        "",
        400,
        r#"{"reason": "`view` must be of the form `designname/viewname`"}"#,
    ),
    case(
        "GET /db/_changes?filter=_view",
        "",
        400,
        r#"{"reason": "`view` filter parameter is not provided."}"#,
    ),
];

#[test]
fn no_changes_are_given_where_none_are_wanted() {
    run(NONE_WANTED);
}

const NONE_WANTED: &[Case] = &[
    case("PUT /db", "", 201, r#"{"ok": true}"#),
    case("PUT /db/a", "{}", 201, ""),
    case("PUT /db/b", "{}", 201, ""),
    case(
        "GET /db/_changes?limit=0",
        "",
        200,
        r#"{"results": [], "last_seq": "*", "pending": 2}"#,
    ),
    case(
        "GET /db/_changes?limit=0&feed=continuous",
        "",
        200,
        r#"{"last_seq": "*", "pending": 2}"#,
    ),
];
