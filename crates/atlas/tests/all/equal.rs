//! Random searches over random documents: both sets of indexes must return the same.

use crate::store::Store;
use engine::{CappedOptions, CreateRequest, Searched};
use std::time::Duration;
use testing::{Random, seeds};
use value::{Document, Value, doc};

const SEEDS: u64 = 2;
const ROUNDS: u64 = 4;
const SEARCHES: u64 = 60;
const WORDS: [&str; 6] = ["river", "wild", "harbour", "singer", "boats", "night"];

fn word(random: &mut Random) -> &'static str {
    WORDS[random.below(WORDS.len() as u64) as usize]
}

fn document(random: &mut Random) -> Document {
    let text: Vec<&str> = (0..1 + random.below(6)).map(|_| word(random)).collect();
    let mut document = doc! {"text": text.join(" "), "year": random.below(20) as i64, "kind": word(random)};
    if random.below(3) == 0 {
        document.push("mixed", word(random));
    } else {
        document.push("mixed", random.below(5) as f64);
    }
    if random.below(2) == 0 {
        document.push("flag", random.below(2) == 0);
        document.push("at", Value::DateTime(random.below(10) as i64 * 86_400_000));
    }
    document
}

fn operator(random: &mut Random, depth: u64) -> Document {
    let (one, other) = (word(random), word(random));
    let year = random.below(20) as i64;
    match random.below(if depth > 2 { 9 } else { 12 }) {
        0 => doc! {"text": {"path": "text", "query": format!("{one} {other}")}},
        1 => doc! {"text": {"path": ["text", "kind", "mixed"], "query": one, "fuzzy": {"maxEdits": 1}}},
        2 => {
            doc! {"phrase": {"path": "text", "query": format!("{one} {other}"), "slop": random.below(3) as i64}}
        }
        3 => doc! {"range": {"path": "year", "gte": year, "lt": year + 5}},
        4 => doc! {"equals": {"path": "mixed", "value": random.below(5) as i64}},
        5 => doc! {"exists": {"path": "flag"}},
        6 => doc! {"in": {"path": "kind", "value": [one, other]}},
        7 => doc! {"near": {"path": "year", "origin": year, "pivot": 2}},
        8 => doc! {"autocomplete": {"path": "kind", "query": &one[..3]}},
        _ => {
            let clauses = |random: &mut Random| -> Vec<Value> {
                let count = 1 + random.below(2);
                (0..count).map(|_| operator(random, depth + 1).into()).collect()
            };
            let mut compound = doc! {"should": clauses(random)};
            for name in ["must", "filter", "mustNot"] {
                if random.below(3) == 0 {
                    compound.push(name, clauses(random));
                }
            }
            doc! {"compound": compound}
        }
    }
}

fn shown(found: &Searched) -> Vec<String> {
    let one = |(document, metadata): &(Document, Document)| {
        let score = metadata.get("searchScore").unwrap().as_ref().as_f64().unwrap();
        format!("{:?} {score:.4}", document.get("_id").unwrap())
    };
    let mut shown: Vec<String> = found.documents.iter().map(one).collect();
    // Hits with equal scores come in any order.
    shown.sort();
    shown.push(format!("{:?}", found.meta));
    shown
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_and_the_documents_give_the_same_answers() {
    for seed in seeds(SEEDS) {
        let mut random = Random::new(seed);
        let fields = doc! {"kind": [{"type": "string"}, {"type": "token"}, {"type": "autocomplete"}]};
        let definition = doc! {"mappings": {"dynamic": true, "fields": fields}};
        let store = Store::new(definition).await;
        for round in 0..ROUNDS {
            store
                .insert((0..100).map(|_| document(&mut random)).collect())
                .await;
            for search in 0..SEARCHES {
                let spec = operator(&mut random, 0);
                let (by_index, by_documents) = store.both(&spec, None).await;
                let what = format!("seed {seed}, round {round}, search {search}: {spec:?}");
                assert_eq!(shown(&by_index), shown(&by_documents), "{what}");
                if search == 0 {
                    store.wait_until_indexed().await;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_a_capped_collection_has_dropped_are_not_found() {
    let capped = Some(CappedOptions {
        size_bytes: 1 << 20,
        documents_max: Some(50),
    });
    let made = CreateRequest {
        capped,
        ..CreateRequest::default()
    };
    let store = Store::of(made, doc! {"mappings": {"dynamic": true}}).await;
    let spec = doc! {"range": {"path": "year", "gte": 0}};
    for round in 0..3 {
        let years = (round * 60..(round + 1) * 60).map(|year| doc! {"year": i64::from(year)});
        store.insert(years.collect()).await;
        let (by_index, by_documents) = store.both(&spec, Some(10)).await;
        assert_eq!(by_index.documents.len(), 10);
        assert_eq!(by_index.meta, doc! {"count": {"lowerBound": 50_i64}});
        assert_eq!(shown(&by_index), shown(&by_documents), "round {round}");
        // By then an index would be on the disk.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_would_become_very_many_queries_is_refused() {
    let store = Store::new(doc! {"mappings": {"dynamic": true}}).await;
    store.insert(vec![doc! {"a": "x"}]).await;
    let texts = |prefix: &str, count: i32| -> Vec<Value> {
        (0..count)
            .map(|number| format!("{prefix}{number}").into())
            .collect()
    };
    let numbers: Vec<Value> = (0..1000).map(Value::from).collect();
    for spec in [
        doc! {"in": {"path": texts("f", 100), "value": numbers}},
        doc! {"wildcard": {"path": "a", "query": texts("x", 1100), "allowAnalyzedField": true}},
        doc! {"text": {"path": "a", "query": texts("x", 1100)}},
    ] {
        let why = store.refusal(&spec).await;
        assert!(why.contains("more than"), "{why}");
    }
    let fields: Document = texts("f", 6000)
        .iter()
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), Value::from(doc! {"type": "number"})))
        .collect();
    let why = store
        .refusal_of_index(doc! {"mappings": {"fields": fields}})
        .await;
    assert!(why.contains("more than"), "{why}");
}
