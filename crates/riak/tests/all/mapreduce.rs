//! Map/reduce through both protocols.

use crate::server::{Answer, Server};
use bytes::Bytes;
use riak::pb::frame::code;
use riak::pb::messages::{Content, ErrorResp, MapRedReq, MapRedResp, PutReq, PutResp};
use riak::pb::wire::Message;
use serde_json::{Value, json};

pub fn ask(server: &Server, job: &Value) -> Answer {
    let kind = [("Content-Type", "application/json")];
    server.ask("POST /mapred", &kind, job.to_string().as_bytes())
}

pub fn run(server: &Server, inputs: Value, query: Value) -> Value {
    let answer = ask(server, &json!({"inputs": inputs, "query": query}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    serde_json::from_slice(&answer.body).unwrap()
}

/// Two, three and four in `n`, a text in `t`, and `f.js`.
pub fn filled() -> Server {
    let server = Server::start();
    for (key, value) in [("two", "2"), ("three", "3"), ("four", "4")] {
        let headers = [
            ("Content-Type", "application/json"),
            ("X-Riak-Index-size_int", value),
            ("X-Riak-Meta-Name", key),
        ];
        let stored = server.ask(&format!("PUT /buckets/n/keys/{key}"), &headers, value.as_bytes());
        assert_eq!(stored.status, 204);
    }
    server
}

pub fn source(kind: &str, text: &str) -> Value {
    json!({kind: {"language": "javascript", "source": text}})
}

pub fn named(kind: &str, name: &str) -> Value {
    json!({kind: {"language": "javascript", "name": name}})
}

pub fn erlang(kind: &str, function: &str) -> Value {
    json!({kind: {"language": "erlang", "module": "riak_kv_mapreduce", "function": function}})
}

#[test]
fn functions_of_javascript_map_and_reduce_a_bucket() {
    let server = filled();
    let query = json!([
        named("map", "Riak.mapValuesJson"),
        named("reduce", "Riak.reduceSum")
    ]);
    assert_eq!(run(&server, json!("n"), query), json!([9]));
    let query = json!([source(
        "map",
        "function (v) { return [v.key + ':' + v.values[0].data]; }"
    )]);
    assert_eq!(
        run(&server, json!("n"), query),
        json!(["four:4", "three:3", "two:2"])
    );
    assert_eq!(
        run(&server, json!("none"), json!([named("reduce", "Riak.reduceSum")])),
        json!([0])
    );
}

#[test]
fn inputs_are_keys_a_bucket_an_index_or_filtered() {
    let server = filled();
    let keys = json!([source("map", "v => [v.key]")]);
    let cases = [
        (
            json!([["n", "two"], ["n", "four", "data"]]),
            json!(["two", "four"]),
        ),
        (json!([["n", "two", null, "default"]]), json!(["two"])),
        (json!(["default", "n"]), json!(["four", "three", "two"])),
        (
            json!({"bucket": "n", "index": "size_int", "key": 3}),
            json!(["three"]),
        ),
        (
            json!({"bucket": "n", "index": "size_int", "start": "3", "end": "9"}),
            json!(["three", "four"]),
        ),
        // The ends of a range stand in any order, and the name in any letters.
        (
            json!({"bucket": "n", "index": "Size_int", "start": "9", "end": "3"}),
            json!(["three", "four"]),
        ),
        (
            json!({"bucket": "n", "key_filters": [["starts_with", "t"]]}),
            json!(["three", "two"]),
        ),
    ];
    for (inputs, expected) in cases {
        assert_eq!(run(&server, inputs.clone(), keys.clone()), expected, "{inputs}");
    }
    let data = json!([source("map", "function (v, data, arg) { return [data]; }")]);
    assert_eq!(
        run(&server, json!([["n", "four", {"a": 1}]]), data),
        json!([{"a": 1}])
    );
    assert_eq!(
        run(&server, json!([["n", "four"]]), json!([])),
        json!([["n", "four"]])
    );
}

#[test]
fn a_function_sees_the_object_as_riak_shows_it() {
    let server = filled();
    let seen = run(&server, json!([["n", "two"]]), json!([source("map", "v => [v]")]));
    let object = &seen[0];
    assert_eq!((&object["bucket"], &object["key"]), (&json!("n"), &json!("two")));
    assert!(object["vclock"].as_str().unwrap().len() > 8);
    let metadata = &object["values"][0]["metadata"];
    assert_eq!(metadata["X-Riak-Meta"], json!({"X-Riak-Meta-name": "two"}));
    assert_eq!(metadata["index"], json!({"size_int": "2"}));
    assert_eq!(metadata["content-type"], "application/json");
    let identity = run(
        &server,
        json!([["n", "two"]]),
        json!([erlang("map", "map_identity")]),
    );
    assert_eq!(identity, seen);
    let missing = run(
        &server,
        json!([["n", "none", 7]]),
        json!([named("map", "Riak.mapValues")]),
    );
    assert_eq!(
        missing,
        json!([{"not_found": {"bucket": "n", "key": "none", "keydata": 7}}])
    );
}

#[test]
fn functions_get_what_riak_gives_them_where_a_job_says_nothing() {
    let server = filled();
    let with = |argument: Value| json!([{"map": {"language": "javascript", "source": "(v, data, arg) => [data, arg]", "arg": argument}}]);
    let without = json!([source("map", "(v, data, arg) => [data, arg]")]);
    let of_one = json!([["n", "two"]]);
    assert_eq!(
        run(&server, of_one.clone(), without),
        json!(["undefined", "none"])
    );
    assert_eq!(
        run(&server, of_one.clone(), with(Value::Null)),
        json!(["undefined", null])
    );
    assert_eq!(
        run(&server, json!([["n", "two", null]]), with(json!({"a": 1}))),
        json!([null, {"a": 1}])
    );
    let reduced = json!([
        source("map", "v => [1]"),
        source("reduce", "(values, arg) => [arg]")
    ]);
    assert_eq!(run(&server, of_one, reduced), json!(["none"]));
    let again = json!([
        source("map", "v => [[v.bucket, v.key, null]]"),
        source("map", "(v, data) => [data]")
    ]);
    assert_eq!(run(&server, json!([["n", "two"]]), again), json!(["undefined"]));
    // Functions are not asked of what is not there.
    let strict = json!([source("map", "v => [v.values[0].data]")]);
    assert_eq!(
        run(&server, json!([["n", "none"], ["n", "two"]]), strict),
        json!([{"not_found": {"bucket": "n", "key": "none", "keydata": "undefined"}}, "2"])
    );
}

#[test]
fn riaks_functions_in_erlang_are_there_by_name() {
    let server = filled();
    let values = erlang("map", "map_object_value");
    let cases = [
        (
            json!([values, erlang("reduce", "reduce_sort")]),
            json!(["2", "3", "4"]),
        ),
        (
            json!([
                values,
                erlang("reduce", "reduce_string_to_integer"),
                erlang("reduce", "reduce_sum")
            ]),
            json!([9]),
        ),
        (
            json!([values, erlang("reduce", "reduce_count_inputs")]),
            json!([3]),
        ),
        (json!([erlang("reduce", "reduce_count_inputs")]), json!([3])),
        (
            json!([erlang("reduce", "reduce_identity")]),
            json!([["n", "four"], ["n", "three"], ["n", "two"]]),
        ),
        (
            json!([
                source("map", "v => [1, 'a', 1]"),
                erlang("reduce", "reduce_set_union")
            ]),
            json!([1, "a"]),
        ),
        (
            json!([
                source("map", "v => [{a: 1, b: 2}]"),
                erlang("reduce", "reduce_plist_sum")
            ]),
            json!([{"a": 3, "b": 6}]),
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(run(&server, json!("n"), query.clone()), expected, "{query}");
    }
    let filter = json!([{"map": {"language": "erlang", "module": "riak_kv_mapreduce", "function": "map_object_value", "arg": "filter_notfound"}}]);
    assert_eq!(
        run(&server, json!([["n", "two"], ["n", "none"]]), filter),
        json!(["2"])
    );
}

#[test]
fn the_functions_that_riak_has_in_javascript_do_what_they_do_there() {
    let server = filled();
    let values = named("map", "Riak.mapValuesJson");
    let with = |name: &str, argument: Value| json!({"reduce": {"language": "javascript", "name": name, "arg": argument}});
    let cases = [
        (with("Riak.reduceMin", Value::Null), json!([2])),
        (with("Riak.reduceMax", Value::Null), json!([4])),
        (with("Riak.reduceNumericSort", Value::Null), json!([2, 3, 4])),
        (
            with("Riak.reduceSort", json!("function (a, b) { return b - a; }")),
            json!([4, 3, 2]),
        ),
        (
            with("Riak.reduceSort", json!("function (a, b) { return b - a; };\n")),
            json!([4, 3, 2]),
        ),
        (
            json!({"reduce": {"language": "javascript", "source": "function (v) { return v.sort(RiakHelper.numericSorter); }"}}),
            json!([2, 3, 4]),
        ),
        (with("Riak.reduceLimit", json!(2)), json!([4])),
        (with("Riak.reduceSlice", json!([1, 2])), json!([3])),
    ];
    for (reduce, expected) in cases {
        assert_eq!(
            run(&server, json!("n"), json!([values, reduce])),
            expected,
            "{reduce}"
        );
    }
    server.put("/buckets/c/keys/1", "application/json", br#"{"a": 1, "b": 2}"#);
    server.put("/buckets/c/keys/2", "application/json", br#"{"a": 2}"#);
    let by_fields = json!([{"map": {"language": "javascript", "name": "Riak.mapByFields", "arg": {"a": 1}}}]);
    assert_eq!(run(&server, json!("c"), by_fields), json!([{"a": 1, "b": 2}]));
}

#[test]
fn a_function_may_be_kept_in_a_bucket() {
    let server = filled();
    server.put(
        "/buckets/f/keys/js",
        "application/javascript",
        b"function (v, d, arg) { return [arg.by * v.values[0].data]; }",
    );
    let stored = |key: &str| json!([{"map": {"language": "javascript", "bucket": "f", "key": key, "arg": {"by": 10}}}]);
    assert_eq!(run(&server, json!([["n", "two"]]), stored("js")), json!([20]));
    let missing = ask(&server, &json!({"inputs": "n", "query": stored("none")}));
    assert_eq!(missing.status, 500);
    assert!(missing.text().contains("notfound"), "{}", missing.text());
}

#[test]
fn phases_that_keep_have_a_list_each_and_maps_follow_maps() {
    let server = filled();
    let query = json!([
        {"map": {"language": "javascript", "source": "v => [[v.bucket, v.key]]", "keep": true}},
        {"map": {"language": "javascript", "name": "Riak.mapValuesJson", "keep": true}},
        {"reduce": {"language": "javascript", "name": "Riak.reduceSum", "keep": true}},
    ]);
    let inputs = json!([["n", "two"], ["n", "three"]]);
    assert_eq!(
        run(&server, inputs, query),
        json!([[["n", "two"], ["n", "three"]], [2, 3], [5]])
    );
}

#[test]
fn large_buckets_are_mapped_by_several_sandboxes_in_the_order_of_keys() {
    let server = Server::start();
    let mut client = server.client();
    for at in 0..1_200 {
        let request = PutReq {
            bucket: b"many".to_vec(),
            key: Some(format!("{at:05}").into_bytes()),
            content: Content {
                value: at.to_string().into(),
                content_type: Some(b"application/json".to_vec()),
                ..Content::default()
            },
            ..PutReq::default()
        };
        let _: PutResp = client.ask(code::PUT, &request);
    }
    let query = json!([named("map", "Riak.mapValuesJson")]);
    let all: Vec<i64> = serde_json::from_value(run(&server, json!("many"), query)).unwrap();
    assert_eq!(all, (0..1_200).collect::<Vec<_>>());
    let three = source("map", "v => [1, 2, 3]");
    let counted = run(
        &server,
        json!("many"),
        json!([three, source("reduce", "values => [values.length]")]),
    );
    assert_ne!(counted, json!([3_600]), "what was reduced is reduced again");
    let once = json!([three, {"reduce": {
        "language": "javascript", "source": "values => [values.length]", "arg": {"reduce_phase_only_1": true}}}]);
    assert_eq!(run(&server, json!("many"), once), json!([3_600]));
    // Each call has what the last one gave, and as many new ones as were asked for.
    for (size, last) in [(0, 2), (1, 2), (2, 3), (5, 3), (7, 6), (12, 12)] {
        let query = json!([{"reduce": {"language": "javascript", "source": "values => [values.length]",
            "arg": {"reduce_phase_batch_size": size}}}]);
        let keys: Vec<[String; 2]> = (0..12)
            .map(|at| ["many".to_owned(), format!("{at:05}")])
            .collect();
        assert_eq!(run(&server, json!(keys), query), json!([last]), "{size}");
    }
}

#[test]
fn each_object_has_its_own_metadata_whatever_lies_between() {
    let server = Server::start();
    for at in 0..60 {
        let path = format!("PUT /buckets/some/keys/{at:02}");
        let name = at.to_string();
        let headers = [("Content-Type", "text/plain"), ("X-Riak-Meta-At", name.as_str())];
        assert_eq!(server.ask(&path, &headers, b"x").status, 204);
    }
    // Notes of what was deleted stay for a time.
    let gone = |at: &i32| at % 3 != 0 && *at < 50;
    for at in (0..60).filter(gone) {
        server.ask(&format!("DELETE /buckets/some/keys/{at:02}"), &[], b"");
    }
    let query = json!([source(
        "map",
        "v => [v.key + v.values[0].metadata['X-Riak-Meta']['X-Riak-Meta-at']]"
    )]);
    let expected: Vec<String> = (0..60)
        .filter(|at| !gone(at))
        .map(|at| format!("{at:02}{at}"))
        .collect();
    assert_eq!(run(&server, json!("some"), query.clone()), json!(expected));
    let filtered = json!({"bucket": "some", "key_filters": [["ends_with", "9"]]});
    assert_eq!(run(&server, filtered, query), json!(["099", "3939", "5959"]));
}

#[test]
fn scripts_need_not_be_quite_json() {
    let server = filled();
    let job = r#"{"inputs": [["n", "two"],], "query": [{"map": {"language": "javascript", "source":
        "function (v) {
            return ('a b' + v.values[0].data).match(/\w+/g);
        }"}}]}"#;
    let answer = server.ask(
        "POST /mapred",
        &[("Content-Type", "application/json")],
        job.as_bytes(),
    );
    assert_eq!((answer.status, answer.text().as_str()), (200, "[\"a\",\"b2\"]"));
}

#[test]
fn whatever_a_function_looks_at_is_there() {
    let server = filled();
    let shown = json!(["object"]);
    for function in [
        "function (v) { return [typeof v.values[0].metadata]; }",
        "function (v) { var other = v; return [typeof other.values[0].metadata]; }",
        "function (q) { return function (v) { return [typeof v.values[0].metadata]; }; }(1)",
        "function (v) { function inner(x) { return typeof x.values[0].metadata; } return [inner(v)]; }",
        "function (v) { return [typeof arguments[0].values[0].metadata]; }",
        "function (v) { return [typeof v['values'][0].metadata]; }",
        "function (v, data, arg) { return [typeof JSON.parse(JSON.stringify(v)).values[0].metadata]; }",
    ] {
        let inputs = json!([["n", "two"]]);
        assert_eq!(
            run(&server, inputs, json!([source("map", function)])),
            shown,
            "{function}"
        );
    }
    let names = "(v) => [v.bucket + v.key + v.values[0].data.length]";
    assert_eq!(
        run(&server, json!([["n", "two"]]), json!([source("map", names)])),
        json!(["ntwo1"])
    );
}

#[test]
fn results_come_in_parts_where_they_are_wanted_so() {
    let server = filled();
    let job = json!({"inputs": "n", "query": [named("map", "Riak.mapValuesJson"), named("reduce", "Riak.reduceSum")]});
    let kind = [("Content-Type", "application/json")];
    let answer = server.ask("POST /mapred?chunked=true", &kind, job.to_string().as_bytes());
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .header("content-type")
            .starts_with("multipart/mixed; boundary=")
    );
    assert!(
        answer.text().contains("{\"phase\":1,\"data\":[9]}"),
        "{}",
        answer.text()
    );
}

#[test]
fn protocol_buffers_give_a_message_for_each_phase() {
    let server = filled();
    let mut client = server.client();
    let request = |job: Value| MapRedReq {
        request: Bytes::from(job.to_string()),
        content_type: b"application/json".to_vec(),
    };
    let job = json!({"inputs": "n", "query": [named("map", "Riak.mapValuesJson"), named("reduce", "Riak.reduceSum")]});
    let first: MapRedResp = client.ask(code::MAP_RED, &request(job));
    assert_eq!(
        (first.phase, first.response.as_deref()),
        (Some(1), Some(&b"[9]"[..]))
    );
    let (_, last) = client.next();
    assert_eq!(MapRedResp::decode(&last).unwrap().done, Some(true));
    let failing = json!({"inputs": "n", "query": [source("map", "function (v) { throw new Error('no'); }")]});
    let told = client.refused(code::MAP_RED, &request(failing));
    assert!(
        told.contains("\"phase\":0") && told.contains("Error: no"),
        "{told}"
    );
    let mut erlang = request(json!({}));
    erlang.content_type = b"application/x-erlang-binary".to_vec();
    assert!(client.refused(code::MAP_RED, &erlang).contains("not supported"));
    // The connection goes on.
    let (answered, _) = client.raw(code::PING, &ErrorResp::default());
    assert_eq!(answered, code::PING_RESP);
}
