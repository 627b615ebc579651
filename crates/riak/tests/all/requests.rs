//! Options of requests: each is respected where Riak respects it, and refused where Riak refuses it.

use crate::server::Server;
use auth::{Mechanism, RoleName, User};
use riak::pb::frame::code;
use riak::pb::messages::{
    AuthReq, BucketProps, DelReq, GetReq, ListBucketsReq, MapRedReq, PutReq, SetTypeReq, TypeReq,
};

const TEXT: (&str, &str) = ("Content-Type", "text/plain");
const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn only_quorums_that_the_request_uses_are_checked() {
    let server = Server::start();
    for (head, status) in [
        ("PUT /buckets/b/keys/k?r=5&pr=5&rw=5&dw=backend", 204),
        ("PUT /buckets/b/keys/k?w=5", 400),
        ("PUT /buckets/b/keys/k?dw=4", 400),
        ("GET /buckets/b/keys/k?w=5&dw=5&pw=5&rw=5", 200),
        ("GET /buckets/b/keys/k?pr=5", 400),
        ("GET /buckets/b/keys/k?w=some", 400),
        ("POST /types/counters/buckets/b/datatypes/k?r=5", 204),
        ("POST /types/counters/buckets/b/datatypes/k?pw=5", 400),
        ("GET /types/counters/buckets/b/datatypes/k?w=5", 200),
        ("DELETE /buckets/b/keys/k?rw=5", 400),
        ("DELETE /buckets/b/keys/k?r=5", 400),
        ("DELETE /buckets/b/keys/k?rw=5&w=1", 204),
    ] {
        let kind = if head.contains("types") { JSON } else { TEXT };
        let answer = server.ask(head, &[kind], b"1");
        assert_eq!(answer.status, status, "{head}: {}", answer.text());
    }
    let gone = DelReq {
        bucket: b"b".to_vec(),
        key: b"k".to_vec(),
        rw: Some(5),
        ..DelReq::default()
    };
    let mut client = server.client();
    assert_eq!(client.refused(code::DEL, &gone), "{n_val_violation,3}");
    let gone = DelReq { w: Some(1), ..gone };
    assert_eq!(client.raw(code::DEL, &gone).0, code::DEL_RESP);
}

#[test]
fn siblings_come_in_the_form_that_the_client_wants_most() {
    let server = Server::start();
    let props = br#"{"props":{"allow_mult":true}}"#;
    server.put("/buckets/s/props", JSON.1, props);
    for value in [b"a", b"b"] {
        server.put("/buckets/s/keys/k", TEXT.1, value);
    }
    for (accept, form) in [
        ("*/*", "text/plain"),
        ("text/plain, multipart/mixed;q=0.1", "text/plain"),
        ("multipart/mixed;q=0, text/plain", "text/plain"),
        ("multipart/*", "multipart/mixed"),
        ("multipart/mixed, application/json, */*;q=0.5", "multipart/mixed"),
        ("Multipart/Mixed", "multipart/mixed"),
    ] {
        let answer = server.ask("GET /buckets/s/keys/k", &[("Accept", accept)], b"");
        assert_eq!(answer.status, 300, "{accept}");
        assert!(answer.header("content-type").starts_with(form), "{accept}");
    }
    for head in ["GET /buckets/s/keys/k", "HEAD /buckets/s/keys/k"] {
        let answer = server.ask(head, &[("Accept", "application/json")], b"");
        assert_eq!(answer.status, 406, "{head}");
    }
    // Whoever has written is told so in any case.
    let headers = [JSON, ("Accept", "application/json")];
    let written = server.ask("PUT /buckets/s/keys/k?returnbody=true", &headers, b"1");
    assert_eq!(
        (written.status, written.header("content-type")),
        (300, "text/plain")
    );
}

#[test]
fn links_that_are_none_are_not_stored() {
    let server = Server::start();
    let put = |links: &[&str]| {
        let mut headers = vec![TEXT];
        headers.extend(links.iter().map(|link| ("Link", *link)));
        server.ask("PUT /buckets/b/keys/k", &headers, b"1").status
    };
    for link in [
        "</buckets/b/keys/k2>",
        "</buckets/b/keys/k2>; riaktag=t",
        "</buckets/other>; rel=\"up\"",
    ] {
        assert_eq!(put(&[link]), 400, "{link}");
        assert_eq!(put(&["</buckets/b/keys/k>; riaktag=\"t\"", link]), 400, "{link}");
    }
    assert_eq!(server.get("/buckets/b/keys/k").status, 404);
    let (up, linked) = ("</buckets/b>; rel=\"up\"", "</buckets/c/keys/d>; riaktag=\"t\"");
    assert_eq!(put(&[up, linked]), 204);
    let shown = server.get("/buckets/b/keys/k").header("link").to_owned();
    assert_eq!(shown, format!("{up}, {linked}"));
    // What is given can be put again, in buckets with a type too.
    server.put("/types/t/buckets/b/keys/k", TEXT.1, b"1");
    let shown = server.get("/types/t/buckets/b/keys/k").header("link").to_owned();
    let again = server.ask("PUT /types/t/buckets/b/keys/k", &[TEXT, ("Link", &shown)], b"1");
    assert_eq!(again.status, 204, "{shown}");
}

