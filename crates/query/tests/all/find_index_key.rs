//! Metadata in projections: the index key by which a document was found, its record id, its sort key. Also the keys between
//! which an index is read.

use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use language::projection::{Projection, RECORD_ID, SORT_KEY};
use query::Code;
use query::execute::{FindSpec, StreamState, find};
use query::plan::{Hint, Ordering};
use std::sync::Arc;
use store::{IndexSpec, Order};
use value::{Document, DocumentBuf, Value, doc};

/// What a projection shows of the one document with `a: 2`, found by this index or by reading all.
async fn shown(projection: Document, hint: Option<&str>) -> Document {
    let (_store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1_b_-1", doc! {"a": 1, "b": -1});
    collection.create_indexes(vec![index]).await.expect("an index");
    let documents = [
        doc! {"_id": 1, "a": 1, "b": 1, "c": 1},
        doc! {"_id": 2, "a": 2, "b": 2, "c": 2},
    ];
    crate::support::insert_all(&collection, &documents).await;
    let filter = Filter::parse(&doc! {"a": 2}, &FilterScope::default()).expect("a filter");
    let projection = Projection::parse_find(&projection, None, &Variables::default()).expect("a projection");
    let spec = FindSpec {
        projection: Some(Arc::new(projection)),
        hint: Some(hint.map_or(Hint::Natural(Order::Forward), |name| Hint::Name(name.to_owned()))),
        ..FindSpec::new(Arc::new(filter))
    };
    let mut cursor = find(&collection, spec).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    while cursor
        .next_batch(&mut batch, 10, usize::MAX)
        .await
        .expect("a batch")
        == StreamState::More
    {}
    match batch.as_slice() {
        [only] => only.to_document(),
        several => panic!("{} documents", several.len()),
    }
}

#[tokio::test]
async fn the_key_is_shown_where_an_index_was_read() {
    let key = || doc! {"a": 2, "b": 2};
    let meta = || doc! {"$meta": "indexKey"};
    let cases = [
        (
            doc! {"c": 1, "key": meta()},
            doc! {"_id": 2, "c": 2, "key": key()},
        ),
        // On its own, or with an exclusion, it leaves the other fields in.
        (
            doc! {"key": meta()},
            doc! {"_id": 2, "a": 2, "b": 2, "c": 2, "key": key()},
        ),
        (
            doc! {"a": 0, "key": meta()},
            doc! {"_id": 2, "b": 2, "c": 2, "key": key()},
        ),
        (
            doc! {"c": {"$mergeObjects": [meta(), {"d": 1}]}},
            doc! {"_id": 2, "c": {"a": 2, "b": 2, "d": 1}},
        ),
    ];
    for (projection, expected) in cases {
        assert_eq!(
            shown(projection.clone(), Some("a_1_b_-1")).await,
            expected,
            "{projection:?}"
        );
    }
}

#[tokio::test]
async fn the_keys_of_merged_scans_are_shown() {
    let (_store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1_b_1", doc! {"a": 1, "b": 1});
    collection.create_indexes(vec![index]).await.expect("an index");
    let documents = [
        doc! {"_id": 1, "a": 1, "b": 3},
        doc! {"_id": 2, "a": 2, "b": 1},
        doc! {"_id": 3, "a": 1, "b": 2},
    ];
    crate::support::insert_all(&collection, &documents).await;
    let filter = Filter::parse(&doc! {"a": {"$in": [1, 2]}}, &FilterScope::default()).expect("a filter");
    let spec = FindSpec {
        ordering: Ordering::parse(&doc! {"b": 1}).expect("a sort"),
        hint: Some(Hint::Name("a_1_b_1".to_owned())),
        return_key: true,
        ..FindSpec::new(Arc::new(filter))
    };
    let mut cursor = find(&collection, spec).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    let more = cursor.next_batch(&mut batch, 10, usize::MAX).await;
    more.expect("a batch");
    let keys: Vec<Document> = batch.iter().map(DocumentBuf::to_document).collect();
    assert_eq!(
        keys,
        [
            doc! {"a": 2, "b": 1},
            doc! {"a": 1, "b": 2},
            doc! {"a": 1, "b": 3}
        ]
    );
}

#[tokio::test]
async fn there_is_no_key_where_all_documents_were_read() {
    let projection = doc! {"c": 1, "key": {"$meta": "indexKey"}};
    assert_eq!(shown(projection, None).await, doc! {"_id": 2, "c": 2});
}

/// What a projection shows of all documents in this order, with and without an index that gives it.
async fn shown_in_order(sort: Document, projection: Document, indexed: bool) -> Vec<Document> {
    let (_store, collection) = crate::support::new_collection().await;
    if indexed {
        let index = IndexSpec::new("sorting", sort.clone());
        collection.create_indexes(vec![index]).await.expect("an index");
    }
    let documents = [
        doc! {"_id": 1, "a": [5, 2.5], "b": "x"},
        doc! {"_id": 2, "a": 1},
        doc! {"_id": 3, "b": "y"},
    ];
    crate::support::insert_all(&collection, &documents).await;
    let metadata = [RECORD_ID, SORT_KEY];
    let variables = Variables::default();
    let projection = Projection::parse_find_with(&projection, None, &variables, &metadata);
    let filter = Filter::parse(&doc! {"_id": {"$gt": 0}}, &FilterScope::default()).expect("a filter");
    let spec = FindSpec {
        projection: Some(Arc::new(projection.expect("a projection"))),
        ordering: Ordering::parse(&sort).expect("a sort"),
        ..FindSpec::new(Arc::new(filter))
    };
    let mut cursor = find(&collection, spec).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    let more = cursor.next_batch(&mut batch, 10, usize::MAX).await;
    more.expect("a batch");
    batch.iter().map(DocumentBuf::to_document).collect()
}

#[tokio::test]
async fn sort_keys_are_shown() {
    for indexed in [false, true] {
        let projection = || doc! {"_id": 1, "key": {"$meta": SORT_KEY}};
        let up = shown_in_order(doc! {"a": 1, "b": (-1)}, projection(), indexed).await;
        assert_eq!(
            up,
            [
                doc! {"_id": 3, "key": [null, "y"]},
                doc! {"_id": 2, "key": [1, null]},
                doc! {"_id": 1, "key": [2.5, "x"]},
            ]
        );
        let down = shown_in_order(doc! {"a": (-1)}, projection(), indexed).await;
        assert_eq!(down[0], doc! {"_id": 1, "key": [5]});
    }
}

#[tokio::test]
async fn record_ids_are_shown() {
    for indexed in [false, true] {
        let projection = doc! {"record": {"$meta": RECORD_ID}, "a": 0, "b": 0};
        let shown = shown_in_order(doc! {"a": 1}, projection, indexed).await;
        let records: Vec<Option<i64>> = shown
            .iter()
            .map(|document| match document.get("record") {
                Some(Value::Int64(record)) => Some(*record),
                _ => None,
            })
            .collect();
        assert_eq!(records, [Some(3), Some(2), Some(1)]);
    }
}

#[tokio::test]
async fn between_two_keys_documents_with_arrays_come_in_the_order_of_their_least_elements() {
    let (_store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1", doc! {"a": 1});
    collection.create_indexes(vec![index]).await.expect("an index");
    let documents = [
        doc! {"_id": 1, "a": 7},
        doc! {"_id": 2, "a": [1, 10]},
        doc! {"_id": 3, "a": 3},
    ];
    crate::support::insert_all(&collection, &documents).await;
    let spec = FindSpec {
        ordering: Ordering::parse(&doc! {"a": 1}).expect("a sort"),
        hint: Some(Hint::Name("a_1".to_owned())),
        min: Some(doc! {"a": 5}),
        ..FindSpec::new(Arc::new(Filter::empty()))
    };
    let mut cursor = find(&collection, spec.clone()).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    let more = cursor.next_batch(&mut batch, 10, usize::MAX).await;
    more.expect("a batch");
    let found: Vec<Document> = batch.iter().map(DocumentBuf::to_document).collect();
    assert_eq!(found, [documents[1].clone(), documents[0].clone()]);

    let near = doc! {"b": {"$near": [0, 0]}};
    for filter in [doc! {}, near] {
        let filter = Filter::parse(&filter, &FilterScope::default()).expect("a filter");
        let unhinted = FindSpec {
            hint: None,
            filter: Arc::new(filter),
            ..spec.clone()
        };
        let refused = find(&collection, unhinted).await.expect_err("no hint");
        assert_eq!(refused.code(), Code::location(51_173));
    }
}
