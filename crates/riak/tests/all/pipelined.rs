//! Messages that a client sends one after the other, without waiting for answers.

use crate::server::{Client, Server};
use bytes::Bytes;
use kv::Simulation;
use riak::pb::frame::{self, code};
use riak::pb::messages::{Content, DelReq, ErrorResp, GetReq, GetResp, Pair, PutReq};
use riak::pb::wire::Message;

fn put(key: &str, value: &'static str) -> PutReq {
    PutReq {
        bucket: b"b".to_vec(),
        key: Some(key.into()),
        content: Content {
            value: Bytes::from_static(value.as_bytes()),
            content_type: Some(b"application/json".to_vec()),
            indexes: vec![Pair {
                key: b"n_int".to_vec(),
                value: Some(b"7".to_vec()),
            }],
            ..Content::default()
        },
        ..PutReq::default()
    }
}

fn get(key: &str) -> GetReq {
    GetReq {
        bucket: b"b".to_vec(),
        key: key.into(),
        ..GetReq::default()
    }
}

/// What comes next: the code of the message, and the text of an error.
fn told(client: &mut Client) -> (u8, String) {
    let (which, bytes) = client.next();
    let text = match which {
        code::ERROR => String::from_utf8(ErrorResp::decode(&bytes).unwrap().errmsg).unwrap(),
        _ => String::new(),
    };
    (which, text)
}

/// The value that a GET among the messages found.
fn found(client: &mut Client) -> Bytes {
    let (which, bytes) = client.next();
    assert_eq!(which, code::GET_RESP);
    GetResp::decode(&bytes).unwrap().content[0].value.clone()
}

#[test]
fn each_message_sees_what_those_before_it_did() {
    let server = Server::start();
    let mut client = server.client();
    let mut out = Vec::new();
    frame::put(&mut out, code::PUT, &put("one", "1"));
    frame::put(&mut out, code::PUT, &put("two", "2"));
    frame::put(&mut out, code::PUT, &put("one", "3"));
    frame::put(&mut out, code::GET, &get("one"));
    let delete = DelReq {
        bucket: b"b".to_vec(),
        key: b"two".to_vec(),
        ..DelReq::default()
    };
    frame::put(&mut out, code::DEL, &delete);
    frame::put(&mut out, code::PUT, &put("two", "4"));
    frame::put(&mut out, code::GET, &get("two"));
    frame::put_empty(&mut out, code::PING);
    client.write(&out);
    for which in [code::PUT_RESP; 3] {
        assert_eq!(told(&mut client), (which, String::new()));
    }
    assert_eq!(found(&mut client), "3");
    assert_eq!(told(&mut client).0, code::DEL_RESP);
    assert_eq!(told(&mut client).0, code::PUT_RESP);
    assert_eq!(found(&mut client), "4");
    assert_eq!(told(&mut client).0, code::PING_RESP);
    assert_eq!(
        server
            .get("/buckets/b/index/n_int/7")
            .text()
            .matches("one")
            .count(),
        1
    );
}

#[test]
fn a_message_that_came_whole_is_answered_before_the_rest_of_the_next_comes() {
    let server = Server::start();
    let mut client = server.client();
    let mut out = Vec::new();
    frame::put(&mut out, code::PUT, &put("one", "1"));
    let half = out.len() + 7;
    frame::put(&mut out, code::PUT, &put("two", "2"));
    client.write(&out[..half]);
    assert_eq!(told(&mut client).0, code::PUT_RESP);
    client.write(&out[half..]);
    assert_eq!(told(&mut client).0, code::PUT_RESP);
    assert_eq!(server.get("/buckets/b/keys/two").text(), "2");
}

#[test]
fn puts_of_one_key_that_come_together_are_siblings_where_the_bucket_keeps_them() {
    let server = Server::start();
    let props = br#"{"props":{"allow_mult":true}}"#;
    let set = server.put("/buckets/b/props", "application/json", props);
    assert_eq!(set.status, 204);
    let mut client = server.client();
    let mut out = Vec::new();
    for (key, value) in [("k", "1"), ("other", "2"), ("k", "3")] {
        frame::put(&mut out, code::PUT, &put(key, value));
    }
    frame::put(&mut out, code::GET, &get("k"));
    client.write(&out);
    for _ in 0..3 {
        assert_eq!(told(&mut client), (code::PUT_RESP, String::new()));
    }
    let (which, bytes) = client.next();
    assert_eq!(which, code::GET_RESP);
    let siblings = GetResp::decode(&bytes).unwrap().content;
    let mut values: Vec<Bytes> = siblings.into_iter().map(|sibling| sibling.value).collect();
    values.sort();
    assert_eq!(values, ["1", "3"]);
}