#[test]
fn properties_are_those_that_riak_takes() {
    let server = Server::start();
    let put = |path: &str, props: &str| {
        let body = format!("{{\"props\":{props}}}");
        let answer = server.put(path, JSON.1, body.as_bytes());
        (answer.status, answer.text())
    };
    let refused = |told: &str| (400, format!("{told}\n"));
    let siblings = r#"{"allow_mult":"Data Type buckets must be allow_mult=true"}"#;
    for (path, props, told) in [
        ("/types/sets/props", r#"{"allow_mult":false}"#, siblings),
        ("/types/sets/buckets/b/props", r#"{"allow_mult":false}"#, siblings),
        (
            "/types/n/props",
            r#"{"datatype":"set","allow_mult":false}"#,
            siblings,
        ),
        (
            "/buckets/b/props",
            r#"{"w":0,"rw":1}"#,
            r#"{"w":"not_valid_quorum"}"#,
        ),
    ] {
        assert_eq!(put(path, props), refused(told), "{path} {props}");
    }
    let set = put(
        "/buckets/b/props",
        r#"{"allow_mult":"true","notfound_ok":0,"pr":0}"#,
    );
    assert_eq!(set.0, 204, "{}", set.1);
    let shown: serde_json::Value = serde_json::from_slice(&server.get("/buckets/b/props").body).unwrap();
    assert_eq!(shown["props"]["allow_mult"], true);
    assert_eq!(shown["props"]["notfound_ok"], false);
    for value in [b"a", b"b"] {
        server.put("/buckets/b/keys/k", TEXT.1, value);
    }
    assert_eq!(server.get("/buckets/b/keys/k").status, 300, "siblings are kept");
    assert_eq!(
        put("/types/n/props", r#"{"datatype":"set","allow_mult":1}"#).0,
        204
    );
    assert_eq!(put("/types/n/props", r#"{"allow_mult":0}"#).0, 400);
}

#[test]
fn the_place_of_a_new_object_is_named_in_the_form_of_the_request() {
    let server = Server::start();
    for (path, place) in [
        ("/riak/b", "/riak/b/"),
        ("/buckets/b/keys", "/buckets/b/keys/"),
        ("/types/default/buckets/b/keys", "/types/default/buckets/b/keys/"),
        ("/types/t/buckets/b/keys", "/types/t/buckets/b/keys/"),
        (
            "/types/counters/buckets/b/datatypes",
            "/types/counters/buckets/b/keys/",
        ),
    ] {
        let made = server.ask(&format!("POST {path}"), &[JSON], b"1");
        assert_eq!(made.status, 201, "{path}");
        let found = made.header("location");
        assert!(found.starts_with(place), "{path}: {found}");
        assert_eq!(server.get(found).status, 200, "{found}");
    }
}

#[test]
fn data_types_are_changed_by_all_that_a_request_says() {
    let server = Server::start();
    let post = |kind: &str, body: &str| {
        let head = format!("POST /types/{kind}/buckets/b/datatypes/k?returnbody=true&include_context=false");
        let answer = server.ask(&head, &[JSON], body.as_bytes());
        (answer.status, answer.text())
    };
    for (kind, body, status, told) in [
        (
            "sets",
            r#"{"update":{"add":"q"}}"#,
            200,
            r#"{"type":"set","value":["q"]}"#,
        ),
        (
            "gsets",
            r#"{"update":{"add":"q"}}"#,
            200,
            r#"{"type":"gset","value":["q"]}"#,
        ),
        (
            "hlls",
            r#"{"update":{"add":"q"}}"#,
            200,
            r#"{"type":"hll","value":1}"#,
        ),
        (
            "counters",
            r#""increment""#,
            200,
            r#"{"type":"counter","value":1}"#,
        ),
        (
            "counters",
            r#""decrement""#,
            200,
            r#"{"type":"counter","value":0}"#,
        ),
        (
            "counters",
            r#"{"increment":1,"decrement":2}"#,
            400,
            "Invalid operation on datatype 'counter': {\"increment\":1,\"decrement\":2}\n",
        ),
        (
            "sets",
            r#"{"foo":1}"#,
            400,
            "Invalid operation on datatype 'set': {\"foo\":1}\n",
        ),
        (
            "maps",
            r#"{"add":"zz_set"}"#,
            400,
            "Invalid operation on datatype 'map': \"add\"\n",
        ),
        (
            "sets",
            r#"{"add":"a","context":5}"#,
            400,
            "the context is none that was given here\n",
        ),
    ] {
        assert_eq!(post(kind, body), (status, told.to_owned()), "{kind} {body}");
    }
}

#[test]
fn names_without_letters_are_refused_by_protocol_buffers() {
    let server = Server::start();
    let mut client = server.client();
    let no_type = "Type cannot be zero-length";
    assert_eq!(client.refused(code::GET_TYPE, &TypeReq::default()), no_type);
    let set = SetTypeReq {
        kind: Vec::new(),
        props: BucketProps {
            n_val: Some(2),
            ..BucketProps::default()
        },
    };
    assert_eq!(client.refused(code::SET_TYPE, &set), no_type);
    let list = ListBucketsReq {
        kind: Some(Vec::new()),
        ..ListBucketsReq::default()
    };
    assert_eq!(client.refused(code::LIST_BUCKETS, &list), no_type);
    // There is no such bucket yet, and none is made.
    let no_key = "Key cannot be zero-length";
    let bucket = b"none".to_vec();
    let get = GetReq {
        bucket: bucket.clone(),
        ..GetReq::default()
    };
    assert_eq!(client.refused(code::GET, &get), no_key);
    let gone = DelReq {
        bucket: bucket.clone(),
        ..DelReq::default()
    };
    assert_eq!(client.refused(code::DEL, &gone), no_key);
    let put = PutReq {
        bucket,
        key: Some(Vec::new()),
        ..PutReq::default()
    };
    assert_eq!(client.refused(code::PUT, &put), no_key);
    assert!(server.engine.collections("default").is_empty());
}

#[test]
fn jobs_that_are_not_run_are_refused_in_words_that_can_be_read() {
    let server = Server::start();
    let job = MapRedReq {
        request: b"{}"[..].into(),
        content_type: b"text/plain".to_vec(),
    };
    assert_eq!(
        server.client().refused(code::MAP_RED, &job),
        "map/reduce of the content type text/plain (in place of application/json) is not supported"
    );
    let job = r#"{"inputs":"b","query":[{"map":{"language":"erlang","module":"foo","function":"bar"}}]}"#;
    let answer = server.ask("POST /mapred", &[JSON], job.as_bytes());
    let told = "The function foo:bar is not known in such a phase; use one of riak_kv_mapreduce";
    assert!(answer.text().trim_end().ends_with(told), "{}", answer.text());
    let props = br#"{"props":{"search_index":"people"}}"#;
    let answer = server.put("/buckets/b/props", JSON.1, props);
    assert_eq!(answer.status, 501);
    assert_eq!(
        answer.text(),
        "a search index of Riak's (search buckets by Elasticsearch's protocol) is not supported\n"
    );
}

/// Makes a user of this name, whose password is `pw`.
fn add_user(server: &Server, name: &str, role: RoleName) {
    let user = User {
        database: "admin".to_owned(),
        name: name.to_owned(),
        uuid: [1; 16],
        credentials: User::derive_credentials(name, "pw", &[Mechanism::ScramSha256]).unwrap(),
        roles: vec![role],
        custom_data: None,
    };
    server.host.run(server.engine.create_user(user)).unwrap();
}

#[test]
fn a_connection_follows_what_becomes_of_its_user() {
    let server = Server::start();
    add_user(&server, "root", RoleName::root());
    let role = || RoleName::new("readAnyDatabase", "admin");
    add_user(&server, "ann", role());
    let mut client = server.client();
    let login = AuthReq {
        user: b"ann".to_vec(),
        password: b"pw".to_vec(),
    };
    let wanted = GetReq {
        bucket: b"b".to_vec(),
        key: b"k".to_vec(),
        ..GetReq::default()
    };
    assert_eq!(client.raw(code::AUTH, &login).0, code::AUTH_RESP);
    assert_eq!(client.raw(code::GET, &wanted).0, code::GET_RESP);
    let roles = |roles: Vec<RoleName>| {
        let change = |user: &mut User| -> Result<(), engine::Error> {
            user.roles = roles;
            Ok(())
        };
        let changed = server.engine.change_user("admin", "ann", change);
        server.host.run(changed).unwrap();
    };
    roles(Vec::new());
    let told = client.refused(code::GET, &wanted);
    assert!(told.starts_with("Permission denied"), "{told}");
    roles(vec![role()]);
    assert_eq!(client.raw(code::GET, &wanted).0, code::GET_RESP);
    server.host.run(server.engine.drop_user("admin", "ann")).unwrap();
    let told = client.refused(code::GET, &wanted);
    assert_eq!(told, "Security is enabled, please log in with RpbAuthReq first");
}

#[test]
fn pages_of_other_sites_change_nothing_where_users_exist() {
    let server = Server::start();
    add_user(&server, "root", RoleName::root());
    let user = ("Authorization", "Basic cm9vdDpwdw==");
    let ask = |method: &str, header: (&str, &str)| {
        let head = format!("{method} /buckets/b/keys/k");
        server.ask(&head, &[TEXT, user, header], b"1").status
    };
    assert_eq!(ask("PUT", ("X-Riak-Meta-By", "a program")), 204);
    assert_eq!(ask("PUT", ("Origin", "http://localhost")), 204);
    for header in [
        ("Origin", "http://localhost:3000"),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "same-site"),
    ] {
        assert_eq!(ask("PUT", header), 403, "{header:?}");
        assert_eq!(ask("DELETE", header), 403, "{header:?}");
        assert_eq!(ask("GET", header), 200, "{header:?}");
    }
}
