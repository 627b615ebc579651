//! Indexes: their entries, their rules, their building.

use crate::support::*;
use code::Code;
use std::ops::Bound;
use std::time::Duration;
use store::{
    CLEAR_PAGE_ENTRIES, Collection, IndexEntry, IndexSpec, IndexState, KeyRange, Order, PageLimit, RecordId,
    StoreError,
};
use value::key::hash_of_value;
use value::key::{self, Direction};
use value::{Document, Value, ValueRef, array, doc};

/// The decoded keys of an index with their record ids, read in pages of two.
async fn entries(
    collection: &Collection,
    name: &str,
    range: &KeyRange,
    order: Order,
) -> Vec<(Vec<Value>, RecordId)> {
    let index = collection
        .indexes()
        .into_iter()
        .find(|index| index.spec().name == name)
        .unwrap();
    let (mut range, mut found) = (range.clone(), Vec::new());
    let decode = |entry: IndexEntry<'_>| {
        let (mut key, mut bits) = (entry.key, entry.bits);
        let values = index
            .directions()
            .map(|direction| key::decode(&mut key, &mut bits, direction).unwrap());
        (values.collect(), entry.record)
    };
    loop {
        let snapshot = collection.snapshot().await.unwrap();
        let limit = PageLimit {
            entries: 2,
            bytes: 1 << 20,
        };
        let page = snapshot.entries(&index, &range, order, limit).await.unwrap();
        found.extend(page.iter().map(decode));
        if page.exhausted() {
            return found;
        }
        range.begin_after(page.last_position().unwrap(), order);
    }
}

const ALL: KeyRange = KeyRange {
    low: Bound::Unbounded,
    high: Bound::Unbounded,
};

async fn keys_of(collection: &Collection, name: &str) -> Vec<Vec<Value>> {
    entries(collection, name, &ALL, Order::Forward)
        .await
        .into_iter()
        .map(|(key, _)| key)
        .collect()
}

fn encoded(value: impl Into<Value>) -> Vec<u8> {
    let mut key = Vec::new();
    key::encode(value.into().as_ref(), Direction::Ascending, &mut key);
    key
}

async fn with_index(spec: IndexSpec, documents: Vec<Document>) -> std::sync::Arc<Collection> {
    let (_store, collection) = new_collection().await;
    collection.create_indexes(vec![spec]).await.unwrap();
    for document in documents {
        one(&collection, insert_op(document)).await.unwrap();
    }
    // The catalog must outlive the collection only for changes of indexes.
    std::mem::forget(_store);
    collection
}

#[tokio::test]
async fn entries_come_in_the_order_of_values_both_ways() {
    let documents = [3, 1, 2, 1]
        .into_iter()
        .enumerate()
        .map(|(n, a)| doc! {"_id": n as i32, "a": a})
        .collect();
    let collection = with_index(IndexSpec::new("a_1", doc! {"a": 1}), documents).await;
    let forward = entries(&collection, "a_1", &ALL, Order::Forward).await;
    let values: Vec<_> = forward.iter().map(|(key, _)| key[0].clone()).collect();
    assert_eq!(values, array![1, 1, 2, 3]);
    assert!(forward[0].1 < forward[1].1, "equal keys are in natural order");
    let mut backward = entries(&collection, "a_1", &ALL, Order::Backward).await;
    backward.reverse();
    assert_eq!(forward, backward);
}

#[tokio::test]
async fn bounds_are_prefixes_and_mean_all_that_begin_with_them() {
    let documents = (0..9).map(|n| doc! {"_id": n, "a": n / 3, "b": n % 3}).collect();
    let collection = with_index(IndexSpec::new("ab", doc! {"a": 1, "b": -1}), documents).await;
    let count = async |low, high| {
        entries(&collection, "ab", &KeyRange { low, high }, Order::Forward)
            .await
            .len()
    };
    let one = || encoded(1);
    assert_eq!(count(Bound::Included(one()), Bound::Included(one())).await, 3);
    assert_eq!(count(Bound::Excluded(one()), Bound::Unbounded).await, 3);
    assert_eq!(count(Bound::Included(one()), Bound::Unbounded).await, 6);
    assert_eq!(count(Bound::Unbounded, Bound::Excluded(one())).await, 3);
    assert_eq!(count(Bound::Unbounded, Bound::Included(one())).await, 6);
    assert_eq!(count(Bound::Excluded(one()), Bound::Excluded(one())).await, 0);
    assert_eq!(
        count(Bound::Included(encoded(2)), Bound::Included(encoded(0))).await,
        0
    );
}

