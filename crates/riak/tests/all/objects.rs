//! Objects through both protocols: values, metadata, siblings, and the effects of other protocols' changes.

use crate::server::Server;
use bytes::Bytes;
use engine::{Context, Namespace, UpdateStatement, WriteOptions};
use riak::pb::frame::code;
use riak::pb::messages::{Content, DelReq, GetReq, GetResp, ListKeysReq, ListResp, Pair, PutReq, PutResp};
use value::doc;

fn get(bucket: &str, key: &str) -> GetReq {
    GetReq {
        bucket: bucket.into(),
        key: key.into(),
        ..GetReq::default()
    }
}

fn put(bucket: &str, key: &str, value: &'static str) -> PutReq {
    PutReq {
        bucket: bucket.into(),
        key: Some(key.into()),
        content: Content {
            value: Bytes::from_static(value.as_bytes()),
            content_type: Some(b"application/json".to_vec()),
            ..Content::default()
        },
        ..PutReq::default()
    }
}

#[test]
fn an_object_comes_back_byte_for_byte_by_both_protocols() {
    let server = Server::start();
    let mut client = server.client();
    let values: [(&str, &[u8]); 6] = [
        (
            "application/json",
            b"{ \"b\" : 1.0,\n\"a\":[1e3, null] ,\"_id\":7}",
        ),
        ("application/json", b"[1, 2]"),
        ("application/json", b"not json \xFF"),
        ("text/plain", b"text"),
        ("application/octet-stream", b"\x00\xFF\r\n"),
        ("text/plain", b""),
    ];
    for (kind, value) in values {
        let request = [
            ("Content-Type", kind),
            ("X-Riak-Meta-Colour", "red"),
            (
                "Link",
                "</buckets/b/keys/other%20one>; riaktag=\"next\", </riak/c/d>; riaktag=\"prev\"",
            ),
            ("X-Riak-Index-age_int", "7, 8"),
        ];
        let stored = server.ask("PUT /buckets/b/keys/k%2F1", &request, value);
        assert_eq!(stored.status, 204, "{}", stored.text());
        let shown = server.get("/buckets/b/keys/k%2F1");
        assert_eq!((shown.status, shown.body.as_slice()), (200, value));
        assert_eq!(shown.header("content-type"), kind);
        assert_eq!(shown.header("x-riak-meta-colour"), "red");
        assert_eq!(shown.header("x-riak-index-age_int"), "7, 8");
        assert!(
            shown
                .header("link")
                .contains("</buckets/b/keys/other%20one>; riaktag=\"next\"")
        );
        assert!(
            shown
                .header("link")
                .contains("</buckets/c/keys/d>; riaktag=\"prev\"")
        );
        let answer: GetResp = client.ask(code::GET, &get("b", "k/1"));
        let [content] = answer.content.as_slice() else {
            panic!("{answer:?}")
        };
        assert_eq!(content.value, value);
        assert_eq!(content.content_type.as_deref(), Some(kind.as_bytes()));
        let colour = Pair {
            key: b"colour".to_vec(),
            value: Some(b"red".to_vec()),
        };
        assert_eq!(content.usermeta, [colour]);
        assert_eq!(content.links.len(), 2);
        assert_eq!(content.indexes.len(), 2);
    }
}

#[test]
fn siblings_are_kept_until_a_put_has_seen_them() {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(
        server
            .put(
                "/buckets/s/props",
                "application/json",
                br#"{"props":{"allow_mult":true}}"#
            )
            .status,
        204
    );
    let _: PutResp = client.ask(code::PUT, &put("s", "k", "1"));
    let first: GetResp = client.ask(code::GET, &get("s", "k"));
    for value in ["2", "3", "3"] {
        let stale = PutReq {
            vclock: first.vclock.clone(),
            ..put("s", "k", value)
        };
        let _: PutResp = client.ask(code::PUT, &stale);
    }
    let all: GetResp = client.ask(code::GET, &get("s", "k"));
    assert_eq!(all.content.len(), 3, "the first was seen and is gone");
    let shown = server.get("/buckets/s/keys/k");
    assert_eq!((shown.status, shown.text().lines().count()), (300, 4));
    let parts = server.ask("GET /buckets/s/keys/k", &[("Accept", "multipart/mixed")], b"");
    assert_eq!((parts.status, parts.text().matches("Etag: ").count()), (300, 3));
    let resolved = PutReq {
        vclock: all.vclock,
        return_body: Some(true),
        ..put("s", "k", "4")
    };
    let answer: PutResp = client.ask(code::PUT, &resolved);
    assert_eq!(answer.content.len(), 1);
    assert_eq!(server.get("/buckets/s/keys/k").text(), "4");
}

