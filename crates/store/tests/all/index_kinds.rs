//! Wildcard and geospatial indexes, and indexes that become unique in steps.

use crate::support::*;
use std::sync::Arc;
use store::{Collection, Index, IndexSpec, KeyRange, Order, Outcome, PageLimit, StoreError};
use value::{Document, Value, array, doc, key};

const ALL: KeyRange = KeyRange {
    low: std::ops::Bound::Unbounded,
    high: std::ops::Bound::Unbounded,
};

async fn with_index(spec: IndexSpec) -> (store::Store, Arc<Collection>) {
    let (store, collection) = new_collection().await;
    collection.create_indexes(vec![spec]).await.unwrap();
    (store, collection)
}

fn second(collection: &Collection) -> Arc<Index> {
    collection.indexes().remove(1)
}

async fn keys_of(collection: &Collection) -> Vec<Vec<Value>> {
    let index = second(collection);
    let snapshot = collection.snapshot().await.unwrap();
    let page = snapshot
        .entries(&index, &ALL, Order::Forward, PageLimit::default())
        .await
        .unwrap();
    let decode = |entry: store::IndexEntry<'_>| {
        let (mut key, mut bits) = (entry.key, entry.bits);
        let values = index.directions();
        values
            .map(|direction| key::decode(&mut key, &mut bits, direction).unwrap())
            .collect()
    };
    page.iter().map(decode).collect()
}

async fn assert_valid(collection: &Collection) {
    let report = collection.validate(true).await.unwrap();
    assert_eq!(report.findings, Vec::<String>::new());
}

#[tokio::test]
async fn a_wildcard_index_has_an_entry_for_each_path_and_value() {
    let (_store, collection) = with_index(IndexSpec::new("w", doc! {"$**": 1})).await;
    run(
        &collection,
        vec![insert_op(
            doc! {"_id": 1, "a": array![1, doc! {"b": 2}], "c": "x"},
        )],
    )
    .await;
    let expected: [[Value; 2]; 3] = [
        ["a".into(), 1.into()],
        ["a.b".into(), 2.into()],
        ["c".into(), "x".into()],
    ];
    assert_eq!(keys_of(&collection).await, expected.map(Vec::from));
    run(&collection, vec![put_op(1, doc! {"_id": 1, "c": "y"})]).await;
    assert_eq!(
        keys_of(&collection).await,
        [vec![Value::from("c"), Value::from("y")]]
    );
    assert_valid(&collection).await;
}

#[tokio::test]
async fn a_compound_wildcard_index_repeats_the_other_fields() {
    let mut spec = IndexSpec::new("w", doc! {"a": -1, "$**": 1});
    spec.kept.push("wildcardProjection", doc! {"a": 0});
    let (_store, collection) = with_index(spec).await;
    run(
        &collection,
        vec![
            insert_op(doc! {"_id": 1, "a": 7, "b": 1, "c": 2}),
            insert_op(doc! {"_id": 2, "a": 8}),
        ],
    )
    .await;
    // Only what the wildcard holds may be arrays, even of a document that has nothing there.
    for array in [
        doc! {"_id": 3, "a": array![1], "b": 1},
        doc! {"_id": 4, "a": array![]},
    ] {
        let refused = one(&collection, insert_op(array)).await;
        assert!(
            matches!(refused, Err(StoreError::CannotIndex { code, .. }) if code.number() == 7_246_301),
            "{refused:?}"
        );
    }
    let expected: [[Value; 3]; 2] = [[7.into(), "b".into(), 1.into()], [7.into(), "c".into(), 2.into()]];
    assert_eq!(keys_of(&collection).await, expected.map(Vec::from));
    assert_valid(&collection).await;
}

fn point(longitude: i32) -> Document {
    doc! {"type": "Point", "coordinates": array![longitude, 0]}
}

