//! How large a value may be, and what is told of a larger one.

use crate::server::Server;
use riak::pb::frame::code;
use riak::pb::messages::{Content, GetReq, GetResp, PutReq, PutResp};

/// What a document can hold.
const BYTES_MAX: usize = 15 * 1024 * 1024;

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
fn a_larger_one_is_refused_and_the_connection_goes_on() {
    let server = Server::start();
    let mut client = server.client();
    for bytes in [BYTES_MAX + 1, 20 * 1024 * 1024] {
        let told = client.refused(code::PUT, &put_of(vec![7; bytes]));
        assert!(told.contains("too") && told.contains("large"), "{told}");
        let stored = server.put("/buckets/sizes/keys/k", "image/png", &vec![7; bytes]);
        assert_eq!(stored.status, 413, "{}", stored.text());
    }
    let _: PutResp = client.ask(code::PUT, &put_of(vec![7; 10]));
    assert_eq!(server.get("/buckets/sizes/keys/k").body, [7; 10]);
}
