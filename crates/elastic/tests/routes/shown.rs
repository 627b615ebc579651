//! Fields, inner hits and highlights, compared with the answers of Elasticsearch 7.10.2 to the same requests.
//!
//! Each line of the file beside this one is a request with its status, and the part of the hits to compare or the reason of
//! the refusal.

use super::server::Server;
use serde_json::{Map, Value, json};
use testing::http::exchange;

const LINES: &str = include_str!("shown.jsonl");

#[test]
fn hits_show_what_those_of_elasticsearch_show() {
    let server = Server::start();
    let mut faults = Vec::new();
    for line in LINES.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (ask, body) = (line["ask"].as_str().unwrap(), line["body"].as_str().unwrap());
        let answer = exchange(server.address, ask, body);
        let found: Value = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
        let is_same = match (line.get("hits"), line.get("reason")) {
            (Some(hits), _) => *hits == shown(&found),
            (_, Some(reason)) => *reason == found["error"]["root_cause"][0]["reason"],
            _ => true,
        };
        if !is_same || line["status"] != answer.status {
            faults.push(format!("{ask} {body}\n  {found}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What is compared of the hits of an answer.
fn shown(answer: &Value) -> Value {
    let some = |hit: &Value, names: &[&str]| -> Map<String, Value> {
        let found = names
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), hit.get(*name)?.clone())));
        found.collect()
    };
    let hits = |found: &Value| found["hits"]["hits"].as_array().cloned().unwrap_or_default();
    let one = |hit: Value| {
        let mut shown = some(&hit, &["fields", "highlight"]);
        if let Some(inner) = hit.get("inner_hits").and_then(Value::as_object) {
            let names = ["_nested", "fields", "highlight", "_source"];
            let of_name = |(name, found): (&String, &Value)| {
                let objects = hits(found).into_iter().map(|hit| some(&hit, &names));
                (name.clone(), json!(objects.collect::<Vec<_>>()))
            };
            let inner: Map<String, Value> = inner.iter().map(of_name).collect();
            shown.insert("inner".to_owned(), inner.into());
        }
        shown
    };
    json!(hits(answer).into_iter().map(one).collect::<Vec<_>>())
}
