//! What Riak KV has added since 2.2: confirmation by nodes, flushes, puts of what was not modified; and the names of what is missing.

use crate::server::Server;
use riak::pb::frame::code;
use riak::pb::messages::{
    BucketProps, BucketReq, BucketResp, CounterGetReq, CounterUpdateReq, DtFetchReq, DtUpdateReq, GetReq,
    GetResp, PutReq, SetBucketReq, TypeReq,
};

const TEXT: (&str, &str) = ("Content-Type", "text/plain");
const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn one_node_confirms_what_is_read_and_written() {
    let server = Server::start();
    for (head, status, told) in [
        ("PUT /buckets/b/keys/k?node_confirms=1", 204, ""),
        ("PUT /buckets/b/keys/k?node_confirms=one", 204, ""),
        (
            "PUT /buckets/b/keys/k?node_confirms=2",
            503,
            "node_confirms-value unsatisfied: 1/2\n",
        ),
        (
            "PUT /buckets/b/keys/k?node_confirms=4",
            400,
            "Specified w/dw/pw values invalid",
        ),
        (
            "PUT /buckets/b/keys/k?node_confirms=many",
            400,
            "node_confirms query parameter must be an integer or one of",
        ),
        ("GET /buckets/b/keys/k?node_confirms=1", 200, ""),
        (
            "GET /buckets/b/keys/k?node_confirms=quorum",
            503,
            "{insufficient_nodes,1,need,2}\n",
        ),
        ("DELETE /buckets/b/keys/k?node_confirms=2", 204, ""),
        (
            "POST /types/counters/buckets/b/datatypes/k?node_confirms=all",
            503,
            "node_confirms-value unsatisfied: 1/3\n",
        ),
    ] {
        let kind = if head.contains("types") { JSON } else { TEXT };
        let answer = server.ask(head, &[kind], b"1");
        assert_eq!(answer.status, status, "{head}: {}", answer.text());
        assert!(answer.text().starts_with(told), "{head}: {}", answer.text());
    }
    let (mut client, confirms) = (server.client(), Some(2));
    let (bucket, key) = (b"b".to_vec(), b"k".to_vec());
    let unsatisfied = "{node_confirms_val_unsatisfied,2,1}";
    let insufficient = "{insufficient_nodes,1,need,2}";
    let get = GetReq {
        bucket: bucket.clone(),
        key: key.clone(),
        node_confirms: confirms,
        ..GetReq::default()
    };
    assert_eq!(client.refused(code::GET, &get), insufficient);
    let put = PutReq {
        bucket: bucket.clone(),
        key: Some(key.clone()),
        node_confirms: confirms,
        ..PutReq::default()
    };
    assert_eq!(client.refused(code::PUT, &put), unsatisfied);
    let update = CounterUpdateReq {
        bucket: bucket.clone(),
        key: key.clone(),
        node_confirms: confirms,
        ..CounterUpdateReq::default()
    };
    assert_eq!(client.refused(code::COUNTER_UPDATE, &update), unsatisfied);
    let get = CounterGetReq {
        bucket: bucket.clone(),
        key: key.clone(),
        node_confirms: confirms,
        ..CounterGetReq::default()
    };
    assert_eq!(client.refused(code::COUNTER_GET, &get), insufficient);
    let fetch = DtFetchReq {
        bucket: bucket.clone(),
        key: key.clone(),
        kind: b"counters".to_vec(),
        node_confirms: confirms,
        ..DtFetchReq::default()
    };
    assert_eq!(client.refused(code::DT_FETCH, &fetch), insufficient);
    let update = DtUpdateReq {
        bucket,
        key: Some(key),
        kind: b"counters".to_vec(),
        node_confirms: confirms,
        ..DtUpdateReq::default()
    };
    assert_eq!(client.refused(code::DT_UPDATE, &update), unsatisfied);
}

