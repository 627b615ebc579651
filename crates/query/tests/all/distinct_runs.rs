//! `distinct` by an index, which jumps from each value to the next, returns the values that the documents have.

use crate::support::*;
use language::Interruption;
use language::filter::{Filter, FilterScope};
use language::metrics::Metrics;
use query::execute::{FindSpec, distinct, distinct_values};
use std::sync::Arc;
use store::{Collection, IndexSpec};
use testing::{Random, seeds};
use value::{Document, DocumentBuf, Value, doc};

async fn index(collection: &Arc<Collection>, key: Document) {
    let name = key.iter().map(|(name, _)| name).collect::<Vec<_>>().join("_");
    let spec = IndexSpec::new(name, key);
    collection.create_indexes(vec![spec]).await.unwrap();
}

fn random_value(numbers: &mut Random) -> Option<Value> {
    let small = numbers.below(12) as i32;
    Some(match numbers.below(9) {
        0 => Value::Null,
        1 => return None,
        2 => Value::Double(f64::from(small)),
        3 => Value::from(format!("text {small}")),
        4 => Value::Document(doc! {"inner": small}),
        5 => Value::Bool(small > 5),
        6 => Value::Int64(i64::from(small) << 40),
        _ => Value::Int32(small),
    })
}

fn documents(numbers: &mut Random, count: u64) -> Vec<Document> {
    let document = |number: u64, numbers: &mut Random| {
        let mut document = doc! {"_id": number as i64, "other": (numbers.below(3) as i32)};
        if let Some(value) = random_value(numbers) {
            document.push("a", value);
        }
        document
    };
    (0..count).map(|number| document(number, numbers)).collect()
}

async fn compare(collection: &Arc<Collection>, documents: &[Document], filter: &Document) {
    let parsed = Arc::new(Filter::parse(filter, &FilterScope::default()).unwrap());
    let raw: Vec<DocumentBuf> = documents.iter().map(DocumentBuf::from).collect();
    let matching = raw.iter().map(DocumentBuf::as_ref);
    let matching = matching.filter(|document| parsed.matches(*document).unwrap());
    for field in ["a", "_id", "other"] {
        let expected = distinct_values(matching.clone(), field, None);
        let found = distinct(collection, FindSpec::new(parsed.clone()), field)
            .await
            .unwrap();
        // Which of two equal numbers is given is left open.
        let same = |(left, right): (&Value, &Value)| {
            value::compare(left.as_ref(), right.as_ref()) == std::cmp::Ordering::Equal
        };
        assert!(
            found.len() == expected.len() && found.iter().zip(&expected).all(same),
            "{field} of {filter:?}: {found:?} for {expected:?}"
        );
    }
}

#[tokio::test]
async fn values_of_an_index_are_those_of_the_documents() {
    for seed in seeds(12) {
        let mut numbers = Random::new(seed);
        let (_store, collection) = new_collection().await;
        let direction = if numbers.below(2) == 0 { 1 } else { -1 };
        match numbers.below(3) {
            0 => index(&collection, doc! {"a": direction}).await,
            1 => index(&collection, doc! {"a": direction, "other": 1}).await,
            _ => index(&collection, doc! {"other": direction, "a": 1}).await,
        }
        let count = numbers.below(900);
        let mut all = insert_all(&collection, &documents(&mut numbers, count)).await;
        for filter in [
            doc! {},
            doc! {"a": {"$gt": 3}},
            doc! {"other": 1},
            doc! {"a": {"$in": [1, "text 2", 7]}},
        ] {
            compare(&collection, &all, &filter).await;
        }
        // With an array the index has several keys for one document.
        let array = doc! {"_id": -1, "a": [1, 99, "text"], "other": 1};
        all.extend(insert_all(&collection, &[array]).await);
        compare(&collection, &all, &doc! {}).await;
        compare(&collection, &all, &doc! {"a": {"$gt": 3}}).await;
    }
}

#[tokio::test]
async fn few_values_of_many_documents_take_few_keys() {
    let (_store, collection) = new_collection().await;
    index(&collection, doc! {"a": 1}).await;
    let all: Vec<Document> = (0..3000)
        .map(|number| doc! {"_id": number, "a": number % 5})
        .collect();
    insert_all(&collection, &all).await;
    for filter in [doc! {}, doc! {"a": {"$gte": 0}}] {
        let filter = Arc::new(Filter::parse(&filter, &FilterScope::default()).unwrap());
        let metrics = Arc::new(Metrics::default());
        let interruption = Interruption {
            metrics: Some(metrics.clone()),
            ..Interruption::default()
        };
        let found = distinct(&collection, FindSpec::new(filter), "a");
        assert_eq!(interruption.run(found).await.unwrap().len(), 5);
        assert!(metrics.keys_examined() < 100, "{metrics:?}");
        assert_eq!(metrics.documents_examined(), 0);
    }
}