#[tokio::test]
async fn a_compound_index_with_a_descending_field_sorts_by_both() {
    let documents = (0..4).map(|n| doc! {"_id": n, "a": n / 2, "b": n % 2}).collect();
    let collection = with_index(IndexSpec::new("ab", doc! {"a": 1, "b": -1}), documents).await;
    let expected = [array![0, 1], array![0, 0], array![1, 1], array![1, 0]];
    assert_eq!(keys_of(&collection, "ab").await, expected);
}

#[tokio::test]
async fn an_array_has_an_entry_for_each_element_and_makes_the_index_multikey() {
    let collection = with_index(
        IndexSpec::new("a_1", doc! {"a.b": 1}),
        vec![doc! {"_id": 0, "a": {"b": 7}}],
    )
    .await;
    let index = collection.indexes()[1].clone();
    assert!(!index.is_multikey());
    one(
        &collection,
        insert_op(doc! {"_id": 1, "a": [{"b": 1}, {"b": 2}, {"b": 1}]}),
    )
    .await
    .unwrap();
    assert_eq!(
        keys_of(&collection, "a_1").await,
        [array![1], array![2], array![7]]
    );
    assert_eq!(index.multikey_paths(), [true]);
}

#[tokio::test]
async fn changing_and_deleting_documents_changes_their_entries() {
    let collection = with_index(
        IndexSpec::new("a_1", doc! {"a": 1}),
        vec![doc! {"_id": 0, "a": [1, 2]}],
    )
    .await;
    one(&collection, put_op(0, doc! {"_id": 0, "a": [2, 3]}))
        .await
        .unwrap();
    assert_eq!(keys_of(&collection, "a_1").await, [array![2], array![3]]);
    one(&collection, put_op(0, doc! {"_id": 0, "a": [2.0, 3]}))
        .await
        .unwrap();
    assert_eq!(keys_of(&collection, "a_1").await, [array![2.0], array![3]]);
    one(&collection, delete_op(0)).await.unwrap();
    assert!(keys_of(&collection, "a_1").await.is_empty());
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn a_unique_key_is_taken_only_once() {
    let spec = IndexSpec {
        unique: true,
        ..IndexSpec::new("a_1_b_1", doc! {"a": 1, "b": 1})
    };
    let collection = with_index(spec, vec![doc! {"_id": 0, "a": "x"}]).await;
    let error = one(&collection, insert_op(doc! {"_id": 1, "a": "x"}))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "E11000 duplicate key error collection: db.coll index: a_1_b_1 dup key: { a: \"x\", b: null }"
    );
    one(&collection, insert_op(doc! {"_id": 1, "a": "y"}))
        .await
        .unwrap();
    let refused = one(&collection, put_op(1, doc! {"_id": 1, "a": "x"})).await;
    assert!(matches!(refused, Err(StoreError::DuplicateKey { .. })));
    one(&collection, delete_op(0)).await.unwrap();
    one(&collection, put_op(1, doc! {"_id": 1, "a": "x"}))
        .await
        .unwrap();
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn writers_at_once_cannot_both_take_a_unique_key() {
    let spec = IndexSpec {
        unique: true,
        ..IndexSpec::new("a_1", doc! {"a": 1})
    };
    let collection = with_index(spec, Vec::new()).await;
    let writers = (0..40).map(|n| {
        let collection = collection.clone();
        tokio::spawn(async move {
            one(&collection, insert_op(doc! {"_id": n, "a": n % 10}))
                .await
                .is_ok()
        })
    });
    let mut taken = 0;
    for writer in writers.collect::<Vec<_>>() {
        taken += u32::from(writer.await.unwrap());
    }
    assert_eq!((taken, collection.stats().count), (10, 10));
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn sparse_and_partial_indexes_leave_documents_out() {
    let (_store, collection) = new_collection().await;
    let sparse = IndexSpec {
        sparse: true,
        unique: true,
        ..IndexSpec::new("sparse", doc! {"a": 1})
    };
    let partial = IndexSpec {
        partial_filter: Some(doc! {"kind": "x"}),
        ..IndexSpec::new("partial", doc! {"b": 1})
    };
    collection.create_indexes(vec![sparse, partial]).await.unwrap();
    let documents = [
        doc! {"_id": 0},
        doc! {"_id": 1},
        doc! {"_id": 2, "a": null, "b": 5, "kind": "x"},
    ];
    run(&collection, documents.into_iter().map(insert_op).collect()).await;
    assert_eq!(keys_of(&collection, "sparse").await, [array![null]]);
    assert_eq!(keys_of(&collection, "partial").await, [array![5]]);
    one(&collection, put_op(2, doc! {"_id": 2, "b": 5, "kind": "y"}))
        .await
        .unwrap();
    assert!(keys_of(&collection, "partial").await.is_empty());
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn a_hashed_index_keeps_hashes_and_refuses_arrays() {
    let collection = with_index(
        IndexSpec::new("h", doc! {"a": "hashed", "b": 1}),
        vec![doc! {"_id": 0, "a": "text", "b": 2.5}],
    )
    .await;
    let hash = hash_of_value(ValueRef::String("text"));
    assert_eq!(keys_of(&collection, "h").await, [array![hash, 2.5]]);
    assert_eq!(
        hash_of_value(ValueRef::Int32(1)),
        hash_of_value(ValueRef::Double(1.0))
    );
    let refused = one(&collection, insert_op(doc! {"_id": 1, "a": [1]})).await;
    assert!(matches!(
        refused,
        Err(StoreError::CannotIndex { code, .. }) if code.number() == 16_766
    ));
}

#[tokio::test]
async fn parallel_arrays_are_refused() {
    let collection = with_index(IndexSpec::new("ab", doc! {"a": 1, "b": 1}), Vec::new()).await;
    let refused = one(&collection, insert_op(doc! {"_id": 1, "a": [1], "b": [2]})).await;
    assert!(matches!(
        refused,
        Err(StoreError::CannotIndex {
            code: Code::CANNOT_INDEX_PARALLEL_ARRAYS,
            ..
        })
    ));
    assert_eq!(collection.stats().count, 0);
}

#[tokio::test]
async fn an_index_on_documents_that_are_there_is_built() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(5000)).await;
    assert_eq!(
        collection
            .create_indexes(vec![IndexSpec::new("a_1", doc! {"a": -1})])
            .await
            .unwrap(),
        (1, 2)
    );
    assert_eq!(collection.indexes()[1].state(), IndexState::Ready);
    assert_eq!(collection.stats().index_entries, [(0, 5000), (1, 5000)]);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_during_a_build_are_in_the_index() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(4_500)).await;
    let builder = collection.clone();
    let build = tokio::spawn(async move {
        builder
            .create_indexes(vec![IndexSpec::new("a_1", doc! {"a": 1})])
            .await
            .unwrap()
    });
    for n in 0..60 {
        one(&collection, insert_op(doc! {"_id": 20_000 + n, "a": [n, -n]}))
            .await
            .unwrap();
        one(&collection, put_op(n * 7, doc! {"_id": n * 7, "a": "changed"}))
            .await
            .unwrap();
        one(&collection, delete_op(4_499 - n * 5)).await.unwrap();
    }
    build.await.unwrap();
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
    assert_eq!(report.index_entries.len(), 2);
}