#[test]
fn a_bucket_may_want_more_nodes_than_there_are() {
    let server = Server::start();
    let shown = server.get("/buckets/b/props").text();
    assert!(shown.contains(r#""node_confirms":0"#), "{shown}");
    assert!(shown.contains(r#""sync_on_write":"backend""#), "{shown}");
    let set = |props: &str| server.put("/buckets/b/props", JSON.1, props.as_bytes()).status;
    assert_eq!(set(r#"{"props":{"sync_on_write":"sometimes"}}"#), 400);
    assert_eq!(set(r#"{"props":{"node_confirms":2,"sync_on_write":"all"}}"#), 204);
    assert_eq!(server.put("/buckets/b/keys/k", TEXT.1, b"1").status, 503);
    let one = server.ask("PUT /buckets/b/keys/k?node_confirms=1", &[TEXT], b"1");
    assert_eq!(one.status, 204);
    assert_eq!(server.ask("DELETE /buckets/b/keys/k", &[], b"").status, 503);
}

#[test]
fn how_a_bucket_is_replicated_is_kept_for_clients() {
    let server = Server::start();
    let mut client = server.client();
    let bucket = b"b".to_vec();
    let wanted = BucketReq {
        bucket: bucket.clone(),
        kind: None,
    };
    let set = |mode: i32| SetBucketReq {
        bucket: bucket.clone(),
        props: BucketProps {
            repl: Some(mode),
            ..BucketProps::default()
        },
        kind: None,
    };
    for mode in [2, 0, 3, 1] {
        assert_eq!(client.raw(code::SET_BUCKET, &set(mode)).0, code::SET_BUCKET_RESP);
        let found: BucketResp = client.ask(code::GET_BUCKET, &wanted);
        assert_eq!(found.props.repl, Some(mode));
    }
    assert!(
        server
            .get("/buckets/b/props")
            .text()
            .contains(r#""repl":"realtime""#)
    );
    let told = client.refused(code::SET_BUCKET, &set(9));
    assert_eq!(told, "9 is no mode of replication (repl)");
}

#[test]
fn a_write_may_say_how_it_is_flushed() {
    let server = Server::start();
    let put = |sync: &str| {
        let head = format!("PUT /buckets/b/keys/k?sync_on_write={sync}");
        server.ask(&head, &[TEXT], b"1")
    };
    for sync in ["default", "backend", "one", "ALL"] {
        assert_eq!(put(sync).status, 204, "{sync}");
    }
    let refused = put("two");
    let told =
        "sync_on_write query parameter must be one of the following words: [default,backend,one,all]\n";
    assert_eq!((refused.status, refused.text().as_str()), (400, told));
}

#[test]
fn a_put_by_http_may_want_an_object_that_was_not_modified() {
    let server = Server::start();
    let put = |clock: &str| {
        let headers = [TEXT, ("X-Riak-If-Not-Modified", clock)];
        server.ask("PUT /buckets/b/keys/k", &headers, b"2").status
    };
    server.put("/buckets/b/keys/k", TEXT.1, b"1");
    let clock = || server.get("/buckets/b/keys/k").header("x-riak-vclock").to_owned();
    let before = clock();
    assert_eq!(put("no clock"), 400);
    assert_eq!(put(&before), 204);
    assert_eq!(put(&before), 409, "the object has another clock now");
    assert_eq!(put(&clock()), 204);
    server.ask("DELETE /buckets/b/keys/k", &[], b"");
    assert_eq!(put(&before), 409, "the object is gone");
    assert_eq!(server.get("/buckets/b/keys/k").status, 404);
}

#[test]
fn what_is_missing_is_refused_by_its_name() {
    let server = Server::start();
    for (path, what) in [
        ("/search/query/people?q=a", "a search by Solr"),
        ("/queuename/q1", "a queue of the replication"),
        ("/aaebucketlist", "a fold over the trees"),
        ("/siblings/buckets/b/counts/2", "a fold over the trees"),
        (
            "/rangetrees/types/t/buckets/b/trees/small",
            "a fold over the trees",
        ),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 501, "{path}");
        assert!(answer.text().starts_with(what), "{path}: {}", answer.text());
        assert!(answer.text().ends_with(" is not supported\n"), "{path}");
    }
    assert_eq!(server.get("/nothing").status, 404);
    let mut client = server.client();
    for (which, what) in [
        (27, "a search by Solr"),
        (40, "a fold over the objects of a bucket (RpbCSBucketReq)"),
        (90, "a time series"),
        (202, "a queue of the replication"),
        (231, "a fold over the trees"),
        (150, "Unknown message code: 150"),
    ] {
        let told = client.refused(which, &TypeReq::default());
        assert!(told.starts_with(what), "{which}: {told}");
    }
    // The connection goes on.
    let wanted = GetReq {
        bucket: b"b".to_vec(),
        key: b"k".to_vec(),
        ..GetReq::default()
    };
    let found: GetResp = client.ask(code::GET, &wanted);
    assert!(found.content.is_empty());
}
