//! The catalog: creating, dropping and renaming collections, also across a restart.

use crate::support::*;
use kv::{ShardId, Simulation};
use store::{
    CappedOptions, CollectionOptions, IndexSpec, IndexState, KeyRange, Namespace, Order, PageLimit, Store,
    StoreError,
};
use value::doc;

async fn reopen(store: Store, simulation: &Simulation) -> Store {
    store.close().await.unwrap();
    drop(store);
    open(simulation).await
}

#[tokio::test]
async fn collections_options_and_indexes_are_there_after_a_restart() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let options = CollectionOptions {
        capped: Some(CappedOptions {
            size_bytes: 4096,
            documents_max: Some(7),
        }),
        kept: doc! {"validator": {"a": {"$gt": 1}}, "comment": "kept"},
        properties: doc! {"revisionsKept": 1000i64},
    };
    let collection = store.create(&ns(), options.clone()).await.unwrap();
    let spec = IndexSpec {
        unique: true,
        expire_after_seconds: Some(60),
        partial_filter: Some(doc! {"b": 1}),
        kept: doc! {"v": 2, "background": true},
        ..IndexSpec::new("a_-1", doc! {"a": -1})
    };
    collection.create_indexes(vec![spec.clone()]).await.unwrap();
    run(&collection, vec![insert_op(doc! {"_id": 1, "a": [1, 2], "b": 1})]).await;
    let (uuid, stats) = (collection.uuid(), collection.stats());
    let store = reopen(store, &simulation).await;
    let collection = store.collection(&ns()).unwrap();
    assert_eq!((collection.uuid(), collection.stats()), (uuid, stats));
    assert_eq!(*collection.options(), options);
    let index = collection.indexes()[1].clone();
    assert_eq!(
        (index.spec(), index.state(), index.is_multikey()),
        (&spec, IndexState::Ready, true)
    );
}

#[tokio::test]
async fn a_name_is_taken_once() {
    let (store, _) = new_collection().await;
    let again = store.create(&ns(), CollectionOptions::default()).await;
    assert!(matches!(again, Err(StoreError::NamespaceExists(_))));
    assert!(
        store
            .create(&Namespace::new("db", ""), CollectionOptions::default())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_collection_whose_flush_found_no_room_is_known_in_memory_too() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    store.create(&ns(), CollectionOptions::default()).await.unwrap();
    simulation.fill_at_next_flush();
    assert!(store.drop_collection(&ns()).await.unwrap());
    assert!(store.collection(&ns()).is_none());
    let other = Namespace::new("db", "other");
    store.create(&other, CollectionOptions::default()).await.unwrap();
    let store = reopen(store, &simulation).await;
    assert!(store.collection(&ns()).is_none());
    assert!(store.collection(&other).is_some());
}

#[tokio::test]
async fn a_store_opens_although_there_is_no_room_to_finish_a_drop() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(10)).await;
    // After the commit and its flush.
    simulation.crash_at_step(simulation.steps() + 3);
    let _ = store.drop_collection(&ns()).await;
    drop(store);
    simulation.fill_at_next_write();
    let store = open(&simulation).await;
    assert!(store.collection(&ns()).is_none());
    let store = reopen(store, &simulation).await;
    store.create(&ns(), CollectionOptions::default()).await.unwrap();
    assert!(all(&store.collection(&ns()).unwrap()).await.is_empty());
}

#[tokio::test]
async fn a_drop_that_a_full_disk_ended_is_finished_by_a_sweep() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(10)).await;
    let marks = async || {
        let snapshot = store.kv().snapshot(ShardId(0)).await.unwrap();
        let range = KeyRange::prefix(&[0x20]);
        let page = snapshot.page(&range, Order::Forward, PageLimit::default()).await;
        page.unwrap().len()
    };
    // After the flush of the catalog.
    simulation.fill_at_flush_after(1);
    assert!(store.drop_collection(&ns()).await.unwrap());
    assert_eq!(marks().await, 1);
    store::sweep::run_once(&store, 0).await.unwrap();
    assert_eq!(marks().await, 0);
}

#[tokio::test]
async fn an_index_whose_drop_found_no_room_has_all_its_entries_after_a_restart() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(10)).await;
    let create = async |name: &str| {
        let spec = IndexSpec::new(name, doc! {name: 1});
        collection.create_indexes(vec![spec]).await.unwrap();
    };
    create("a").await;
    simulation.fill_at_next_write();
    collection.drop_index("a").await.unwrap_err();
    // Writes what is known of the collection.
    create("b").await;
    let store = reopen(store, &simulation).await;
    let collection = store.collection(&ns()).unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
}

