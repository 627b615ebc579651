//! Ranges of keys go by the bytes of the keys, whatever types their `_id`s have.

use crate::server::Server;
use riak::pb::frame::code;
use riak::pb::messages::{IndexReq, IndexResp};

#[test]
fn a_range_of_keys_has_those_that_are_no_texts_at_their_places() {
    let server = Server::start();
    for key in ["a", "m%FF", "n", "%FE", "z", "zzz%FF"] {
        let path = format!("/buckets/b/keys/{key}");
        assert_eq!(server.put(&path, "text/plain", b"1").status, 204);
    }
    let mut client = server.client();
    let mut found = |low: &[u8], high: &[u8], at_once: Option<u32>| {
        let (mut all, mut continuation) = (Vec::new(), None);
        loop {
            let request = IndexReq {
                bucket: b"b".to_vec(),
                index: b"$key".to_vec(),
                qtype: Some(1),
                range_min: Some(low.to_vec()),
                range_max: Some(high.to_vec()),
                max_results: at_once,
                continuation,
                ..IndexReq::default()
            };
            let page: IndexResp = client.ask(code::INDEX, &request);
            all.extend(page.keys);
            continuation = page.continuation;
            if continuation.is_none() {
                return all;
            }
        }
    };
    type Keys<'a> = &'a [&'a [u8]];
    let cases: [(Keys<'_>, Keys<'_>); 6] = [
        (&[b"b", b"y"], &[b"m\xFF", b"n"]),
        (&[b"m\xFF", b"z"], &[b"m\xFF", b"n", b"z"]),
        (&[b"n", b"zzz\xFF"], &[b"n", b"z", b"zzz\xFF"]),
        (&[b"zz", b"\xFF"], &[b"zzz\xFF", b"\xFE"]),
        (&[b"n\xFF", b"zzz"], &[b"z"]),
        (&[b"y", b"b"], &[]),
    ];
    for (range, keys) in cases {
        let (low, high) = (range[0], range[1]);
        for at_once in [None, Some(1), Some(2)] {
            assert_eq!(found(low, high, at_once), keys, "{low:?} to {high:?}");
        }
    }
}

#[test]
fn all_objects_of_a_bucket_are_asked_for_without_a_term() {
    let server = Server::start();
    for key in ["a", "b"] {
        let path = format!("/buckets/b/keys/{key}");
        assert_eq!(server.put(&path, "text/plain", b"1").status, 204);
    }
    let request = IndexReq {
        bucket: b"b".to_vec(),
        index: b"$bucket".to_vec(),
        qtype: Some(0),
        ..IndexReq::default()
    };
    let found: IndexResp = server.client().ask(code::INDEX, &request);
    assert_eq!(found.keys, [b"a", b"b"]);
}
