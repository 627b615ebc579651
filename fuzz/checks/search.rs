//! What must hold for any queries in Lucene's form and any bodies of searches. Each gives back whether it was accepted, and panics
//! where something does not hold.

use memory::Budget;
use search::{Held, Index, Mapping, Request, Run, Seen, parse_query_string};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use value::{Document, DocumentBuf, Value};

/// The memory of one search.
const BUDGET_BYTES: usize = 64 << 20;

/// A query that is accepted can be run.
pub fn lucene(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    for lenient in [false, true] {
        if let Ok(query) = parse_query_string(text, None, lenient, lenient) {
            run(&Request {
                query: Some(query),
                size: 10,
                ..Request::default()
            });
        }
    }
    parse_query_string(text, None, false, false).is_ok()
}

/// A body that is accepted can be run, unless it does not fit the mapping.
pub fn body(bytes: &[u8]) -> bool {
    let Ok(Json::Object(body)) = serde_json::from_slice(bytes) else {
        return false;
    };
    match Request::parse(&body) {
        Ok((request, _)) => {
            run(&request);
            true
        }
        Err(_) => false,
    }
}

fn mapping() -> Mapping {
    let fields = json!({"properties": {
        "t": {"type": "text"}, "k": {"type": "keyword"}, "n": {"type": "long"}, "d": {"type": "date"}, "b": {"type": "boolean"},
        "ip": {"type": "ip"}, "g": {"type": "geo_point"}, "r": {"type": "integer_range"},
        "o": {"type": "nested", "properties": {"k": {"type": "keyword"}}}}});
    Mapping::parse(&fields, search::Analysis::default()).expect("a mapping")
}

fn documents() -> Vec<DocumentBuf> {
    let inner = Document::new().with("k", "x");
    let full = Document::new()
        .with("_id", "1")
        .with("t", "quick brown foxes jump over a lazy dog")
        .with("k", vec![Value::from("a"), Value::from("b")])
        .with("n", 7)
        .with("d", "2024-01-01T00:00:00Z")
        .with("b", true)
        .with("ip", "10.0.0.1")
        .with("g", "41.12,-71.34")
        .with("r", Document::new().with("gte", 1).with("lt", 5))
        .with("o", vec![Value::from(inner)]);
    let empty = Document::new().with("_id", "2");
    [full, empty].iter().map(DocumentBuf::from).collect()
}

fn run(request: &Request) {
    let index = Index {
        name: "i".to_owned(),
        mapping: Arc::new(mapping()),
        boost: 1.0,
    };
    let held = Held::within(&Budget::new(BUDGET_BYTES));
    let show = |_: &search::Hit, _: &[search::SortKey], _: &Map<String, Json>| Ok(Json::Null);
    let searched = || {
        let mut run = Run::new(request, vec![index], 0, held)?;
        let counts_first = run.begin(0)?;
        let documents = documents();
        let seen = |at: usize| Seen {
            id: "1",
            sequence: at as u64,
            version: 1,
            document: &documents[at],
        };
        for at in (0..documents.len()).filter(|_| counts_first) {
            run.count(&seen(at));
        }
        for at in 0..documents.len() {
            run.see(&seen(at))?;
        }
        run.finish(false, &show)
    };
    if let Ok(outcome) = searched() {
        assert!(outcome.hits.len() <= request.size.max(1) + request.from);
    }
}
