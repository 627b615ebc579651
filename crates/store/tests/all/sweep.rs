//! The sweep removes what has expired.

use crate::support::*;
use kv::Kv;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::{CommitOptions, IndexSpec, Sequence, StatementId, Store, StoreOptions, sweep};
use value::{Document, Value, doc};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

async fn store_at(clock_ms: u64) -> (Store, Arc<AtomicU64>) {
    let clock = Arc::new(AtomicU64::new(clock_ms));
    let read = clock.clone();
    let options = StoreOptions {
        clock: Arc::new(move || read.load(Ordering::Relaxed)),
        ..options()
    };
    (
        Store::open(Kv::simulated(&kv::Simulation::new(1)), options)
            .await
            .unwrap(),
        clock,
    )
}

fn dated(id: i32, at: Value) -> Document {
    Document::from([("_id", Value::Int32(id)), ("at", at)])
}

#[tokio::test]
async fn documents_go_once_their_date_is_past() {
    for direction in [1, -1] {
        let (store, collection) = new_collection().await;
        let ttl = IndexSpec {
            expire_after_seconds: Some(10),
            ..IndexSpec::new("at", doc! {"at": direction})
        };
        collection.create_indexes(vec![ttl]).await.unwrap();
        let dates = [
            Value::DateTime(-5),
            Value::DateTime(1_000),
            Value::DateTime(100_000),
            Value::Array(vec![Value::DateTime(90_000), Value::DateTime(500)]),
            Value::String("1970".to_owned()),
            Value::Null,
        ];
        for (id, date) in (0..).zip(dates) {
            one(&collection, insert_op(dated(id, date))).await.unwrap();
        }
        assert_eq!(sweep::run_once(&store, 11_000).await.unwrap().documents, 3);
        let left: Vec<_> = all(&collection)
            .await
            .iter()
            .map(|d| d.get("_id").cloned().unwrap())
            .collect();
        assert_eq!(left, value::array![2, 4, 5]);
        assert!(collection.validate(true).await.unwrap().is_valid());
    }
}

#[tokio::test]
async fn more_documents_than_one_page_go_in_one_sweep() {
    let (store, collection) = new_collection().await;
    let ttl = IndexSpec {
        expire_after_seconds: Some(0),
        ..IndexSpec::new("at", doc! {"at": 1})
    };
    collection.create_indexes(vec![ttl]).await.unwrap();
    run(
        &collection,
        (0..3000)
            .map(|n| insert_op(dated(n, Value::DateTime(i64::from(n)))))
            .collect(),
    )
    .await;
    assert_eq!(sweep::run_once(&store, 10_000).await.unwrap().documents, 3000);
    assert_eq!(collection.stats().count, 0);
}

#[tokio::test]
async fn statements_of_idle_sessions_are_forgotten() {
    let (store, _clock) = store_at(DAY_MS).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    let statement = StatementId {
        session: [1; 32],
        number: 1,
        statement: 0,
    };
    let options = CommitOptions {
        statements: vec![Some(statement)],
        ..CommitOptions::default()
    };
    collection.commit(numbered(1), options).await.unwrap();
    assert_eq!(
        sweep::run_once(&store, DAY_MS as i64 + 60_000)
            .await
            .unwrap()
            .sessions,
        0
    );
    assert!(collection.executed(&statement).await.unwrap().is_some());
    assert_eq!(
        sweep::run_once(&store, DAY_MS as i64 * 2).await.unwrap().sessions,
        1
    );
    assert!(collection.executed(&statement).await.unwrap().is_none());
}

#[tokio::test]
async fn tombstones_are_forgotten_after_their_time() {
    let (store, clock) = store_at(DAY_MS).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(3)).await;
    one(&collection, delete_op(0)).await.unwrap();
    clock.store(DAY_MS * 20, Ordering::Relaxed);
    one(&collection, delete_op(1)).await.unwrap();
    assert_eq!(
        sweep::run_once(&store, DAY_MS as i64 * 32)
            .await
            .unwrap()
            .tombstones,
        1
    );
    assert_eq!(collection.stats().deleted, 1);
    assert_eq!(collection.changes(&Sequence::START, 10).await.unwrap().len(), 2);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

async fn collection_with(options: Document) -> (Store, Arc<store::Collection>) {
    let store = new_store().await;
    let options = store::CollectionOptions {
        kept: options,
        ..store::CollectionOptions::default()
    };
    let collection = store.create(&ns(), options).await.unwrap();
    (store, collection)
}

#[tokio::test]
async fn a_time_series_loses_its_oldest_documents() {
    let options = doc! {"timeseries": {"timeField": "at"}, "expireAfterSeconds": 10_i64};
    let (store, collection) = collection_with(options).await;
    let dates = (0..3000).map(|n| insert_op(dated(n, Value::DateTime(i64::from(n) * 100))));
    run(&collection, dates.collect()).await;
    assert_eq!(sweep::run_once(&store, 210_000).await.unwrap().documents, 2001);
    assert_eq!(collection.stats().count, 999);
}

#[tokio::test]
async fn a_clustered_collection_goes_by_the_dates_in_its_ids() {
    let options = doc! {"clusteredIndex": {"key": {"_id": 1}, "unique": true}, "expireAfterSeconds": 10_i64};
    let (store, collection) = collection_with(options).await;
    let ids = [
        Value::DateTime(1_000),
        Value::DateTime(2_000),
        Value::from("1970"),
    ];
    let documents = ids.map(|id| insert_op(doc! {"_id": id}));
    run(&collection, documents.into()).await;
    assert_eq!(sweep::run_once(&store, 11_500).await.unwrap().documents, 1);
    assert_eq!(collection.stats().count, 2);
}
