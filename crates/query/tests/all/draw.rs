//! Random documents.

use crate::support::{insert_all, new_collection};
use language::filter::Filter;
use query::execute::{FindSpec, draw};
use std::collections::HashSet;
use std::sync::Arc;
use store::{Collection, CommitOptions, Present, Target, Transformed, WriteOp};
use value::{Document, Value, doc};

const COUNT: i32 = 4_000;

async fn drawn(collection: &Collection, size: u64) -> Option<Vec<i32>> {
    let spec = FindSpec::new(Arc::new(Filter::empty()));
    let documents = draw(collection, &spec, size).await.expect("documents");
    documents.map(|documents| {
        let id = |document: Document| match document.get("_id") {
            Some(Value::Int32(id)) => *id,
            other => panic!("{other:?} is no id"),
        };
        documents
            .iter()
            .map(|document| id(document.to_document()))
            .collect()
    })
}

async fn delete(collection: &Arc<Collection>, ids: impl Iterator<Item = i32>) {
    let one = |id| {
        let gone = |_: Option<Present<'_>>| Ok(Transformed::Delete);
        WriteOp::modify(Target::Id(Value::Int32(id)), gone)
    };
    let options = CommitOptions::default();
    collection
        .commit(ids.map(one).collect(), options)
        .await
        .expect("deletes");
}

#[tokio::test]
async fn few_of_many_are_drawn_each_once_and_from_all_parts() {
    let (_store, collection) = new_collection().await;
    let all: Vec<Document> = (0..COUNT).map(|id| doc! {"_id": id}).collect();
    insert_all(&collection, &all).await;
    // Numbers without a record are passed.
    delete(&collection, (0..COUNT).filter(|id| id % 4 == 0)).await;
    let ids = drawn(&collection, 120).await.expect("few of many");
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 120);
    assert!(ids.iter().all(|id| id % 4 != 0 && (0..COUNT).contains(id)));
    // With 120 of 3,000, a quarter without one has a chance of 1 in 10^15.
    for quarter in 0..4 {
        let within = quarter * COUNT / 4..(quarter + 1) * COUNT / 4;
        assert!(ids.iter().any(|id| within.contains(id)), "{within:?}: {ids:?}");
    }
    assert!(!ids.is_sorted());
    assert_ne!(ids, drawn(&collection, 120).await.expect("others"));
}

#[tokio::test]
async fn all_are_to_be_read_for_many_of_few() {
    let (_store, collection) = new_collection().await;
    assert_eq!(drawn(&collection, 1).await, None);
    let some: Vec<Document> = (0..2_000).map(|id| doc! {"_id": id}).collect();
    insert_all(&collection, &some).await;
    assert_eq!(drawn(&collection, 101).await, None);
    assert_eq!(drawn(&collection, 100).await.map(|ids| ids.len()), Some(100));
    // Few records among many numbers.
    delete(&collection, 1..1_850).await;
    assert_eq!(drawn(&collection, 2).await, None);
}
