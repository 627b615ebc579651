//! Riak's statuses and messages.

use crate::server::Server;
use engine::{Context, Namespace, WriteOptions};
use riak::pb::frame::code;
use riak::pb::messages::{BucketProps, GetReq, GetResp, IndexReq, SetBucketReq};
use value::{DocumentBuf, doc};

const TEXT: (&str, &str) = ("Content-Type", "text/plain");
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Method and path, headers, body; the status of the answer, and how its text begins.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [u8], u16, &'a str);

#[test]
fn the_root_tells_what_is_answered_as_the_client_wants_it() {
    let server = Server::start();
    let accepting = |kind: &str| server.ask("GET /", &[("Accept", kind)], b"");
    let json = accepting("application/json");
    assert_eq!(json.header("content-type"), "application/json");
    assert!(
        json.text().contains(r#""riak_kv_wm_ping":"/ping""#),
        "{}",
        json.text()
    );
    let html = accepting("text/html");
    assert_eq!(html.header("content-type"), "text/html");
    let item = r#"<li><a href="/mapred">riak_kv_wm_mapred</a></li>"#;
    assert!(html.text().contains(item), "{}", html.text());
    for answer in [json, html] {
        let links = answer.header("link");
        assert!(
            links.contains(r#"</buckets>; rel="riak_kv_wm_object""#),
            "{links}"
        );
    }
    assert_eq!(accepting("image/png").status, 406);
}

#[test]
fn refusals_have_riaks_status_and_text() {
    let server = Server::start();
    let cases: [Case<'_>; 28] = [
        ("GET /buckets/b/keys/k", &[], b"", 404, "not found\n"),
        (
            "GET /buckets/b/keys/k?r=5",
            &[],
            b"",
            400,
            "Specified w/dw/pw values invalid for bucket n value of 3\n",
        ),
        (
            "GET /buckets/b/keys/k?r=many",
            &[],
            b"",
            400,
            "r query parameter must be an integer or one of the following words: 'one', 'quorum' or 'all'\n",
        ),
        (
            "GET /buckets/b/keys/k?notfound_ok=x",
            &[],
            b"",
            400,
            "notfound_ok query parameter must be true or false\n",
        ),
        (
            "GET /buckets/b/keys/k?timeout=soon",
            &[],
            b"",
            400,
            "Bad timeout value \"soon\"\n",
        ),
        (
            "PUT /buckets/b/keys/k",
            &[],
            b"1",
            400,
            "Missing Content-Type request header\n",
        ),
        (
            "PUT /buckets/b/keys/k",
            &[("Content-Type", "text")],
            b"1",
            415,
            "\"text\" is not a valid media type for the Content-type header.\n",
        ),
        (
            "PUT /buckets/b/keys/k",
            &[TEXT, ("Link", "</a>; riaktag=\"t\"")],
            b"1",
            400,
            "Invalid Link header. Links must be of the form\n</buckets/BUCKET/keys/KEY>; riaktag=\"TAG\"\n",
        ),
        (
            "PUT /riak/b/k",
            &[TEXT, ("Link", "nothing")],
            b"1",
            400,
            "Invalid Link header. Links must be of the form\n</riak/BUCKET/KEY>; riaktag=\"TAG\"\n",
        ),
        (
            "PUT /buckets/b/keys/k",
            &[TEXT, ("X-Riak-Index-age", "7")],
            b"1",
            400,
            "Unknown field type for field: 'age'.",
        ),
        (
            "PUT /buckets/b/keys/k",
            &[TEXT, ("X-Riak-Index-_bin", "7")],
            b"1",
            400,
            "Unknown field type for field: '_bin'.",
        ),
        ("GET /buckets/b/index/a_bin", &[], b"", 404, "not found\n"),
        (
            "PUT /buckets/b/keys/k",
            &[TEXT, ("X-Riak-Index-age_int", "x")],
            b"1",
            400,
            "Could not parse field 'age_int', value 'x'",
        ),
        (
            "PUT /buckets/b/keys/k",
            &[TEXT, ("Accept", "application/json")],
            b"1",
            406,
            "",
        ),
        (
            "PUT /buckets/b/keys/k?asis=true",
            &[TEXT],
            b"1",
            501,
            "the option asis is not supported\n",
        ),
        (
            "GET /buckets/b/index/a_bin/x/y?max_results=0",
            &[],
            b"",
            400,
            "Invalid \"max_results\". 0 is not a positive integer\n",
        ),
        (
            "GET /buckets/b/index/a_bin/x/y?max_results=all",
            &[],
            b"",
            400,
            "Invalid \"max_results\". \"all\" is not a positive integer\n",
        ),
        (
            "GET /buckets/b/index/a_bin/x/y?return_terms=1",
            &[],
            b"",
            400,
            "Invalid \"return_terms\". \"1\" is not a boolean\n",
        ),
        (
            "GET /buckets/b/index/a_int/1/2?term_regex=x",
            &[],
            b"",
            400,
            "Can not use term regular expressions on integer queries\n",
        ),
        (
            "PUT /buckets/b/props",
            &[JSON],
            b"[]",
            400,
            "bucket PUT must be a JSON object of the form:\n{\"props\":{...bucket properties...}}\n",
        ),
        (
            "PUT /buckets/b/props",
            &[JSON],
            br#"{"props":{"allow_mult":"yes","r":"most"}}"#,
            400,
            "{\"allow_mult\":\"not_boolean\",\"r\":\"not_valid_quorum\"}\n",
        ),
        (
            "GET /types/t/buckets/b/datatypes/k",
            &[],
            b"",
            403,
            "Bucket datatype 'undefined' is not a supported type.\n",
        ),
        (
            "GET /types/sets/buckets/b/datatypes",
            &[],
            b"",
            404,
            "{\"type\":\"set\",\"error\":\"notfound\"}",
        ),
        (
            "GET /types/sets/buckets/b/datatypes/k?timeout=soon",
            &[],
            b"",
            400,
            "timeout query parameter must be an integer greater than 0, soon is invalid\n",
        ),
        (
            "POST /types/sets/buckets/b/datatypes/k?include_context=some",
            &[JSON],
            br#"{"add":"a"}"#,
            400,
            "include_context query parameter must be true or false\n",
        ),
        (
            "GET /buckets/b/index/a_int/1?timeout=-5",
            &[],
            b"",
            400,
            "Bad timeout value -5. Must be a non-negative integer\n",
        ),
        ("POST /types/sets/buckets/b/datatypes/k", &[TEXT], b"{}", 406, ""),
        (
            "POST /types/sets/buckets/b/datatypes/k",
            &[JSON],
            br#"{"add":1}"#,
            400,
            "Invalid operation on datatype 'set': {\"add\":1}\n",
        ),
    ];
    for (head, headers, body, status, text) in cases {
        let answer = server.ask(head, headers, body);
        assert_eq!(answer.status, status, "{head} {headers:?}: {}", answer.text());
        assert!(answer.text().starts_with(text), "{head}: {}", answer.text());
    }
    assert_eq!(server.get("/buckets/b/keys/k").status, 404, "nothing was written");
}

#[test]
fn protocol_buffers_say_the_same_in_terms() {
    let server = Server::start();
    let mut client = server.client();
    let request = SetBucketReq {
        bucket: b"b".to_vec(),
        props: BucketProps {
            n_val: Some(0),
            ..BucketProps::default()
        },
        kind: None,
    };
    assert_eq!(
        client.refused(code::SET_BUCKET, &request),
        "Invalid bucket properties: [{n_val,not_integer}]"
    );
    let request = GetReq {
        bucket: b"b".to_vec(),
        key: b"k".to_vec(),
        r: Some(5),
        ..GetReq::default()
    };
    assert_eq!(client.refused(code::GET, &request), "{n_val_violation,3}");
    let request = IndexReq {
        bucket: b"b".to_vec(),
        index: b"a_bin".to_vec(),
        ..IndexReq::default()
    };
    let told = "Invalid equality query undefined";
    assert_eq!(client.refused(code::INDEX, &request), told);
}

#[test]
fn terms_may_have_commas_and_names_of_indexes_letters_of_either_case() {
    let server = Server::start();
    let headers = [TEXT, ("X-Riak-Index-Name_bin", "a,b, c")];
    assert_eq!(server.ask("PUT /buckets/b/keys/k", &headers, b"1").status, 204);
    for term in ["a,b", "c"] {
        let found = server.get(&format!("/buckets/b/index/NAME_bin/{term}"));
        assert_eq!(found.text(), r#"{"keys":["k"]}"#, "{term}");
    }
    assert_eq!(server.get("/buckets/b/index/name_bin/a").text(), r#"{"keys":[]}"#);
    // The terms of keys are the keys.
    let keys = server.get("/buckets/b/index/$key/a/z?return_terms=true");
    assert_eq!(keys.text(), r#"{"keys":["k"]}"#);
    // Without one, all are meant; those of the bucket need not match.
    for (path, found) in [
        ("$key", r#"{"keys":["k"]}"#),
        ("$bucket", r#"{"keys":["k"]}"#),
        ("$bucket/b?term_regex=x", r#"{"keys":["k"]}"#),
        ("$key/a/z?term_regex=x", r#"{"keys":[]}"#),
    ] {
        let keys = server.get(&format!("/buckets/b/index/{path}"));
        assert_eq!(keys.text(), found, "{path}");
    }
}

#[test]
fn siblings_in_parts_have_the_names_of_indexes_as_they_are() {
    let server = Server::start();
    for value in [b"1", b"2"] {
        let headers = [TEXT, ("X-Riak-Index-Name_bin", "a")];
        assert_eq!(
            server
                .ask("PUT /types/t/buckets/b/keys/k", &headers, value)
                .status,
            204
        );
    }
    let siblings = server.ask(
        "GET /types/t/buckets/b/keys/k",
        &[("Accept", "multipart/mixed")],
        b"",
    );
    assert_eq!(siblings.status, 300);
    assert!(
        siblings.text().contains("\r\nX-Riak-Index-name_bin: a\r\n"),
        "{}",
        siblings.text()
    );
}

#[test]
fn an_unmodified_object_comes_without_its_clock() {
    let server = Server::start();
    assert_eq!(server.put("/buckets/b/keys/k", "text/plain", b"1").status, 204);
    let wanted = GetReq {
        bucket: b"b".to_vec(),
        key: b"k".to_vec(),
        ..GetReq::default()
    };
    let mut client = server.client();
    let got: GetResp = client.ask(code::GET, &wanted);
    let again = GetReq {
        if_modified: got.vclock,
        ..wanted
    };
    let got: GetResp = client.ask(code::GET, &again);
    assert_eq!(got.unchanged, Some(true));
    assert!(got.vclock.is_none() && got.content.is_empty());
}

#[test]
fn the_last_piece_of_a_stream_is_empty() {
    let server = Server::start();
    server.put("/buckets/b/keys/k", "text/plain", b"1");
    assert_eq!(
        server.get("/buckets/b/keys?keys=stream").text(),
        r#"{"keys":["k"]}{"keys":[]}"#
    );
    assert_eq!(
        server.get("/buckets?buckets=stream").text(),
        r#"{"buckets":["b"]}{"buckets":[]}"#
    );
    let old = server.get("/riak/b?keys=stream").text();
    assert!(
        old.starts_with(r#"{"props":{"#) && old.ends_with(r#"{"keys":["k"]}{"keys":[]}"#),
        "{old}"
    );
    let old = server.get("/riak/b?keys=stream&props=false").text();
    assert_eq!(old, r#"{}{"keys":["k"]}{"keys":[]}"#);
}

#[test]
fn links_are_of_the_interface_that_is_asked() {
    let server = Server::start();
    let headers = [
        TEXT,
        ("Link", "</riak/b>; rel=\"up\", </riak/c/d>; riaktag=\"t\""),
    ];
    assert_eq!(server.ask("PUT /riak/b/k", &headers, b"1").status, 204);
    let of = |path: &str| server.get(path).header("link").to_owned();
    assert_eq!(
        of("/riak/b/k"),
        "</riak/b>; rel=\"up\", </riak/c/d>; riaktag=\"t\""
    );
    assert_eq!(
        of("/buckets/b/keys/k"),
        "</buckets/b>; rel=\"up\", </buckets/c/keys/d>; riaktag=\"t\""
    );
}

/// Objects with the keys from 0.
fn fill(server: &Server, bucket: &str, objects: i32) {
    let namespace = Namespace::new("default", bucket);
    let documents = (0..objects).map(|key| DocumentBuf::from(&doc! {"_id": key}));
    let context = Context::default();
    let options = WriteOptions::default();
    let inserted = server
        .engine
        .insert(&context, &namespace, documents.collect(), &options);
    server.host.run(inserted).unwrap();
}

#[test]
fn listing_keys_for_too_long_is_an_answer_that_says_so() {
    let server = Server::start();
    fill(&server, "many", 20_000);
    let told = "{\"error\":\"timeout\"}";
    for path in ["/buckets/many/keys?keys=true", "/riak/many?keys=true"] {
        let answer = server.get(&format!("{path}&timeout=1"));
        assert_eq!((answer.status, answer.text().as_str()), (200, told), "{path}");
        assert!(
            server
                .get(&format!("{path}&timeout=60000"))
                .text()
                .contains("\"19999\"")
        );
    }
    let streamed = server.get("/buckets/many/keys?keys=stream&timeout=1");
    assert_eq!(streamed.status, 200);
    assert!(streamed.text().ends_with(told));
    for path in [
        "/buckets?buckets=true",
        "/buckets?buckets=stream",
        "/buckets/many/keys?keys=true",
    ] {
        assert_eq!(server.get(&format!("{path}&timeout=soon")).status, 400, "{path}");
    }
}
