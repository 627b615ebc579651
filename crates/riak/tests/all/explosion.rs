//! Writers that never read: the number of an object's siblings stays limited.

use crate::server::{Client, Server};
use riak::pb::frame::code;
use riak::pb::messages::{BucketProps, Content, ErrorResp, GetReq, GetResp, PutReq, SetBucketReq};
use riak::pb::wire::Message;

const PUTS: usize = 10_000;
const WRITERS: usize = 8;
/// What docs/riak.md says.
const SIBLINGS_MAX: usize = 100;

fn put(writer: usize, number: usize) -> PutReq {
    PutReq {
        bucket: b"explosion".to_vec(),
        key: Some(b"k".to_vec()),
        content: Content {
            value: format!("{writer} {number}").into(),
            content_type: Some(b"text/plain".to_vec()),
            ..Content::default()
        },
        ..PutReq::default()
    }
}

fn get(client: &mut Client) -> GetResp {
    let request = GetReq {
        bucket: b"explosion".to_vec(),
        key: b"k".to_vec(),
        ..GetReq::default()
    };
    client.ask(code::GET, &request)
}

/// How many puts were taken; the others were refused with the reason.
fn write(mut client: Client, writer: usize, puts: usize) -> usize {
    let answered = (0..puts).filter(|&number| match client.raw(code::PUT, &put(writer, number)) {
        (code::PUT_RESP, _) => true,
        (_, bytes) => {
            let told = ErrorResp::decode(&bytes).unwrap().errmsg;
            let told = String::from_utf8(told).unwrap();
            assert!(
                told.starts_with("{too_many_siblings,101}") && told.contains("read it"),
                "{told}"
            );
            false
        }
    });
    answered.count()
}

#[test]
fn ten_thousand_puts_with_stale_clocks_leave_a_hundred_siblings_and_say_so() {
    let server = Server::start();
    let mut client = server.client();
    let props = BucketProps {
        allow_mult: Some(true),
        ..BucketProps::default()
    };
    let request = SetBucketReq {
        bucket: b"explosion".to_vec(),
        props,
        kind: None,
    };
    assert_eq!(client.raw(code::SET_BUCKET, &request).0, code::SET_BUCKET_RESP);
    let writers = (0..WRITERS).map(|writer| {
        let client = server.client();
        std::thread::spawn(move || write(client, writer, PUTS / WRITERS))
    });
    let writers: Vec<_> = writers.collect();
    let taken: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
    assert_eq!(taken, SIBLINGS_MAX);
    let present = get(&mut client);
    assert_eq!(present.content.len(), SIBLINGS_MAX);
    // A writer who has read them ends them all.
    let resolved = PutReq {
        vclock: present.vclock,
        ..put(0, 0)
    };
    assert_eq!(client.raw(code::PUT, &resolved).0, code::PUT_RESP);
    assert_eq!(get(&mut client).content.len(), 1);
    assert_eq!(client.raw(code::PUT, &put(1, 1)).0, code::PUT_RESP);
}
