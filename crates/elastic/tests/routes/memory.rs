//! The memory of searches: a search that needs more than there is, is refused, and memory is given back.

use super::server::Server;
use kv::Simulation;
use memory::{Budget, Holder, Usage};
use serde_json::{Value, json};
use testing::http::{Answer, exchange};

const BUDGET_BYTES: usize = 4 << 20;

/// A server with little memory and documents of 60 kB that have a word each.
struct Small {
    server: Server,
    budget: Budget,
}

impl Small {
    fn start() -> Small {
        let budget = Budget::new(BUDGET_BYTES);
        let server = Server::within(&Simulation::new(1), budget.clone());
        Small { server, budget }
    }

    fn ask(&self, request: &str, body: &Value) -> Answer {
        exchange(self.server.address, request, &body.to_string())
    }

    fn fill(&self, count: usize, document: impl Fn(usize) -> Value) {
        let mappings = json!({"mappings": {"properties": {
            "word": {"type": "keyword"}, "text": {"type": "text"}, "long": {"type": "binary"}, "next": {"type": "completion"}}}});
        assert_eq!(self.ask("PUT /small", &mappings).status, 200);
        let lines: Vec<String> = (0..count)
            .map(|at| format!("{{\"index\": {{\"_id\": \"{at}\"}}}}\n{}\n", document(at)))
            .collect();
        for part in lines.chunks(500) {
            let request = "POST /small/_bulk?refresh=true\nContent-Type: application/x-ndjson";
            let answer = exchange(self.server.address, request, &part.concat());
            assert!(answer.body.contains("\"errors\":false"), "{answer}");
        }
    }

    fn usage(&self, holder: Holder) -> Usage {
        self.budget
            .usage()
            .into_iter()
            .find(|usage| usage.holder == holder)
            .unwrap()
    }

    /// A search that needs more memory than there is: it is refused with the name of the limit, is counted, and holds nothing
    /// afterwards.
    fn refused(&self, request: &str, body: &Value, holder: Holder) {
        let before = self.usage(holder).refused;
        let answer = self.ask(request, body);
        assert_eq!(answer.status, 429, "{answer}");
        let error: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(error["error"]["type"], "circuit_breaking_exception");
        let reason = error["error"]["reason"].as_str().unwrap();
        let limit = format!(
            "of the {} bytes that the memory budget",
            self.budget.limit(holder)
        );
        assert!(reason.contains(&limit) && reason.contains("--memory"), "{reason}");
        assert_eq!(self.usage(holder).refused, before + 1);
        assert_eq!(self.usage(Holder::Searches).held_bytes, 0);
    }
}

fn long(at: usize) -> Value {
    json!({"word": format!("{at:05}"), "long": "eA==".repeat(15_000), "next": format!("go on {at}")})
}

#[test]
fn hits_that_do_not_fit_are_refused() {
    let small = Small::start();
    small.fill(40, long);
    small.refused("POST /small/_search", &json!({"size": 40}), Holder::Searches);
    let few = small.ask("POST /small/_search", &json!({"size": 2, "sort": ["word"]}));
    assert_eq!(few.status, 200, "{few}");
    // The search reads more than it keeps.
    let held = small.usage(Holder::Searches);
    assert!(held.held_bytes_max > 500_000 && held.held_bytes == 0, "{held:?}");
}

#[test]
fn hits_within_buckets_and_suggested_documents_that_do_not_fit_are_refused() {
    let small = Small::start();
    small.fill(40, long);
    let tops = json!({"size": 0, "aggs": {"a": {"terms": {"field": "word", "size": 40}, "aggs": {"best": {"top_hits": {"size": 1}}}}}});
    small.refused("POST /small/_search", &tops, Holder::Searches);
    let suggest = |size: u32| json!({"suggest": {"s": {"prefix": "go", "completion": {"field": "next", "size": size}}}});
    small.refused("POST /small/_search", &suggest(40), Holder::Searches);
    let few = small.ask("POST /small/_search", &suggest(2));
    assert_eq!(few.status, 200, "{few}");
}