#[tokio::test]
async fn a_build_that_meets_a_duplicate_fails_and_leaves_no_index() {
    let (_store, collection) = new_collection().await;
    run(
        &collection,
        vec![
            insert_op(doc! {"_id": 0, "a": 1}),
            insert_op(doc! {"_id": 1, "a": 1}),
        ],
    )
    .await;
    let unique = IndexSpec {
        unique: true,
        ..IndexSpec::new("a_1", doc! {"a": 1})
    };
    let failed = collection.create_indexes(vec![unique]).await;
    assert!(matches!(failed, Err(StoreError::DuplicateKey { .. })));
    assert_eq!(collection.indexes().len(), 1);
    one(&collection, insert_op(doc! {"_id": 2, "a": 1}))
        .await
        .unwrap();
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn the_same_index_again_is_nothing_new_and_others_conflict() {
    let (_store, collection) = new_collection().await;
    let spec = IndexSpec::new("a_1", doc! {"a": 1});
    let create = async |spec: IndexSpec| collection.create_indexes(vec![spec]).await;
    assert_eq!(create(spec.clone()).await.unwrap(), (1, 2));
    assert_eq!(create(spec.clone()).await.unwrap(), (2, 2));
    assert_eq!(
        create(IndexSpec::new("_id_", doc! {"_id": 1})).await.unwrap(),
        (2, 2)
    );
    let other_keys = create(IndexSpec::new("a_1", doc! {"b": 1})).await;
    assert!(matches!(other_keys, Err(StoreError::IndexKeySpecsConflict(_))));
    let other_name = create(IndexSpec::new("other", doc! {"a": 1})).await;
    assert!(
        matches!(&other_name, Err(StoreError::IndexOptionsConflict(message))
        if message == "Index already exists with a different name: a_1")
    );
    let other_options = create(IndexSpec {
        expire_after_seconds: Some(5),
        ..spec
    })
    .await;
    assert!(matches!(other_options, Err(StoreError::IndexOptionsConflict(_))));
}

#[tokio::test]
async fn a_dropped_index_is_gone_and_its_name_free() {
    let collection = with_index(
        IndexSpec::new("a_1", doc! {"a": 1}),
        vec![doc! {"_id": 0, "a": 1}],
    )
    .await;
    collection.drop_index("a_1").await.unwrap();
    assert!(matches!(
        collection.drop_index("a_1").await,
        Err(StoreError::IndexNotFound(_))
    ));
    assert!(collection.drop_index("_id_").await.is_err());
    collection
        .create_indexes(vec![IndexSpec::new("a_1", doc! {"a": -1})])
        .await
        .unwrap();
    assert_eq!(keys_of(&collection, "a_1").await, [array![1]]);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn all_entries_of_a_dropped_index_go_page_by_page() {
    let last = 2 * i32::try_from(CLEAR_PAGE_ENTRIES).unwrap() + 7;
    let documents = (0..last).map(|n| doc! {"_id": n, "a": -n}).collect();
    let collection = with_index(IndexSpec::new("a_1", doc! {"a": 1}), documents).await;
    let index = collection.indexes().pop().unwrap();
    collection.drop_index("a_1").await.unwrap();
    let gone = async {
        loop {
            let snapshot = collection.snapshot().await.unwrap();
            let page = snapshot.entries(&index, &ALL, Order::Forward, PageLimit::default());
            if page.await.unwrap().is_empty() {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.unwrap();
}

#[tokio::test]
async fn estimates_are_exact_where_entries_are_few() {
    let documents = (0..20).map(|n| doc! {"_id": n, "a": n % 2}).collect();
    let collection = with_index(IndexSpec::new("a_1", doc! {"a": 1}), documents).await;
    let snapshot = collection.snapshot().await.unwrap();
    let range = KeyRange {
        low: Bound::Included(encoded(1)),
        high: Bound::Included(encoded(1)),
    };
    assert_eq!(
        snapshot
            .approximate_entries(&collection.indexes()[1], &range)
            .await
            .unwrap(),
        10
    );
}
