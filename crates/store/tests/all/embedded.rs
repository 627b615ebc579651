//! The store on the embedded engine: what it has after a restart.

use crate::support::*;
use kv::{Kv, OpenOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::{
    CollectionOptions, CommitOptions, DocumentPage, Durability, IndexSpec, IndexState, KeyRange, Namespace,
    Order, PageLimit, Sequence, Store,
};
use value::doc;

const MEMORY_BYTES: usize = 16 << 20;

async fn open(folder: &Path) -> Store {
    let kv = Kv::open(&OpenOptions {
        folder: folder.to_path_buf(),
        memory_bytes: MEMORY_BYTES,
    })
    .unwrap();
    Store::open(kv, options()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn all_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    collection
        .create_indexes(vec![IndexSpec::new("a_-1", doc! {"a": -1})])
        .await
        .unwrap();
    run(&collection, numbered(3_000)).await;
    run(&collection, (0..100).map(|n| delete_op(n * 3)).collect()).await;
    let soon = CommitOptions {
        durability: Durability::Soon,
        ..CommitOptions::default()
    };
    collection
        .commit(vec![put_op(1, doc! {"_id": 1, "a": "changed"})], soon)
        .await
        .unwrap();
    let (documents, stats) = (all(&collection).await, collection.stats());
    store.close().await.unwrap();
    drop((store, collection));
    let store = open(folder.path()).await;
    let collection = store.collection(&ns()).unwrap();
    assert_eq!((all(&collection).await, collection.stats()), (documents, stats));
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
    assert_eq!(
        collection.changes(&Sequence::START, 10_000).await.unwrap().len(),
        3_000
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_read_ahead_is_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(3_000)).await;
    // Large enough that no page of the scan stays in memory.
    let text = "x".repeat(MEMORY_BYTES / 1_000);
    let long = |n: i32| put_op(n, doc! {"_id": n, "text": text.as_str()});
    run(&collection, (0..1_000).map(long).collect()).await;
    let snapshot = collection.snapshot().await.unwrap();
    let limit = PageLimit::default();
    let read = |after| snapshot.document_page(after, Order::Forward, limit);
    let first = read(None).await.unwrap();
    let last = first.id(first.len() - 1);
    let Some(ahead) = snapshot.read_ahead(last) else {
        // A single processor has nothing to read ahead with.
        assert_eq!(std::thread::available_parallelism().unwrap().get(), 1);
        return;
    };
    let (ahead, next) = (
        ahead.page(Some(last), &snapshot).await,
        read(Some(last)).await.unwrap(),
    );
    let ahead = ahead.expect("the page of this snapshot").unwrap();
    let documents = |page: &DocumentPage| (0..page.len()).map(|at| page.document(at)).collect::<Vec<_>>();
    assert!(!next.is_empty());
    assert_eq!(documents(&ahead), documents(&next));

    // Of another snapshot, or of another place, it is read again.
    run(&collection, vec![delete_op(2_999)]).await;
    let later = collection.snapshot().await.unwrap();
    let ahead = snapshot.read_ahead(last).expect("the thread is idle again");
    assert!(ahead.page(Some(last), &later).await.is_none());
    let ahead = snapshot.read_ahead(last).expect("the thread is idle again");
    assert!(ahead.page(None, &snapshot).await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_builds_and_drops_at_once_leave_all_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(5_000)).await;
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let collection = collection.clone();
            tokio::spawn(async move {
                for n in 0..200 {
                    let id = n * 8 + writer;
                    let operations = vec![
                        insert_op(doc! {"_id": 10_000 + id, "a": [id, -id]}),
                        put_op(id, doc! {"_id": id, "a": "changed"}),
                        delete_op(4_999 - id),
                    ];
                    run(&collection, operations).await;
                }
            })
        })
        .collect();
    for n in 0..3 {
        let spec = IndexSpec::new(format!("a_{n}"), doc! {"a": 1, (format!("x{n}")): 1});
        collection.create_indexes(vec![spec]).await.unwrap();
        let other = Namespace::new("db", "other");
        run(&store.create_if_missing(&other).await.unwrap(), numbered(50)).await;
        assert!(store.drop_collection(&other).await.unwrap());
    }
    collection.drop_index("a_1").await.unwrap();
    for writer in writers {
        writer.await.unwrap();
    }
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
    assert!(
        collection
            .indexes()
            .iter()
            .all(|index| index.state() == IndexState::Ready)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_that_ends_before_it_begins_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(10)).await;
    let snapshot = Arc::new(collection.snapshot().await.unwrap());
    let mut keys = Vec::new();
    for entry in snapshot
        .entries(
            &collection.indexes()[0],
            &ALL,
            Order::Forward,
            PageLimit::default(),
        )
        .await
        .unwrap()
        .iter()
    {
        keys.push(entry.key.to_vec());
    }
    let (low, high) = (
        std::ops::Bound::Included(keys[7].clone()),
        std::ops::Bound::Included(keys[2].clone()),
    );
    for order in [Order::Forward, Order::Backward] {
        let range = KeyRange {
            low: low.clone(),
            high: high.clone(),
        };
        let page = snapshot
            .entries(&collection.indexes()[0], &range, order, PageLimit::default())
            .await
            .unwrap();
        assert!(page.is_empty() && page.exhausted());
    }
}

const ALL: KeyRange = KeyRange {
    low: std::ops::Bound::Unbounded,
    high: std::ops::Bound::Unbounded,
};

#[tokio::test]
async fn a_change_of_the_catalog_comes_to_its_end_though_its_caller_goes_away() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    for round in 0..100u64 {
        let (made, name) = (
            Namespace::new("db", format!("made{round}")),
            format!("index{round}"),
        );
        let limit = Duration::from_micros(50 * (round % 40));
        let _ = tokio::time::timeout(limit, store.create(&made, CollectionOptions::default())).await;
        let collection = store.create_if_missing(&ns()).await.unwrap();
        let mut key = doc! {"a": 1};
        key.set(&name, 1);
        let spec = IndexSpec::new(&name, key);
        let _ = tokio::time::timeout(limit, collection.create_indexes(vec![spec])).await;
        let _ = tokio::time::timeout(limit, store.drop_collection(&ns())).await;
    }
    let last = Namespace::new("db", "last");
    store.create(&last, CollectionOptions::default()).await.unwrap();
    let names = |store: &Store| {
        let all = store.collections("db").into_iter();
        all.map(|one| (one.namespace(), one.indexes().len()))
            .collect::<Vec<_>>()
    };
    let before = names(&store);
    store.close().await.unwrap();
    drop(store);
    assert_eq!(names(&open(folder.path()).await), before);
}