#[tokio::test]
async fn databases_and_collections_are_listed_in_order() {
    let store = new_store().await;
    for (database, collection) in [("b", "y"), ("a", "z"), ("b", "x"), ("ab", "w")] {
        store
            .create_if_missing(&Namespace::new(database, collection))
            .await
            .unwrap();
    }
    assert_eq!(store.databases(), ["a", "ab", "b"]);
    let names: Vec<_> = store
        .collections("b")
        .iter()
        .map(|c| c.namespace().to_string())
        .collect();
    assert_eq!(names, ["b.x", "b.y"]);
    assert_eq!(store.drop_database("b").await.unwrap(), 2);
    assert_eq!(store.databases(), ["a", "ab"]);
}

#[tokio::test]
async fn a_dropped_collection_is_gone_and_refuses_writes() {
    let (store, collection) = new_collection().await;
    run(&collection, numbered(3)).await;
    assert!(store.drop_collection(&ns()).await.unwrap());
    assert!(!store.drop_collection(&ns()).await.unwrap());
    let refused = collection
        .commit(numbered(1), store::CommitOptions::default())
        .await;
    assert!(matches!(refused, Err(StoreError::CollectionDropped(_))));
    let new = store.create_if_missing(&ns()).await.unwrap();
    assert_eq!((new.stats().count, all(&new).await.len()), (0, 0));
}

#[tokio::test]
async fn a_renamed_collection_keeps_all_it_has() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(3)).await;
    let (to, missing) = (Namespace::new("other", "new.name"), Namespace::new("no", "such"));
    assert!(matches!(
        store.rename(&missing, &to, false).await,
        Err(StoreError::NamespaceNotFound(_))
    ));
    store.rename(&ns(), &to, false).await.unwrap();
    assert_eq!(collection.namespace(), to);
    let taken = store.create_if_missing(&ns()).await.unwrap();
    run(&taken, numbered(1)).await;
    assert!(matches!(
        store.rename(&to, &ns(), false).await,
        Err(StoreError::NamespaceExists(_))
    ));
    store.rename(&to, &ns(), true).await.unwrap();
    assert!(taken.is_dropped());
    let store = reopen(store, &simulation).await;
    assert_eq!(store.collection(&ns()).unwrap().stats().count, 3);
    assert!(store.collection(&to).is_none());
}

#[tokio::test]
async fn a_view_holds_no_documents() {
    let store = new_store().await;
    let options = CollectionOptions {
        kept: doc! {"viewOn": "coll", "pipeline": []},
        ..CollectionOptions::default()
    };
    let view = store.create(&ns(), options).await.unwrap();
    assert!(view.is_view());
    assert!(matches!(
        view.commit(numbered(1), store::CommitOptions::default()).await,
        Err(StoreError::IsView(_))
    ));
    assert!(matches!(view.snapshot().await, Err(StoreError::IsView(_))));
}

#[tokio::test]
async fn the_changeable_options_of_an_index_change() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(3)).await;
    collection
        .create_indexes(vec![IndexSpec::new("a_1", doc! {"a": 1})])
        .await
        .unwrap();
    store
        .modify_index(&ns(), "a_1", |spec| spec.hidden = true)
        .await
        .unwrap();
    assert!(collection.indexes()[1].spec().hidden);
    let unknown = store.modify_index(&ns(), "b_1", |_| ()).await;
    assert!(matches!(unknown, Err(StoreError::IndexNotFound(_))));
    let store = reopen(store, &simulation).await;
    let collection = store.collection(&ns()).unwrap();
    assert!(collection.indexes()[1].spec().hidden);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn an_index_is_listed_with_its_options() {
    let spec = IndexSpec {
        sparse: true,
        expire_after_seconds: Some(10),
        kept: doc! {"v": 2, "comment": "x"},
        ..IndexSpec::new("a_1", doc! {"a": 1})
    };
    let expected = doc! {"v": 2, "key": {"a": 1}, "name": "a_1", "sparse": true, "expireAfterSeconds": 10, "comment": "x"};
    assert_eq!(spec.to_document(), expected);
}
