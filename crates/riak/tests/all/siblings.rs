//! Siblings, conditions on them, and reports of deletions.

use crate::server::{Answer, Server};
use engine::{Context, DeleteStatement, Namespace, WriteOptions};
use riak::pb::frame::code;
use riak::pb::messages::{Content, GetReq, GetResp, PutReq};
use std::time::Duration;

const TEXT: (&str, &str) = ("Content-Type", "text/plain");

fn allow_siblings(server: &Server, bucket: &str) {
    let props = br#"{"props":{"allow_mult":true}}"#;
    let set = server.put(&format!("/buckets/{bucket}/props"), "application/json", props);
    assert_eq!(set.status, 204);
}

#[test]
fn siblings_have_one_entity_tag_and_conditions_mean_it() {
    let server = Server::start();
    allow_siblings(&server, "s");
    let ask = |head: &str, headers: &[(&str, &str)]| -> Answer { server.ask(head, headers, b"1") };
    server.put("/buckets/s/keys/k", "text/plain", b"a");
    let single = server.get("/buckets/s/keys/k").header("etag").to_owned();
    server.put("/buckets/s/keys/k", "text/plain", b"b");
    let both = server.get("/buckets/s/keys/k");
    assert_eq!(both.status, 300);
    let tag = both.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag != single && !both.header("last-modified").is_empty());
    let seen = ask("GET /buckets/s/keys/k", &[("If-None-Match", &tag)]);
    assert_eq!((seen.status, seen.text().as_str()), (304, ""));
    assert_eq!(
        ask("PUT /buckets/s/keys/k", &[TEXT, ("If-Match", &single)]).status,
        412
    );
    assert_eq!(
        ask("PUT /buckets/s/keys/k", &[TEXT, ("If-None-Match", &tag)]).status,
        412
    );
    let old = "Sun, 06 Nov 1994 08:49:37 GMT";
    assert_eq!(
        ask("PUT /buckets/s/keys/k", &[TEXT, ("If-Unmodified-Since", old)]).status,
        412
    );
    assert_eq!(
        ask("DELETE /buckets/s/keys/k", &[("If-Match", &single)]).status,
        412
    );
    let clock = both.header("x-riak-vclock").to_owned();
    let resolved = [
        TEXT,
        ("If-Match", tag.as_str()),
        ("X-Riak-Vclock", clock.as_str()),
    ];
    assert_eq!(ask("PUT /buckets/s/keys/k", &resolved).status, 204);
    let one = server.get("/buckets/s/keys/k");
    assert_eq!((one.status, one.text().as_str()), (200, "1"));
    let tag = one.header("etag").to_owned();
    assert_eq!(ask("DELETE /buckets/s/keys/k", &[("If-Match", &tag)]).status, 204);
    let again = ask("DELETE /buckets/s/keys/k", &[]);
    assert_eq!((again.status, again.header("x-riak-deleted")), (404, "true"));
    assert_eq!(
        ask("PUT /buckets/s/keys/k", &[TEXT, ("If-Match", &tag)]).status,
        412
    );
    assert_eq!(
        ask("PUT /buckets/s/keys/k", &[TEXT, ("If-None-Match", "*")]).status,
        204
    );
}

#[test]
fn an_object_has_as_many_siblings_as_the_server_says() {
    let server = Server::with(riak::Options {
        siblings_max: 2,
        ..riak::Options::default()
    });
    allow_siblings(&server, "s");
    let mut client = server.client();
    let put = PutReq {
        bucket: b"s".to_vec(),
        key: Some(b"k".to_vec()),
        content: Content {
            content_type: Some(b"text/plain".to_vec()),
            ..Content::default()
        },
        ..PutReq::default()
    };
    assert_eq!(client.raw(code::PUT, &put).0, code::PUT_RESP);
    assert_eq!(client.raw(code::PUT, &put).0, code::PUT_RESP);
    let told = client.refused(code::PUT, &put);
    assert!(told.starts_with("{too_many_siblings,3}"), "{told}");
}

/// A server that tells of deletions for so long.
fn telling(deletions_told: Option<Duration>) -> Server {
    Server::with(riak::Options {
        deletions_told,
        ..riak::Options::default()
    })
}

#[test]
fn a_deletion_is_told_as_long_as_the_server_says() {
    for (told, is_told) in [
        (None, true),
        (Some(Duration::from_secs(3_600)), true),
        (Some(Duration::ZERO), false),
    ] {
        let server = telling(told);
        server.put("/buckets/b/keys/k", "text/plain", b"1");
        assert_eq!(server.ask("DELETE /buckets/b/keys/k", &[], b"").status, 204);
        for gone in [
            server.get("/buckets/b/keys/k"),
            server.ask("DELETE /buckets/b/keys/k", &[], b""),
        ] {
            let has_clock = !gone.header("x-riak-vclock").is_empty();
            assert_eq!((gone.status, has_clock), (404, is_told), "{told:?}");
            assert_eq!(gone.header("x-riak-deleted") == "true", is_told);
        }
        let wanted = GetReq {
            bucket: b"b".to_vec(),
            key: b"k".to_vec(),
            deletedvclock: Some(true),
            ..GetReq::default()
        };
        let answer: GetResp = server.client().ask(code::GET, &wanted);
        assert_eq!(answer.vclock.is_some(), is_told);
        server.put("/buckets/b/keys/k", "text/plain", b"2");
        let again = server.get("/buckets/b/keys/k");
        assert_eq!((again.status, again.text().as_str()), (200, "2"));
    }
}

/// What MongoDB's `deleteMany({})` does.
fn remove_all(server: &Server, bucket: &str) {
    let statement = DeleteStatement::default();
    let namespace = Namespace::new("default", bucket);
    let context = Context::default();
    let options = WriteOptions::default();
    let removed = server
        .engine
        .delete(&context, &namespace, vec![statement], &options);
    server.host.run(removed).unwrap();
}

#[test]
fn a_deletion_by_another_protocol_is_told_where_all_are() {
    for (told, is_told) in [(None, "true"), (Some(Duration::from_secs(3_600)), "")] {
        let server = telling(told);
        server.put("/buckets/b/keys/k", "text/plain", b"1");
        remove_all(&server, "b");
        let gone = server.get("/buckets/b/keys/k");
        assert_eq!((gone.status, gone.header("x-riak-deleted")), (404, is_told));
    }
}