#[test]
fn buckets_and_values_that_do_not_fit_are_refused() {
    let small = Small::start();
    small.fill(4_000, |at| json!({"word": format!("{at:0100}")}));
    let of = |what: Value| json!({"size": 0, "aggs": {"a": what}});
    small.refused(
        "POST /small/_search",
        &of(json!({"terms": {"field": "word", "size": 4_000}})),
        Holder::Searches,
    );
    let page = json!({"composite": {"size": 100, "sources": [{"w": {"terms": {"field": "word", "order": "desc"}}}]}});
    let answer = small.ask("POST /small/_search", &of(page));
    assert_eq!(answer.status, 200, "{answer}");
    let whole = json!({"composite": {"size": 4_000, "sources": [{"w": {"terms": {"field": "word"}}}]}});
    small.refused("POST /small/_search", &of(whole), Holder::Searches);
}

#[test]
fn buckets_for_which_few_words_stand_are_refused_before_they_are_made() {
    let small = Small::start();
    small.fill(3, |at| json!({"word": format!("{at}"), "n": at}));
    let counts = (0..200).map(|at| (format!("c{at}"), json!({"value_count": {"field": "n"}})));
    let counts = Value::Object(counts.collect());
    let ranges = vec![json!({"to": 1}); 500];
    let ranges = json!({"range": {"field": "n", "ranges": ranges}, "aggs": counts});
    let within = json!({"terms": {"field": "word"}, "aggs": {"r": ranges}});
    let bounds = json!({"min": 0, "max": 500});
    let numbers =
        json!({"histogram": {"field": "n", "interval": 1, "extended_bounds": bounds}, "aggs": counts});
    for what in [ranges, within, numbers] {
        let body = json!({"size": 0, "aggs": {"a": what}});
        small.refused("POST /small/_search", &body, Holder::Searches);
    }
}

#[test]
fn json_that_would_take_more_than_there_is_is_refused() {
    let small = Small::start();
    small.fill(3, |at| json!({"word": format!("{at}")}));
    let numbers = json!({"query": {"terms": {"n": vec![1; 600_000]}}});
    small.refused("POST /small/_search", &numbers, Holder::Searches);
}

#[test]
fn scrolls_that_do_not_fit_are_refused_until_others_end() {
    let small = Small::start();
    small.fill(3, |at| json!({"word": format!("{at}")}));
    let values: Vec<String> = (0..400).map(|at| format!("{at}")).collect();
    let body = json!({"size": 1, "query": {"terms": {"word": values}}});
    let mut opened = 0;
    while small.ask("POST /small/_search?scroll=1m", &body).status == 200 {
        opened += 1;
        assert!(opened < 100, "{:?}", small.usage(Holder::Scrolls));
    }
    assert!(opened > 2);
    small.refused("POST /small/_search?scroll=1m", &body, Holder::Scrolls);
    assert!(small.usage(Holder::Scrolls).held_bytes > 100_000);
    let ended = small.ask("DELETE /_search/scroll/_all", &json!({}));
    assert_eq!(ended.status, 200, "{ended}");
    assert_eq!(small.usage(Holder::Scrolls).held_bytes, 0);
    assert_eq!(small.ask("POST /small/_search?scroll=1m", &body).status, 200);
}

#[test]
fn queries_of_more_clauses_than_fit_are_refused() {
    let small = Small::start();
    small.fill(3, |at| json!({"word": format!("{at}")}));
    let query = |clauses: usize| {
        let clauses = vec![json!({"term": {"word": "1"}}); clauses];
        json!({"query": {"bool": {"should": clauses}}})
    };
    small.refused("POST /small/_search", &query(50_000), Holder::Searches);
    assert_eq!(small.ask("POST /small/_search", &query(100)).status, 200);
}

#[test]
fn lists_of_shards_that_do_not_fit_are_refused() {
    let small = Small::start();
    let settings = json!({"settings": {"number_of_shards": 1024, "number_of_replicas": 100}});
    assert_eq!(small.ask("PUT /many", &settings).status, 200);
    for request in [
        "GET /_cat/shards",
        "GET /_cluster/state",
        "GET /_recovery",
        "GET /_stats?level=shards",
    ] {
        small.refused(request, &Value::Null, Holder::Searches);
    }
    let health = small.ask("GET /_cluster/health", &Value::Null);
    assert!(health.body.contains("\"unassigned_shards\":102400"), "{health}");
}
