//! Requests end when they are killed, when their client goes away, and with the server; until then they are listed.

use crate::server::Server;
use riak::pb::frame::code as message;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

fn filled() -> Server {
    let server = Server::start();
    for key in 0..20 {
        let put = server.put(&format!("/buckets/b/keys/{key}"), "text/plain", b"1");
        assert_eq!(put.status, 204, "{}", put.text());
    }
    server
}

fn endless(chunked: bool) -> Vec<u8> {
    let job = json!({"inputs": "b", "query": [{"map": {"language": "javascript", "source": "function (v) { for (;;); }"}}]});
    let body = job.to_string();
    let path = if chunked {
        "/mapred?chunked=true"
    } else {
        "/mapred"
    };
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

fn wait_until(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < PATIENCE, "it goes on");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a job on a connection of its own.
fn sent(job: &[u8], to: std::net::SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(job).unwrap();
    stream
}

/// Sends an endless job and waits until it is listed.
fn started(server: &Server, job: &[u8], to: std::net::SocketAddr) -> TcpStream {
    let stream = sent(job, to);
    wait_until(|| !server.engine.running_operations().is_empty());
    stream
}

fn kill_all(server: &Server) {
    for operation in server.engine.running_operations() {
        server.engine.kill_operation(operation.id);
    }
}

#[test]
fn a_job_that_is_killed_says_so() {
    let server = filled();
    for chunked in [false, true] {
        let mut stream = started(&server, &endless(chunked), server.http);
        kill_all(&server);
        let (mut all, mut part) = (String::new(), [0; 1000]);
        while !all.contains("interrupted") {
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0, "{all}");
            all += &String::from_utf8_lossy(&part[..read]);
        }
        wait_until(|| server.engine.running_operations().is_empty());
    }
}

#[test]
fn a_job_ends_with_its_client() {
    let server = filled();
    for chunked in [false, true] {
        drop(started(&server, &endless(chunked), server.http));
        wait_until(|| server.engine.running_operations().is_empty());
    }
    let job: Value = json!({"inputs": "b", "query": [{"map": {"language": "javascript", "source": "function (v) { for (;;); }"}}]});
    let request = riak::pb::messages::MapRedReq {
        request: job.to_string().into(),
        content_type: b"application/json".to_vec(),
    };
    let mut out = Vec::new();
    riak::pb::frame::put(&mut out, message::MAP_RED, &request);
    drop(started(&server, &out, server.buffers));
    wait_until(|| server.engine.running_operations().is_empty());
}

#[test]
fn jobs_and_listings_have_the_time_of_reads() {
    let server = Server::with(riak::Options {
        read_time_max: Duration::from_millis(200),
        ..riak::Options::default()
    });
    server.put("/buckets/b/keys/k", "text/plain", b"1");
    let mut stream = sent(&endless(false), server.http);
    let mut part = [0; 1000];
    let read = stream.read(&mut part).unwrap();
    let answer = String::from_utf8_lossy(&part[..read]);
    assert!(answer.contains("timeout"), "{answer}");
}

#[test]
fn the_stop_ends_what_goes_on() {
    let server = filled();
    let _endless = started(&server, &endless(false), server.http);
    server.host.stop();
    wait_until(|| server.engine.running_operations().is_empty());
}
