//! What `profile` says about how a search was executed.

use super::memory::bulk;
use super::server::Servers;
use serde_json::{Value, json};

/// The kind, description and figures of the one shard.
fn profile(answer: &Value) -> (&str, &str, [u64; 3]) {
    let query = &answer["profile"]["shards"][0]["searches"][0]["query"][0];
    assert!(query["time_in_nanos"].as_u64().unwrap() > 0, "{answer}");
    let figure = |name| query["breakdown"][name].as_u64().unwrap();
    let text = |name: &str| query[name].as_str().unwrap();
    let names = ["documents_read", "documents_matching", "documents_unreached"];
    (text("type"), text("description"), names.map(figure))
}

#[test]
fn the_first_search_after_a_start_takes_the_index_that_was_left() {
    let mut servers = Servers::start();
    servers.make();
    servers.bulk(&bulk(0..500));
    servers.wait_until_indexed();
    servers.restart();
    let body = json!({"query": {"match": {"text": "fourth"}}, "profile": true});
    let (by_index, _) = servers.answers("/lines/_search", &body);
    assert_eq!(profile(&by_index).0, "FullTextIndex", "{by_index}");
}

#[test]
fn a_profile_says_which_way_was_taken_and_how_much_was_read() {
    let servers = Servers::start();
    servers.make();
    servers.bulk(&bulk(0..2_000));
    servers.wait_until_indexed();
    let fourth = json!({"match": {"text": "fourth"}});
    let some = json!({"range": {"@timestamp": {"lt": 1_700_000_000_010_u64}}});
    let count = json!({"words": {"terms": {"field": "text.keyword"}}});
    let cases = [
        (json!({"query": fourth}), "the best scores", [10, 500, 0]),
        (
            json!({"query": fourth, "sort": [{"@timestamp": "desc"}], "size": 3}),
            "the newest",
            [3, 500, 0],
        ),
        (
            json!({"query": some, "sort": ["n.keyword"]}),
            "that the index finds are read",
            [10, 10, 0],
        ),
        (
            json!({"query": fourth, "size": 0, "aggs": count}),
            "taken from columns",
            [0, 500, 0],
        ),
        (
            json!({"query": fourth, "size": 0, "aggs": {"large": {"max": {"field": "large"}}}}),
            "taken from columns",
            [0, 500, 0],
        ),
    ];
    for (mut body, said, figures) in cases {
        body["profile"] = json!(true);
        let (by_index, by_documents) = servers.answers("/lines/_search", &body);
        let (kind, description, found) = profile(&by_index);
        assert_eq!(kind, "FullTextIndex", "{body}: {by_index}");
        assert!(description.contains(said), "{body}: {description}");
        assert_eq!(found, figures, "{body}");
        let (kind, description, found) = profile(&by_documents);
        assert_eq!((kind, description), ("Documents", "all documents are read"));
        assert_eq!(found, [2_000, figures[1], 0], "{body}");
    }
    // What was just written is read from the documents.
    servers.bulk(&bulk(2_000..2_008));
    let body = json!({"query": fourth, "size": 0, "profile": true});
    let (by_index, _) = servers.answers("/lines/_search", &body);
    let (_, _, found) = profile(&by_index);
    assert!(
        found[1] == 502 && found[2] <= 8 && found[0] == found[2],
        "{by_index}"
    );
    let (without, _) = servers.answers("/lines/_search", &json!({"profile": false}));
    assert!(without.get("profile").is_none(), "{without}");
}