#[tokio::test]
async fn a_2dsphere_index_refuses_what_is_no_geometry_and_leaves_out_what_has_none() {
    let (_store, collection) = with_index(IndexSpec::new("g", doc! {"at": "2dsphere", "n": 1})).await;
    let refused = one(&collection, insert_op(doc! {"_id": 1, "at": point(181)})).await;
    assert!(
        matches!(refused, Err(StoreError::CannotIndex { code, .. }) if code.number() == 16_755),
        "{refused:?}"
    );
    run(
        &collection,
        vec![
            insert_op(doc! {"_id": 2, "at": point(1), "n": 5}),
            insert_op(doc! {"_id": 3, "n": 6}),
            insert_op(doc! {"_id": 4, "at": Value::Null}),
            insert_op(doc! {"_id": 5, "at": array![]}),
        ],
    )
    .await;
    let keys = keys_of(&collection).await;
    assert!(
        matches!(keys.as_slice(), [key] if matches!(key.as_slice(), [Value::Int64(_), Value::Int32(5)])),
        "{keys:?}"
    );
    let line = doc! {"type": "LineString", "coordinates": [[0, 0], [9, 40]]};
    run(&collection, vec![put_op(2, doc! {"_id": 2, "at": line})]).await;
    assert!(keys_of(&collection).await.len() > 1, "a line has several cells");
    let refused = one(&collection, put_op(2, doc! {"_id": 2, "at": "nowhere"})).await;
    assert!(refused.is_err());
    assert_valid(&collection).await;
}

#[tokio::test]
async fn values_that_multiply_are_refused() {
    let refuses = async |key: Document, document: Document| {
        let (_store, collection) = with_index(IndexSpec::new("many", key)).await;
        let refused = one(&collection, insert_op(document)).await;
        assert!(
            matches!(refused, Err(StoreError::CannotIndex { code, .. }) if code.number() == 201),
            "{refused:?}"
        );
    };
    let place = |at: i32| {
        let point = doc! {"type": "Point", "coordinates": array![f64::from(at) / 10.0, 0]};
        Value::from(doc! {"p": point})
    };
    let points = Value::Array((0..400).map(place).collect());
    let places = doc! {"_id": 1, "a": points.clone(), "b": points.clone()};
    refuses(doc! {"a.p": "2dsphere", "b.p": "2dsphere"}, places).await;
    let numbers = Value::Array((0..400).map(Value::Int32).collect());
    let beside = doc! {"_id": 1, "a": points, "n": numbers.clone()};
    refuses(doc! {"a.p": "2dsphere", "n": 1}, beside).await;
    let long = "n".repeat(1 << 20);
    let named = doc! {"_id": 1, (long.as_str()): numbers};
    refuses(doc! {"$**": 1}, named).await;
}

#[tokio::test]
async fn a_2d_index_keeps_to_its_range() {
    let mut spec = IndexSpec::new("g", doc! {"at": "2d"});
    spec.kept.push("min", -10.0);
    spec.kept.push("max", 10.0);
    let (_store, collection) = with_index(spec).await;
    let refused = one(&collection, insert_op(doc! {"_id": 1, "at": array![11, 0]})).await;
    assert!(
        matches!(refused, Err(StoreError::CannotIndex { code, .. }) if code.number() == 13_027),
        "{refused:?}"
    );
    for (id, at) in [(2, Value::from(array![10, -10])), (3, Value::from("nowhere"))] {
        let taken = one(&collection, insert_op(doc! {"_id": id, "at": at})).await;
        assert!(taken.is_ok(), "{taken:?}");
    }
    assert_eq!(keys_of(&collection).await.len(), 1);
}

fn duplicate(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::DuplicateKey { .. }))
}

async fn set(store: &store::Store, change: impl FnOnce(&mut IndexSpec) + Send + 'static) {
    store.modify_index(&ns(), "a", change).await.unwrap();
}