#[test]
fn without_siblings_the_last_write_wins_and_a_deletion_is_told() {
    let server = Server::start();
    let mut client = server.client();
    let _: PutResp = client.ask(code::PUT, &put("b", "k", "1"));
    let _: PutResp = client.ask(code::PUT, &put("b", "k", "2"));
    assert_eq!(server.get("/riak/b/k").text(), "2");
    let none_match = PutReq {
        if_none_match: Some(true),
        ..put("b", "k", "3")
    };
    assert_eq!(client.refused(code::PUT, &none_match), "match_found");
    let gone = DelReq {
        bucket: b"b".to_vec(),
        key: b"k".to_vec(),
        ..DelReq::default()
    };
    client.raw(code::DEL, &gone);
    let shown = server.get("/buckets/b/keys/k");
    assert_eq!((shown.status, shown.header("x-riak-deleted")), (404, "true"));
    let wanted = GetReq {
        deletedvclock: Some(true),
        ..get("b", "k")
    };
    let answer: GetResp = client.ask(code::GET, &wanted);
    assert!(answer.content.is_empty() && answer.vclock.is_some());
    let keys: ListResp = client.ask(
        code::LIST_KEYS,
        &ListKeysReq {
            bucket: b"b".to_vec(),
            ..ListKeysReq::default()
        },
    );
    assert_eq!((keys.names.len(), keys.done), (0, Some(true)));
}

#[test]
fn conditions_of_http_hold() {
    let server = Server::start();
    server.put("/buckets/b/keys/k", "text/plain", b"1");
    let shown = server.get("/buckets/b/keys/k");
    let tag = shown.header("etag").to_owned();
    let asked = |head: &str, name: &str, value: &str| {
        let headers = [("Content-Type", "text/plain"), (name, value)];
        server
            .ask(&format!("{head} /buckets/b/keys/k"), &headers, b"2")
            .status
    };
    assert_eq!(asked("GET", "If-None-Match", &tag), 304);
    assert_eq!(
        asked("GET", "If-Modified-Since", shown.header("last-modified")),
        304
    );
    assert_eq!(asked("GET", "Accept", "image/png"), 406);
    assert_eq!(asked("PUT", "If-None-Match", "*"), 412);
    assert_eq!(asked("PUT", "If-Match", "\"other\""), 412);
    assert_eq!(asked("PUT", "If-Match", &tag), 204);
    assert_eq!(asked("PUT", "X-Riak-Vclock", "AAAA"), 400);
    assert_eq!(server.get("/buckets/b/keys/k?r=4").status, 400);
    assert_eq!(
        server.ask("PUT /buckets/b/keys/k", &[], b"2").status,
        400,
        "no content type"
    );
}

#[test]
fn metadata_survives_what_other_protocols_write() {
    let server = Server::start();
    let headers = [
        ("Content-Type", "application/json"),
        ("X-Riak-Meta-Colour", "red"),
    ];
    server.ask("PUT /buckets/b/keys/k", &headers, br#"{"n":  1}"#);
    let before = server.get("/buckets/b/keys/k").header("x-riak-vclock").to_owned();
    let namespace = Namespace::new("default", "b");
    let statement = UpdateStatement {
        filter: doc! {"_id": "k"},
        update: Some(value::Value::from(doc! {"n": 2, "m": "x"})),
        ..UpdateStatement::default()
    };
    let context = Context::default();
    let updated = server.host.run(server.engine.update(
        &context,
        &namespace,
        vec![statement],
        &WriteOptions::default(),
    ));
    updated.unwrap();
    let shown = server.get("/buckets/b/keys/k");
    assert_eq!(shown.text(), r#"{"n":2,"m":"x"}"#);
    assert_eq!(shown.header("x-riak-meta-colour"), "red");
    assert_ne!(
        shown.header("x-riak-vclock"),
        before,
        "a clock that was read before has not seen it"
    );
    let documents = [doc! {"_id": 7, "by": "another"}];
    let inserted = server.host.run(server.engine.insert(
        &context,
        &namespace,
        documents.iter().map(value::DocumentBuf::from).collect(),
        &WriteOptions::default(),
    ));
    inserted.unwrap();
    assert_eq!(server.get("/buckets/b/keys/7").text(), r#"{"by":"another"}"#);
    assert_eq!(
        server.get("/buckets/b/keys?keys=true").text(),
        r#"{"keys":["7","k"]}"#
    );
}

#[test]
fn stats_say_what_was_read_and_written() {
    let server = Server::start();
    let mut client = server.client();
    let _: PutResp = client.ask(code::PUT, &put("b", "k", "\"0123456789\""));
    server.put("/buckets/b/keys/l", "text/plain", b"x");
    for _ in 0..3 {
        let _: GetResp = client.ask(code::GET, &get("b", "k"));
    }
    let stats: serde_json::Value = serde_json::from_slice(&server.get("/stats").body).unwrap();
    let figures = [
        ("node_puts", 2),
        ("node_puts_total", 2),
        ("node_gets", 3),
        ("vnode_gets_total", 3),
        ("node_get_fsm_siblings_100", 1),
        ("node_get_fsm_objsize_mean", 12),
        ("pbc_active", 1),
        ("pbc_connects_total", 1),
    ];
    for (name, expected) in figures {
        assert_eq!(stats[name], expected, "{name}");
    }
    assert!(stats["node_put_fsm_time_95"].as_u64() > Some(0));
}
