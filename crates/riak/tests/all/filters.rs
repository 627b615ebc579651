//! Key filters: each finds the keys that it should, whichever range of keys is read for it.

use crate::mapreduce::run;
use crate::server::Server;
use engine::{Context, Namespace, WriteOptions};
use serde_json::{Value, json};
use value::{Value as Id, doc};

const KEYS: [&str; 8] = [
    "basho-20101215",
    "Google-20110103",
    "yahoo-20090613",
    "7",
    "42",
    "1.5",
    "a%2Bb%20c",
    "été",
];

fn found(server: &Server, filters: &Value) -> Vec<String> {
    let inputs = json!({"bucket": "kf", "key_filters": filters});
    let named = run(server, inputs, json!([]));
    let mut keys: Vec<String> = named
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair[1].as_str().unwrap().to_owned())
        .collect();
    keys.sort();
    keys
}

#[test]
fn every_filter_finds_its_keys() {
    let server = Server::start();
    for key in KEYS {
        let path = format!("/buckets/kf/keys/{}", key.replace('%', "%25"));
        assert_eq!(server.put(&path, "text/plain", b"x").status, 204, "{key}");
    }
    let dated = ["Google-20110103", "basho-20101215", "yahoo-20090613"];
    let cases: Vec<(Value, Vec<&str>)> = vec![
        (json!([["eq", "42"]]), vec!["42"]),
        (json!([["neq", "42"], ["eq", false]]), vec!["42"]),
        (json!([["starts_with", "yahoo"]]), vec!["yahoo-20090613"]),
        (json!([["starts_with", "é"]]), vec!["été"]),
        (json!([["ends_with", "0613"]]), vec!["yahoo-20090613"]),
        (
            json!([["tokenize", "-", 2], ["ends_with", "0613"]]),
            vec!["yahoo-20090613"],
        ),
        (
            json!([
                ["tokenize", "-", 2],
                ["string_to_int"],
                ["greater_than", 20101000]
            ]),
            vec!["Google-20110103", "basho-20101215"],
        ),
        (json!([["string_to_int"], ["between", 7, 42]]), vec!["42", "7"]),
        (json!([["string_to_int"], ["between", 7, 42, false]]), vec![]),
        (json!([["string_to_int"], ["less_than_eq", 7]]), vec!["7"]),
        (
            json!([["string_to_int"], ["int_to_string"], ["eq", "7"]]),
            vec!["7"],
        ),
        (json!([["string_to_float"], ["less_than", 2]]), vec!["1.5"]),
        (
            json!([
                ["string_to_float"],
                ["float_to_string"],
                ["starts_with", "1.50000000000000000000e+00"]
            ]),
            vec!["1.5"],
        ),
        (
            json!([["to_upper"], ["starts_with", "GOO"]]),
            vec!["Google-20110103"],
        ),
        (
            json!([["to_lower"], ["starts_with", "goo"]]),
            vec!["Google-20110103"],
        ),
        (json!([["urldecode"], ["eq", "a+b c"]]), vec!["a%2Bb%20c"]),
        (json!([["matches", "^[a-z]+-2009"]]), vec!["yahoo-20090613"]),
        (json!([["set_member", "7", "none", "42"]]), vec!["42", "7"]),
        (
            json!([["similar_to", "bosho-2010121", 2]]),
            vec!["basho-20101215"],
        ),
        (
            json!([["greater_than", "g"], ["eq", true]]),
            vec!["yahoo-20090613", "été"],
        ),
        (json!([["between", "4", "8"]]), vec!["42", "7"]),
        (
            json!([["greater_than_eq", "yahoo-20090613"], ["eq", true]]),
            vec!["yahoo-20090613", "été"],
        ),
        (json!([["less_than", "42"]]), vec!["1.5"]),
        (
            json!([["and", [["starts_with", "b"]], [["ends_with", "5"]]]]),
            vec!["basho-20101215"],
        ),
        (
            json!([["and", [["greater_than", "4"]], [["less_than", "8"]]]]),
            vec!["42", "7"],
        ),
        (
            json!([["or", [["eq", "7"]], [["starts_with", "bas"]]]]),
            vec!["7", "basho-20101215"],
        ),
        (json!([["not", [["matches", "[0-9]"]]]]), vec!["été"]),
        (json!([["matches", "-20"]]), dated.to_vec()),
    ];
    for (filters, expected) in cases {
        assert_eq!(found(&server, &filters), expected, "{filters}");
    }
}

#[test]
fn keys_that_are_no_texts_pass_filters_too() {
    let server = Server::start();
    assert_eq!(
        server.put("/buckets/kf/keys/%FFa", "text/plain", b"x").status,
        204
    );
    assert_eq!(server.put("/buckets/kf/keys/b", "text/plain", b"x").status, 204);
    let query = json!([{"map": {"language": "javascript", "source": "v => [v.values[0].data]"}}]);
    let inputs = json!({"bucket": "kf", "key_filters": [["greater_than", "b"]]});
    assert_eq!(run(&server, inputs, query), json!(["x"]));
}

#[test]
fn keys_that_other_protocols_made_are_listed_and_filtered() {
    let server = Server::start();
    let ids = [
        Id::Int32(7),
        Id::Int64(1 << 40),
        Id::Double(7.5),
        Id::Bool(true),
        Id::String("seven".to_owned()),
        Id::ObjectId("0123456789abcdef01234567".parse().unwrap()),
    ];
    let documents = ids
        .iter()
        .map(|id| value::DocumentBuf::from(&doc! {"_id": (id.clone()), "n": 1}));
    let inserted = server.host.run(server.engine.insert(
        &Context::default(),
        &Namespace::new("default", "kf"),
        documents.collect(),
        &WriteOptions::default(),
    ));
    inserted.unwrap();
    let keys = [
        "0123456789abcdef01234567",
        "1099511627776",
        "7",
        "7.5",
        "seven",
        "true",
    ];
    let listed: Value = serde_json::from_slice(&server.get("/buckets/kf/keys?keys=true").body).unwrap();
    let mut listed: Vec<&str> = listed["keys"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, keys);
    assert_eq!(found(&server, &json!([["neq", "none"]])), keys);
    let query = json!([{"map": {"language": "javascript", "source": "v => [v.key + v.values[0].data]"}}]);
    let inputs = json!({"bucket": "kf", "key_filters": [["matches", "^7"]]});
    let mapped = run(&server, inputs, query);
    assert_eq!(mapped, json!(["7{\"n\":1}", "7.5{\"n\":1}"]));
}

#[test]
fn malformed_filters_are_refused() {
    let server = Server::start();
    let deep = (0..60).fold(json!([["eq", "x"]]), |within, _| json!([["not", within]]));
    let cases = [
        (json!([["none", 1]]), "none is not known"),
        (json!([["tokenize", "-"]]), "tokenize wants"),
        (json!([["matches", "("]]), "pattern"),
        (json!([["eq"]]), "an argument is missing"),
        (json!(["eq"]), "begins with a filter's name"),
        (json!([["not"]]), "not wants"),
        (deep, "deep"),
    ];
    for (filters, expected) in cases {
        let job = json!({"inputs": {"bucket": "kf", "key_filters": filters}, "query": []});
        let answer = crate::mapreduce::ask(&server, &job);
        assert_eq!(answer.status, 400, "{job}");
        assert!(answer.text().contains(expected), "{job}: {}", answer.text());
    }
}
