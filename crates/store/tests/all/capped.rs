//! Capped collections.

use crate::support::*;
use std::sync::Arc;
use store::{CappedOptions, Collection, CollectionOptions, IndexSpec, Store};
use value::doc;

async fn capped(size_bytes: u64, documents_max: Option<u64>) -> (Store, Arc<Collection>) {
    let store = new_store().await;
    let capped = Some(CappedOptions {
        size_bytes,
        documents_max,
    });
    let collection = store
        .create(
            &ns(),
            CollectionOptions {
                capped,
                ..CollectionOptions::default()
            },
        )
        .await
        .unwrap();
    (store, collection)
}

fn ids(documents: &[value::Document]) -> Vec<value::Value> {
    documents
        .iter()
        .filter_map(|document| document.get("_id").cloned())
        .collect()
}

#[tokio::test]
async fn the_oldest_go_once_there_are_too_many() {
    let (_store, collection) = capped(1 << 20, Some(3)).await;
    for operation in numbered(10) {
        one(&collection, operation).await.unwrap();
    }
    assert_eq!(ids(&all(&collection).await), value::array![7, 8, 9]);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn the_oldest_go_once_they_are_too_large() {
    let (_store, collection) = capped(1000, None).await;
    collection
        .create_indexes(vec![IndexSpec::new("a_1", doc! {"a": 1})])
        .await
        .unwrap();
    for operation in numbered(100) {
        one(&collection, operation).await.unwrap();
    }
    let stats = collection.stats();
    assert!(stats.data_bytes <= 1000 && stats.data_bytes > 900, "{stats:?}");
    assert_eq!(ids(&all(&collection).await).last(), Some(&99.into()));
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn one_batch_may_roll_over_more_than_all() {
    let (_store, collection) = capped(1 << 20, Some(4)).await;
    run(&collection, numbered(3)).await;
    run(
        &collection,
        (10..30).map(|n| insert_op(doc! {"_id": n})).collect(),
    )
    .await;
    assert_eq!(ids(&all(&collection).await), value::array![26, 27, 28, 29]);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn a_document_larger_than_the_collection_is_alone_until_the_next_comes() {
    let (_store, collection) = capped(100, None).await;
    let large = |id: i32| insert_op(doc! {"_id": id, "text": "x".repeat(200)});
    one(&collection, insert_op(doc! {"_id": 0})).await.unwrap();
    one(&collection, large(1)).await.unwrap();
    assert_eq!(ids(&all(&collection).await), value::array![1]);
    run(&collection, vec![large(2), large(3)]).await;
    assert_eq!(ids(&all(&collection).await), value::array![3]);
    one(&collection, insert_op(doc! {"_id": 4})).await.unwrap();
    assert_eq!(ids(&all(&collection).await), value::array![4]);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn a_collection_that_becomes_capped_is_cut_to_size_by_the_next_insert() {
    let (store, collection) = new_collection().await;
    run(&collection, numbered(1000)).await;
    let limits = CappedOptions {
        size_bytes: 1 << 20,
        documents_max: Some(10),
    };
    let change = move |options: &mut CollectionOptions| {
        options.capped = Some(limits);
        Ok(())
    };
    store.modify(&ns(), change).await.unwrap();
    one(&collection, insert_op(doc! {"_id": 1000})).await.unwrap();
    let kept: Vec<value::Value> = (991..=1000).map(value::Value::from).collect();
    assert_eq!(ids(&all(&collection).await), kept);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn no_commit_becomes_very_large_by_what_it_evicts() {
    let (store, collection) = new_collection().await;
    collection
        .create_indexes(vec![IndexSpec::new("text_1", doc! {"text": 1})])
        .await
        .unwrap();
    for id in 0..40 {
        let text = "x".repeat(1 << 20);
        one(&collection, insert_op(doc! {"_id": id, "text": text}))
            .await
            .unwrap();
    }
    let limits = CappedOptions {
        size_bytes: 1 << 30,
        documents_max: Some(2),
    };
    let change = move |options: &mut CollectionOptions| {
        options.capped = Some(limits);
        Ok(())
    };
    store.modify(&ns(), change).await.unwrap();
    for (id, left) in [(40, 3..20), (41, 2..3)] {
        one(&collection, insert_op(doc! {"_id": id})).await.unwrap();
        let count = collection.stats().count;
        assert!(left.contains(&count), "{count}");
    }
    assert_eq!(ids(&all(&collection).await), value::array![40, 41]);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn a_collection_that_becomes_capped_is_trimmed_page_by_page() {
    let (store, collection) = new_collection().await;
    collection
        .create_indexes(vec![IndexSpec::new("a_1", doc! {"a": 1})])
        .await
        .unwrap();
    run(&collection, numbered(1000)).await;
    let limits = CappedOptions {
        size_bytes: 1 << 20,
        documents_max: Some(10),
    };
    let change = move |options: &mut CollectionOptions| {
        options.capped = Some(limits);
        Ok(())
    };
    store.modify(&ns(), change).await.unwrap();
    collection.trim().await.unwrap();
    let kept: Vec<value::Value> = (990..1000).map(value::Value::from).collect();
    assert_eq!(ids(&all(&collection).await), kept);
    assert!(collection.validate(true).await.unwrap().is_valid());
    collection.trim().await.unwrap();
    assert_eq!(collection.stats().count, 10);
}
