//! `$unwind` of documents that become many: page by page, all of them, in order.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use language::expression::Variables;
use pipeline::{Pipeline, Source, Surroundings};
use query::QueryError;
use query::execute::{Interruption, StreamState};
use store::Namespace;
use value::{Document, DocumentBuf, Value, array, doc};

/// The arrays of the documents: none, short, long, and one that is short behind it.
const LENGTHS: [i32; 5] = [3, 0, 25_000, 1, 2_000];

fn run(stages: Vec<Value>) -> Result<Vec<Document>, QueryError> {
    let pipeline = Pipeline::parse(&stages, &Variables::new(0), &Namespace::new("db", "coll"))?;
    let documents = LENGTHS.iter().enumerate().map(|(at, length)| {
        let items: Vec<Value> = (0..*length).map(Value::Int32).collect();
        DocumentBuf::from(&doc! {"_id": at as i32, "text": "x".repeat(1_000), "a": Value::Array(items)})
    });
    let source = Source::Documents(documents.collect());
    let mut stream = pipeline.run(source, &Surroundings::default(), Interruption::default());
    let mut batch = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    while runtime.block_on(stream.fill(&mut batch, usize::MAX, usize::MAX))? == StreamState::More {}
    Ok(batch.iter().map(DocumentBuf::to_document).collect())
}

fn expected() -> Vec<Document> {
    let documents = LENGTHS.iter().enumerate();
    let unwound =
        documents.flat_map(|(at, length)| (0..*length).map(move |a| doc! {"_id": at as i32, "a": a}));
    unwound.collect()
}

#[test]
fn every_element_comes_in_its_order() {
    let kept = array![{"$unwind": "$a"}, {"$project": {"a": 1}}];
    assert_eq!(run(kept).unwrap(), expected());
    let numbered = array![{"$unwind": {"path": "$a", "includeArrayIndex": "i"}}, {"$match": {"$expr": {"$ne": ["$i", "$a"]}}}];
    assert_eq!(run(numbered).unwrap(), []);
}

#[test]
fn a_limit_behind_it_ends_an_unwind() {
    let limited = array![{"$unwind": "$a"}, {"$skip": 20_000}, {"$limit": 4_000}, {"$project": {"a": 1}}];
    assert_eq!(run(limited).unwrap(), expected()[20_000..24_000]);
}

#[test]
fn two_behind_each_other_and_facets_give_all() {
    let pairs = array![
        {"$unwind": "$a"}, {"$match": {"a": {"$lt": 3}}}, {"$set": {"b": {"$range": [0, 4_000]}}}, {"$unwind": "$b"},
        {"$group": {"_id": "$_id", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}},
    ];
    let counts = [(0, 12_000), (2, 12_000), (3, 4_000), (4, 12_000)].map(|(id, n)| doc! {"_id": id, "n": n});
    assert_eq!(run(pairs).unwrap(), counts);
    let facets = array![{"$facet": {"n": [{"$unwind": "$a"}, {"$count": "n"}]}}];
    assert_eq!(run(facets).unwrap(), [doc! {"n": [{"n": 27_004}]}]);
}

#[test]
fn a_path_without_a_name_is_refused() {
    for (path, expected) in [("", 28_812), ("a", 28_818), ("$", 40_352), ("$a\0b", 16_419)] {
        let refused = run(array![{"$unwind": path}]).err();
        assert_eq!(
            refused.map(|error| error.code().number()),
            Some(expected),
            "{path:?}"
        );
    }
}