#[tokio::test]
async fn an_index_that_prepares_for_uniqueness_refuses_new_duplicates_only() {
    let (store, collection) = with_index(IndexSpec::new("a", doc! {"a": 1})).await;
    run(
        &collection,
        vec![
            insert_op(doc! {"_id": 1, "a": 1}),
            insert_op(doc! {"_id": 2, "a": 1}),
        ],
    )
    .await;
    set(&store, |spec| spec.prepare_unique = true).await;
    let outcomes = run(
        &collection,
        vec![
            insert_op(doc! {"_id": 3, "a": 2}),
            put_op(1, doc! {"_id": 1, "a": 1, "b": 1}),
        ],
    )
    .await;
    assert!(!outcomes.iter().any(duplicate), "{outcomes:?}");
    assert!(
        one(&collection, insert_op(doc! {"_id": 4, "a": 1}))
            .await
            .is_err()
    );
    assert!(
        one(&collection, put_op(3, doc! {"_id": 3, "a": 1}))
            .await
            .is_err()
    );
    let found = collection.duplicate_keys(&second(&collection)).await.unwrap();
    assert_eq!(found.groups, [vec![Value::Int32(1), Value::Int32(2)]]);
    assert!(!found.is_cut);
}

#[tokio::test]
async fn a_refusal_names_some_of_many_duplicates() {
    let (_store, collection) = with_index(IndexSpec::new("a", doc! {"a": 1})).await;
    let long = "x".repeat(1 << 20);
    for number in 0..9 {
        let id = format!("{number}{long}");
        run(&collection, vec![insert_op(doc! {"_id": id, "a": 1})]).await;
    }
    let found = collection.duplicate_keys(&second(&collection)).await.unwrap();
    assert_eq!(found.groups.iter().map(Vec::len).collect::<Vec<_>>(), [7]);
    assert!(found.is_cut);
}

#[tokio::test]
async fn an_index_made_unique_sees_what_its_own_batch_did() {
    let (store, collection) = with_index(IndexSpec::new("a", doc! {"a": 1})).await;
    run(&collection, vec![insert_op(doc! {"_id": 1, "a": 1})]).await;
    set(&store, |spec| {
        spec.unique = true;
        spec.made_unique = true;
    })
    .await;
    let operations = vec![
        delete_op(1),
        insert_op(doc! {"_id": 2, "a": 1}),
        put_op(2, doc! {"_id": 2, "a": 3}),
        insert_op(doc! {"_id": 3, "a": 1}),
    ];
    let outcomes = run(&collection, operations).await;
    assert!(!outcomes.iter().any(duplicate), "{outcomes:?}");
    assert!(
        one(&collection, insert_op(doc! {"_id": 5, "a": 3}))
            .await
            .is_err()
    );
    assert_valid(&collection).await;
}

#[tokio::test]
async fn a_text_index_has_an_entry_for_each_term() {
    let mut spec = IndexSpec::new("t", doc! {"n": 1, "_fts": "text", "_ftsx": 1, "m": -1});
    spec.kept.push("weights", doc! {"a": 1, "b.c": 2});
    spec.kept.push("default_language", "english");
    let (_store, collection) = with_index(spec).await;
    let document = doc! {"_id": 1, "n": 5, "a": "The foxes run, a fox", "b": array![doc! {"c": "Été"}]};
    run(
        &collection,
        vec![
            insert_op(document),
            insert_op(doc! {"_id": 2, "n": 6, "a": "the", "z": "not held"}),
        ],
    )
    .await;
    let key = |term: &str| vec![Value::from(5), Value::from(term), Value::Null];
    assert_eq!(keys_of(&collection).await, ["ete", "fox", "run"].map(key));
    assert_eq!(second(&collection).multikey_paths(), [false, true, false]);
    run(
        &collection,
        vec![put_op(1, doc! {"_id": 1, "n": 5, "a": "running"})],
    )
    .await;
    assert_eq!(keys_of(&collection).await, [key("run")]);
    for (n, language, code) in [
        (Value::from(array![1, 2]), "english", 201),
        (Value::from(1), "klingon", 17_262),
    ] {
        let refused = one(
            &collection,
            insert_op(doc! {"_id": 3, "n": n, "a": "fox", "language": language}),
        )
        .await;
        assert!(
            matches!(refused, Err(StoreError::CannotIndex { code: found, .. }) if found.number() == code),
            "{refused:?}"
        );
    }
    assert_valid(&collection).await;
}
