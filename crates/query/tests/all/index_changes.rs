//! Queries beside indexes that come and go.

use language::filter::{Filter, FilterScope};
use query::Code;
use query::execute::{FindSpec, find};
use query::plan::Hint;
use query::plan::catalog::whole_indexes;
use std::sync::Arc;
use store::{Collection, IndexSpec};
use value::{Document, DocumentBuf, doc};

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
