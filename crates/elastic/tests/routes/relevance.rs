//! Which hits come in which order, with which scores and names of queries, and which queries are refused.
//!
//! Each file is a mapping, documents, and searches with the answers of Elasticsearch 7.10.2.

use super::server::Server;
use serde_json::{Value, json};
use std::net::SocketAddr;
use testing::http::exchange;

/// How far scores may differ from Elasticsearch's, which may add in another order.
const DEVIATION_MAX: f64 = 1e-5;

#[test]
fn fuzzy_words_are_found_as_in_elasticsearch() {
    check(include_str!("relevance/fuzzy.json"));
}

#[test]
fn texts_in_several_fields_are_found_as_in_elasticsearch() {
    check(include_str!("relevance/texts.json"));
}

#[test]
fn query_strings_are_found_as_in_elasticsearch() {
    check(include_str!("relevance/strings.json"));
}

#[test]
fn hits_name_the_queries_that_they_match_as_in_elasticsearch() {
    check(include_str!("relevance/names.json"));
}

#[test]
fn values_that_fields_cannot_have_are_refused_as_in_elasticsearch() {
    check(include_str!("relevance/values.json"));
}

/// Sends all searches, and fails with a list of all differences.
fn check(recorded: &str) {
    let recorded: Value = serde_json::from_str(recorded).unwrap();
    let server = Server::start();
    let made = exchange(
        server.address,
        "PUT /recorded",
        &json!({"mappings": recorded["mappings"]}).to_string(),
    );
    assert_eq!(made.status, 200, "{made}");
    let lines = recorded["documents"].as_object().unwrap().iter();
    let lines = lines.map(|(id, document)| format!("{}\n{document}\n", json!({"index": {"_id": id}})));
    let written = exchange(server.address, "POST /recorded/_bulk", &lines.collect::<String>());
    assert_eq!(written.status, 200, "{written}");
    let searches = recorded["searches"].as_array().unwrap().iter();
    let faults: Vec<String> = searches
        .filter_map(|search| fault(server.address, search))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The differences in the answer to a search.
fn fault(address: SocketAddr, search: &Value) -> Option<String> {
    let answer = exchange(address, "POST /recorded/_search", &search["body"].to_string());
    let found: Value = serde_json::from_str(&answer.body).unwrap();
    let is_same = match search.get("status") {
        Some(status) => *status == answer.status && search["type"] == found["error"]["root_cause"][0]["type"],
        None => answer.status == 200 && is_found(&search["found"], &found["hits"]["hits"]),
    };
    (!is_same).then(|| format!("{}\n  wanted {search}\n  got {}", search["body"], answer.body))
}

/// Whether these hits were found: each its id, its score, the queries that it names, and the same of what is nested in it.
fn is_found(wanted: &Value, hits: &Value) -> bool {
    let (Some(wanted), Some(hits)) = (wanted.as_array(), hits.as_array()) else {
        return false;
    };
    let one = |(wanted, hit): (&Value, &Value)| {
        let score = (wanted[1].as_f64(), hit["_score"].as_f64());
        let is_near = match score {
            (Some(wanted), Some(score)) => (wanted - score).abs() <= DEVIATION_MAX * wanted.abs().max(1.0),
            (wanted, score) => wanted == score,
        };
        let inner = hit["inner_hits"].as_object();
        let inner = inner.and_then(|inner| inner.values().next());
        let place = |hit: &Value| match hit.get("_nested") {
            Some(nested) => nested["offset"].clone(),
            None => hit["_id"].clone(),
        };
        is_near
            && wanted[0] == place(hit)
            && wanted[2] == hit["matched_queries"]
            && (wanted[3].is_null()
                || inner.is_some_and(|inner| is_found(&wanted[3], &inner["hits"]["hits"])))
    };
    wanted.len() == hits.len() && wanted.iter().zip(hits).all(one)
}