#[test]
fn a_put_that_is_refused_leaves_those_beside_it_alone() {
    let server = Server::start();
    let mut client = server.client();
    let mut out = Vec::new();
    frame::put(&mut out, code::PUT, &put("there", "1"));
    let missing = PutReq {
        if_none_match: Some(true),
        ..put("there", "2")
    };
    let many = PutReq {
        w: Some(7),
        ..put("many", "3")
    };
    let mut bad_term = put("term", "4");
    bad_term.content.indexes[0].value = Some(b"seven".to_vec());
    let mut made = put("", "5");
    made.key = None;
    frame::put(&mut out, code::PUT, &put("first", "0"));
    // A put into another bucket ends the group; these begin a new one.
    let elsewhere = PutReq {
        bucket: b"other".to_vec(),
        ..put("first", "0")
    };
    frame::put(&mut out, code::PUT, &elsewhere);
    for request in [&put("second", "6"), &missing, &many, &bad_term, &made] {
        frame::put(&mut out, code::PUT, request);
    }
    // No message can be read of this; it is answered all the same, and what follows it too.
    out.extend_from_slice(&[0, 0, 0, 2, code::PUT, 0xFF]);
    frame::put(&mut out, code::GET, &get("second"));
    client.write(&out);
    let answers: Vec<(u8, String)> = (0..9).map(|_| told(&mut client)).collect();
    let errors: Vec<&str> = answers.iter().map(|(_, error)| error.as_str()).collect();
    assert_eq!(errors[..4], [""; 4], "{answers:?}");
    assert!(errors[4].contains("match_found"), "{answers:?}");
    assert!(errors[5].contains("n_val"), "{answers:?}");
    assert!(errors[6].contains("n_int"), "{answers:?}");
    assert_eq!(answers[7], (code::PUT_RESP, String::new()));
    assert!(errors[8].contains("cannot be read"), "{answers:?}");
    assert_eq!(found(&mut client), "6");
    assert_eq!(server.get("/buckets/b/keys/there").text(), "1");
    assert_eq!(server.get("/buckets/b/keys/term").status, 404);
}

#[test]
fn puts_that_come_together_are_one_commit_and_answered_each_where_it_fails() {
    let simulation = Simulation::new(1);
    let server = Server::on(&simulation, riak::Options::default());
    let mut client = server.client();
    let row = |keys: std::ops::Range<usize>| {
        let mut out = Vec::new();
        keys.for_each(|key| frame::put(&mut out, code::PUT, &put(&format!("k{key}"), "{}")));
        out
    };
    client.write(&row(0..1));
    assert_eq!(told(&mut client).0, code::PUT_RESP);
    let before = simulation.steps();
    client.write(&row(1..33));
    for _ in 1..33 {
        assert_eq!(told(&mut client).0, code::PUT_RESP);
    }
    // A write and a flush for each would be 64.
    let steps = simulation.steps() - before;
    assert!(steps <= 16, "{steps} writes and flushes");
    simulation.fill_at_next_flush();
    client.write(&row(33..36));
    let failed: Vec<u8> = (33..36).map(|_| told(&mut client).0).collect();
    assert_eq!(failed, [code::ERROR; 3]);
    let mut out = Vec::new();
    frame::put(&mut out, code::GET, &get("k1"));
    client.write(&out);
    assert_eq!(found(&mut client), "{}");
}

#[test]
fn a_put_whose_value_is_a_file_stays_one_whatever_comes_behind_it() {
    const LARGE_BYTES: usize = 16 * 1024 * 1024;
    let server = Server::start();
    let mut client = server.client();
    let mut large = put("large", "");
    large.content.value = vec![b'x'; LARGE_BYTES].into();
    large.content.content_type = Some(b"text/plain".to_vec());
    let mut out = Vec::new();
    frame::put(&mut out, code::PUT, &large);
    for key in 0..10 {
        frame::put(&mut out, code::PUT, &put(&format!("k{key}"), "1"));
    }
    client.write(&out);
    for _ in 0..11 {
        assert_eq!(told(&mut client), (code::PUT_RESP, String::new()));
    }
    assert_eq!(server.get("/buckets/b/keys/large").body.len(), LARGE_BYTES);
    assert_eq!(server.get("/buckets/b/keys/k9").text(), "1");
}

#[test]
fn puts_in_place_of_much_are_not_held_in_memory_together() {
    const OBJECTS: u64 = 6;
    let value = "x".repeat(5 * 1024 * 1024);
    let simulation = Simulation::new(1);
    let server = Server::on(&simulation, riak::Options::default());
    let mut client = server.client();
    for key in 0..OBJECTS {
        let path = format!("/buckets/b/keys/k{key}");
        let stored = server.put(&path, "text/plain", value.as_bytes());
        assert_eq!(stored.status, 204);
    }
    let before = simulation.steps();
    let mut out = Vec::new();
    (0..OBJECTS).for_each(|key| frame::put(&mut out, code::PUT, &put(&format!("k{key}"), "1")));
    client.write(&out);
    for _ in 0..OBJECTS {
        assert_eq!(told(&mut client), (code::PUT_RESP, String::new()));
    }
    // A write and a flush for each, where a row in place of little has one of each.
    assert!(simulation.steps() - before > OBJECTS + OBJECTS / 2);
    for key in 0..OBJECTS {
        assert_eq!(server.get(&format!("/buckets/b/keys/k{key}")).text(), "1");
    }
}

#[test]
fn more_than_is_read_at_once_is_answered_in_order() {
    const VALUE_BYTES: usize = 3_000;
    let server = Server::start();
    let mut client = server.client();
    let mut out = Vec::new();
    let text: &'static str = Box::leak(format!("\"{}\"", "x".repeat(VALUE_BYTES)).into_boxed_str());
    for key in 0..60 {
        frame::put(&mut out, code::PUT, &put(&format!("k{key}"), text));
        if key % 20 == 19 {
            frame::put(&mut out, code::GET, &get(&format!("k{key}")));
        }
    }
    client.write(&out);
    for key in 0..60 {
        assert_eq!(told(&mut client), (code::PUT_RESP, String::new()));
        if key % 20 == 19 {
            assert_eq!(found(&mut client).len(), text.len());
        }
    }
}
