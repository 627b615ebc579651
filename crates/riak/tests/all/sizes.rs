//! Values that a document can hold, larger ones, which become files, and values that are refused as too large.

use crate::server::Server;
use engine::files::{Bucket, ListRequest};
use kv::Simulation;
use riak::pb::frame::code;
use riak::pb::messages::{Content, GetReq, GetResp, PutReq, PutResp};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A value that a document can hold.
const BYTES_MAX: usize = 15 * 1024 * 1024;
/// A value that is too large for a document.
const LARGE_BYTES: usize = 18_000_001;

fn put_of(value: Vec<u8>) -> PutReq {
    PutReq {
        bucket: b"sizes".to_vec(),
        key: Some(b"k".to_vec()),
        content: Content {
            value: value.into(),
            content_type: Some(b"image/png".to_vec()),
            ..Content::default()
        },
        ..PutReq::default()
    }
}

#[test]
fn the_largest_value_comes_back_by_both_protocols() {
    let server = Server::start();
    let value: Vec<u8> = (0..BYTES_MAX).map(|at| (at * 31 % 251) as u8).collect();
    let mut client = server.client();
    let _: PutResp = client.ask(code::PUT, &put_of(value.clone()));
    let request = GetReq {
        bucket: b"sizes".to_vec(),
        key: b"k".to_vec(),
        ..GetReq::default()
    };
    let found: GetResp = client.ask(code::GET, &request);
    assert!(found.content[0].value == value);
    let stored = server.put("/buckets/sizes/keys/http", "image/png", &value);
    assert_eq!(stored.status, 204, "{}", stored.text());
    assert!(server.get("/buckets/sizes/keys/http").body == value);
}

