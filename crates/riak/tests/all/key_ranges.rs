//! Ranges of keys go by the bytes of the keys, whatever types their `_id`s have.

use crate::server::Server;
use riak::pb::frame::code;
use riak::pb::messages::{IndexBodyResp, IndexReq, IndexResp};
use riak::pb::wire::Message;

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

#[test]
fn objects_come_with_their_keys_where_that_is_wanted() {
    let server = Server::start();
    for (key, value) in [("a", "one"), ("b", "two"), ("c", "three")] {
        let path = format!("/buckets/b/keys/{key}");
        assert_eq!(server.put(&path, "text/plain", value.as_bytes()).status, 204);
    }
    let all = IndexReq {
        bucket: b"b".to_vec(),
        index: b"$bucket".to_vec(),
        qtype: Some(0),
        return_body: Some(true),
        ..IndexReq::default()
    };
    let mut client = server.client();
    let values = |page: &IndexBodyResp| -> Vec<(Vec<u8>, Vec<u8>)> {
        let objects = page.objects.iter();
        let value = objects.map(|found| (found.key.clone(), found.object.content[0].value.to_vec()));
        value.collect()
    };
    let pair = |key: &str, value: &str| (key.as_bytes().to_vec(), value.as_bytes().to_vec());
    let wanted = [pair("a", "one"), pair("b", "two"), pair("c", "three")];
    let page: IndexBodyResp = client.ask(code::INDEX, &all);
    assert_eq!(values(&page), wanted);
    assert!(page.objects.iter().all(|found| found.object.vclock.is_some()));
    assert_eq!((page.continuation, page.done), (None, None));
    // In pages.
    let first = IndexReq {
        max_results: Some(2),
        ..all.clone()
    };
    let page: IndexBodyResp = client.ask(code::INDEX, &first);
    assert_eq!(values(&page), wanted[..2]);
    let second = IndexReq {
        continuation: page.continuation,
        ..first
    };
    let page: IndexBodyResp = client.ask(code::INDEX, &second);
    assert_eq!(values(&page), wanted[2..]);
    // As a stream, whose last message says that it is the last.
    let streamed = IndexReq {
        stream: Some(true),
        index: b"$key".to_vec(),
        qtype: Some(1),
        range_min: Some(b"b".to_vec()),
        range_max: Some(b"z".to_vec()),
        ..all.clone()
    };
    let mut page: IndexBodyResp = client.ask(code::INDEX, &streamed);
    let mut found = values(&page);
    while page.done != Some(true) {
        let (which, bytes) = client.next();
        assert_eq!(which, code::INDEX_BODY_RESP);
        page = IndexBodyResp::decode(&bytes).unwrap();
        found.extend(values(&page));
    }
    assert_eq!(found, wanted[1..]);
    let terms = IndexReq {
        index: b"a_bin".to_vec(),
        key: Some(b"x".to_vec()),
        ..all
    };
    let told = client.refused(code::INDEX, &terms);
    assert!(
        told.starts_with("For return_body=true index must be one of"),
        "{told}"
    );
}
