//! Queries while indexes are created and dropped.

use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use language::projection::Projection;
use memory::{Budget, Holder};
use query::Code;
use query::execute::{DocumentStream, FindSpec, find};
use query::plan::catalog::whole_indexes;
use query::plan::{Hint, Ordering};
use std::sync::Arc;
use store::{Collection, CommitOptions, IndexSpec, Present, Target, Transformed, WriteOp};
use value::{Document, DocumentBuf, Value, array, doc};

const DOCUMENTS: i32 = 300;

async fn insert_some(collection: &Arc<Collection>) {
    let documents: Vec<Document> = (0..DOCUMENTS).map(|id| doc! {"_id": id, "a": id % 7}).collect();
    crate::support::insert_all(collection, &documents).await;
}

async fn make_index(collection: &Arc<Collection>) {
    let index = IndexSpec::new("a_1", doc! {"a": 1});
    collection.create_indexes(vec![index]).await.expect("an index");
}

fn by_index() -> FindSpec {
    let filter = Filter::parse(&doc! {"a": {"$gte": 0}}, &FilterScope::default()).expect("a filter");
    FindSpec {
        hint: Some(Hint::Name("a_1".to_owned())),
        ..FindSpec::new(Arc::new(filter))
    }
}

#[tokio::test]
async fn a_cursor_ends_with_an_error_where_its_index_is_dropped() {
    let (_store, collection) = crate::support::new_collection().await;
    make_index(&collection).await;
    insert_some(&collection).await;
    let mut cursor = find(&collection, by_index()).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    cursor
        .next_batch(&mut batch, 10, usize::MAX)
        .await
        .expect("a batch");
    collection.drop_index("a_1").await.expect("drop");
    let lost = cursor.next_batch(&mut batch, 1000, usize::MAX).await;
    assert_eq!(lost.expect_err("no index").code(), Code::QUERY_PLAN_KILLED);
    assert_eq!(batch.len(), 10);
}

#[tokio::test]
async fn arrays_that_come_between_two_batches_are_given_once_and_whole() {
    let covered = Projection::parse_find(&doc! {"_id": 0, "a": 1}, None, &Variables::default());
    let covered = FindSpec {
        projection: Some(Arc::new(covered.expect("a projection"))),
        ..by_index()
    };
    let unequal = Filter::parse(&doc! {"a": {"$gte": 0, "$ne": 9}}, &FilterScope::default());
    let unequal = FindSpec {
        filter: Arc::new(unequal.expect("a filter")),
        ..by_index()
    };
    for (spec, comes) in [(by_index(), true), (covered, true), (unequal, false)] {
        let (_store, collection) = crate::support::new_collection().await;
        make_index(&collection).await;
        insert_some(&collection).await;
        let mut cursor = find(&collection, spec).await.expect("a cursor");
        let mut batch: Vec<DocumentBuf> = Vec::new();
        cursor
            .next_batch(&mut batch, 10, usize::MAX)
            .await
            .expect("a batch");
        crate::support::insert_all(&collection, &[doc! {"_id": 1000, "a": [8, 9]}]).await;
        cursor
            .next_batch(&mut batch, 1000, usize::MAX)
            .await
            .expect("the others");
        let arrays = batch.iter().map(DocumentBuf::to_document);
        let arrays: Vec<Document> = arrays
            .filter(|document| document.get("a") == Some(&Value::Array(array![8, 9])))
            .collect();
        assert_eq!(arrays.len(), usize::from(comes));
        assert_eq!(batch.len(), DOCUMENTS as usize + usize::from(comes));
    }
}

#[tokio::test]
async fn merged_scans_leave_out_what_no_longer_matches_in_a_later_batch() {
    let (_store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1_b_1", doc! {"a": 1, "b": 1});
    collection.create_indexes(vec![index]).await.expect("an index");
    let documents: Vec<Document> = (0..8).map(|id| doc! {"_id": id, "a": id % 2, "b": id}).collect();
    crate::support::insert_all(&collection, &documents).await;
    let filter = Filter::parse(&doc! {"a": {"$in": [0, 1]}}, &FilterScope::default()).expect("a filter");
    let spec = FindSpec {
        ordering: Ordering::parse(&doc! {"b": 1}).expect("a sort"),
        hint: Some(Hint::Name("a_1_b_1".to_owned())),
        first_batch: 2,
        ..FindSpec::new(Arc::new(filter))
    };
    let mut cursor = find(&collection, spec).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    cursor
        .next_batch(&mut batch, 2, usize::MAX)
        .await
        .expect("a batch");
    let change = |id: i32| {
        let changed = DocumentBuf::from(&doc! {"_id": id, "a": 9, "b": id});
        WriteOp::modify(Target::Id(id.into()), move |_: Option<Present<'_>>| {
            Ok(Transformed::Put(changed.clone()))
        })
    };
    let changes = vec![change(2), change(3)];
    collection
        .commit(changes, CommitOptions::default())
        .await
        .expect("commit");
    cursor
        .next_batch(&mut batch, 1000, usize::MAX)
        .await
        .expect("the others");
    let given: Vec<Document> = batch.iter().map(DocumentBuf::to_document).collect();
    assert!(
        given.iter().all(|document| documents.contains(document)),
        "{given:?}"
    );
    assert!(
        documents[4..].iter().all(|document| given.contains(document)),
        "{given:?}"
    );
}

#[tokio::test]
async fn a_plan_that_relied_on_a_wildcard_index_without_arrays_is_not_remembered() {
    let (_store, collection) = crate::support::new_collection().await;
    let index = IndexSpec::new("a_1", doc! {"$**": 1});
    collection.create_indexes(vec![index]).await.expect("an index");
    insert_some(&collection).await;
    let mut cursor = find(&collection, by_index()).await.expect("a cursor");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    for documents in [10, 1000] {
        cursor
            .next_batch(&mut batch, documents, usize::MAX)
            .await
            .expect("a batch");
    }
    assert_eq!(batch.len(), DOCUMENTS as usize);
    let mut idle = Budget::default().share(Holder::Cursors);
    cursor.rest(&mut idle).expect("nothing to be put away");
    assert_eq!(idle.bytes(), 0);
}

#[tokio::test]
async fn an_index_that_is_ready_after_a_snapshot_is_not_read_in_it() {
    let (_store, collection) = crate::support::new_collection().await;
    let names = |snapshot: &store::Snapshot| -> Vec<String> {
        let indexes = whole_indexes(&collection, snapshot);
        indexes.iter().map(|known| known.facts.name.clone()).collect()
    };
    insert_some(&collection).await;
    let before = collection.snapshot().await.expect("a snapshot");
    make_index(&collection).await;
    assert_eq!(names(&before), ["_id_"]);
    let after = collection.snapshot().await.expect("a snapshot");
    assert_eq!(names(&after), ["_id_", "a_1"]);
}

#[tokio::test]
async fn all_indexes_of_an_empty_collection_are_known() {
    let (_store, collection) = crate::support::new_collection().await;
    make_index(&collection).await;
    let snapshot = collection.snapshot().await.expect("a snapshot");
    assert_eq!(whole_indexes(&collection, &snapshot).len(), 2);
    let mut cursor = find(&collection, by_index())
        .await
        .expect("a hint that names an index");
    let mut batch: Vec<DocumentBuf> = Vec::new();
    cursor
        .next_batch(&mut batch, 10, usize::MAX)
        .await
        .expect("a batch");
    assert!(batch.is_empty());
}