#[test]
fn a_larger_one_is_a_file_and_comes_back_with_all_that_belongs_to_it() {
    let server = Server::start();
    let value = value_of(LARGE_BYTES);
    let headers = [
        ("Content-Type", "video/x; q=1"),
        ("Content-Encoding", "none-known"),
        ("X-Riak-Meta-Camera", "left"),
        ("X-Riak-Index-minute_int", "7"),
        ("Link", "</buckets/b/keys/k>; riaktag=\"next\""),
    ];
    let stored = server.ask("PUT /buckets/sizes/keys/http", &headers, &value);
    assert_eq!(stored.status, 204, "{}", stored.text());
    let found = server.get("/buckets/sizes/keys/http");
    assert!(found.body == value);
    assert_eq!(found.header("content-type"), "video/x; q=1");
    assert_eq!(found.header("content-encoding"), "none-known");
    assert_eq!(found.header("x-riak-meta-camera"), "left");
    assert_eq!(found.header("x-riak-index-minute_int"), "7");
    assert!(found.header("link").contains("riaktag=\"next\""));
    let keys = server.get("/buckets/sizes/index/minute_int/7");
    assert_eq!(keys.text(), r#"{"keys":["http"]}"#);
    let head = server.ask("HEAD /buckets/sizes/keys/http", &[], b"");
    assert_eq!(head.header("content-length"), LARGE_BYTES.to_string());

    let mut client = server.client();
    let got: GetResp = client.ask(code::GET, &get_of("http"));
    assert!(got.content[0].value == value);
    assert_eq!(got.content[0].content_type.as_deref(), Some(&b"video/x; q=1"[..]));
    assert_eq!(got.content[0].indexes[0].value.as_deref(), Some(&b"7"[..]));
    let head = GetReq {
        head: Some(true),
        ..get_of("http")
    };
    let head: GetResp = client.ask(code::GET, &head);
    assert!(head.content[0].value.is_empty() && head.content[0].content_type.is_some());
}

#[test]
fn one_whose_object_could_not_be_flushed_is_there() {
    let simulation = Simulation::new(1);
    let server = Server::on(&simulation, riak::Options::default());
    let value = value_of(LARGE_BYTES);
    let stored = server.put("/buckets/sizes/keys/before", "image/png", &value);
    assert_eq!(stored.status, 204, "{}", stored.text());
    // After the flush of the file.
    simulation.fill_at_flush_after(1);
    let told = server.put("/buckets/sizes/keys/k", "image/png", &value);
    assert!(told.status >= 500, "{}", told.status);
    // Old files are removed in the background.
    std::thread::sleep(Duration::from_millis(200));
    assert!(server.get("/buckets/sizes/keys/k").body == value);
}

#[test]
fn a_large_value_is_written_by_protocol_buffers_and_returned_at_once() {
    let server = Server::start();
    let mut client = server.client();
    let put = PutReq {
        return_body: Some(true),
        ..put_of(value_of(LARGE_BYTES))
    };
    let written: PutResp = client.ask(code::PUT, &put);
    assert!(written.content[0].value == value_of(LARGE_BYTES));
    assert!(written.vclock.is_some());
    let found = server.get("/buckets/sizes/keys/k");
    assert!(found.body == value_of(LARGE_BYTES));
    assert_eq!(found.header("content-type"), "image/png");
}

#[test]
fn siblings_may_be_files_and_go_with_them() {
    let server = Server::start();
    let props = server.put(
        "/buckets/sizes/props",
        "application/json",
        br#"{"props":{"allow_mult":true}}"#,
    );
    assert_eq!(props.status, 204);
    let large = value_of(LARGE_BYTES);
    server.put("/buckets/sizes/keys/k", "text/a", &large);
    server.put("/buckets/sizes/keys/k", "text/b", b"small");
    let both = server.ask("GET /buckets/sizes/keys/k", &[("Accept", "multipart/mixed")], b"");
    assert_eq!(both.status, 300);
    let has = |part: &[u8]| both.body.windows(part.len()).any(|window| window == part);
    assert!(has(&large) && has(b"small"));
    let got: GetResp = server.client().ask(code::GET, &get_of("k"));
    let values: Vec<usize> = got.content.iter().map(|content| content.value.len()).collect();
    assert_eq!(values, [5, LARGE_BYTES]);
    assert_eq!(files(&server), 1);
    let resolve = [
        ("Content-Type", "text/c"),
        ("X-Riak-Vclock", both.header("x-riak-vclock")),
    ];
    let resolved = server.ask("PUT /buckets/sizes/keys/k", &resolve, b"one");
    assert_eq!(resolved.status, 204);
    until_files(&server, 0);
}

#[test]
fn an_old_one_goes_with_its_object_but_not_from_under_a_reader() {
    let server = Server::start();
    let (old, new) = (value_of(2 * LARGE_BYTES), value_of(LARGE_BYTES));
    server.put("/buckets/sizes/keys/k", "a/b", &old);
    let mut reader = TcpStream::connect(server.http).unwrap();
    reader
        .write_all(b"GET /buckets/sizes/keys/k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut first = vec![0; 1000];
    reader.read_exact(&mut first).unwrap();
    assert_eq!(server.put("/buckets/sizes/keys/k", "a/b", &new).status, 204);
    assert_eq!(files(&server), 2);
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(&old[old.len() - 1_000_000..]));
    until_files(&server, 1);
    assert!(server.get("/buckets/sizes/keys/k").body == new);
    assert_eq!(server.ask("DELETE /buckets/sizes/keys/k", &[], b"").status, 204);
    assert_eq!(server.get("/buckets/sizes/keys/k").status, 404);
    until_files(&server, 0);
}

#[test]
fn a_refused_put_leaves_no_file() {
    let server = Server::start();
    server.put("/buckets/sizes/keys/k", "a/b", b"first");
    let headers = [("Content-Type", "a/b"), ("If-None-Match", "*")];
    let refused = server.ask("PUT /buckets/sizes/keys/k", &headers, &value_of(LARGE_BYTES));
    assert_eq!(refused.status, 412);
    until_files(&server, 0);
    assert_eq!(server.get("/buckets/sizes/keys/k").body, b"first");
}

#[test]
fn functions_of_jobs_are_told_that_they_do_not_see_it() {
    let server = Server::start();
    server.put("/buckets/sizes/keys/k", "text/plain", &[b'x'; LARGE_BYTES]);
    for phase in [
        r#"{"map":{"language":"javascript","source":"function (v) { return [v.key]; }"}}"#,
        r#"{"map":{"language":"erlang","module":"riak_kv_mapreduce","function":"map_object_value"}}"#,
    ] {
        let job = format!(r#"{{"inputs":"sizes","query":[{phase}]}}"#);
        let told = server.ask(
            "POST /mapred",
            &[("Content-Type", "application/json")],
            job.as_bytes(),
        );
        assert!(
            told.status == 500 && told.text().contains("too_large"),
            "{}",
            told.text()
        );
    }
}

#[test]
fn other_requests_and_messages_are_refused_and_the_connection_goes_on() {
    let server = Server::start();
    let job = server.ask(
        "POST /mapred",
        &[("Content-Type", "application/json")],
        &value_of(LARGE_BYTES),
    );
    assert_eq!(job.status, 413, "{}", job.text());
    let mut client = server.client();
    let told = client.refused(code::PUT, &put_of(vec![7; 65 * 1024 * 1024]));
    assert!(told.contains("too_large"), "{told}");
    let _: PutResp = client.ask(code::PUT, &put_of(vec![7; 10]));
    assert_eq!(server.get("/buckets/sizes/keys/k").body, [7; 10]);
}

fn value_of(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 31 % 251) as u8).collect()
}

fn get_of(key: &str) -> GetReq {
    GetReq {
        bucket: b"sizes".to_vec(),
        key: key.as_bytes().to_vec(),
        ..GetReq::default()
    }
}

/// How many values are files.
fn files(server: &Server) -> usize {
    let files = server.engine.files(Bucket::new("default", "sizes.attachments"));
    let page = server.host.run(files.list(&ListRequest {
        limit: 10,
        ..ListRequest::default()
    }));
    page.unwrap().files.len()
}

/// Old files are removed after the answer.
fn until_files(server: &Server, wanted: usize) {
    let begun = Instant::now();
    while files(server) != wanted {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{} files",
            files(server)
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}
