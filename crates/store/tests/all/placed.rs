//! Placed documents: they are written before the commit that inserts them.

use crate::support::*;
use std::sync::Arc;
use store::{
    Collection, IndexSpec, Outcome, PlacedDocument, Present, Sequence, StoreError, Target, Transformed,
    WriteOp,
};
use value::{Document, DocumentBuf, Value, doc};

const BYTES: usize = 100_000;

fn large(id: i32) -> Document {
    doc! {"_id": id, "name": format!("name {id}"), "data": "x".repeat(BYTES)}
}

async fn place(collection: &Collection, document: &Document) -> PlacedDocument {
    let document = DocumentBuf::from(document);
    collection.place(document.as_raw()).await.unwrap().unwrap()
}

async fn assert_valid(collection: &Arc<Collection>) {
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
}

#[tokio::test]
async fn a_placed_document_is_there_once_it_is_committed() {
    let (_store, collection) = new_collection().await;
    let placed = place(&collection, &large(1)).await;
    assert!(all(&collection).await.is_empty());
    let outcome = one(&collection, WriteOp::InsertPlaced(placed)).await.unwrap();
    assert!(matches!(outcome, Outcome::Inserted { .. }), "{outcome:?}");
    assert_eq!(by_id(&collection, 1).await, Some(large(1)));
    assert_eq!(collection.changes(&Sequence::START, 10).await.unwrap().len(), 1);
    assert_valid(&collection).await;
}

#[tokio::test]
async fn a_small_document_is_not_placed() {
    let (_store, collection) = new_collection().await;
    let document = DocumentBuf::from(&doc! {"_id": 1});
    assert!(collection.place(document.as_raw()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_taken_key_refuses_a_placed_document() {
    let (_store, collection) = new_collection().await;
    run(&collection, vec![insert_op(doc! {"_id": 1})]).await;
    let placed = place(&collection, &large(1)).await;
    let refused = one(&collection, WriteOp::InsertPlaced(placed)).await;
    assert!(
        matches!(refused, Err(StoreError::DuplicateKey { .. })),
        "{refused:?}"
    );
    assert_valid(&collection).await;
}

#[tokio::test]
async fn an_index_made_meanwhile_gets_its_entry() {
    let (_store, collection) = new_collection().await;
    let placed = place(&collection, &large(1)).await;
    let mut spec = IndexSpec::new("name_1", doc! {"name": 1});
    spec.unique = true;
    collection.create_indexes(vec![spec]).await.unwrap();
    one(&collection, WriteOp::InsertPlaced(placed)).await.unwrap();
    assert_valid(&collection).await;
    let mut other = large(2);
    other.set("name", "name 1");
    let refused = one(&collection, insert_op(other)).await;
    assert!(
        matches!(refused, Err(StoreError::DuplicateKey { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_placed_document_can_be_changed_in_the_commit_that_inserts_it() {
    let (_store, collection) = new_collection().await;
    let placed = place(&collection, &large(1)).await;
    let change = WriteOp::modify(Target::Id(Value::Int32(1)), |present: Option<Present<'_>>| {
        let mut document = present.unwrap().document.to_document();
        document.set("name", "another");
        Ok(Transformed::Put(DocumentBuf::from(&document)))
    });
    run(&collection, vec![WriteOp::InsertPlaced(placed), change]).await;
    let mut expected = large(1);
    expected.set("name", "another");
    assert_eq!(by_id(&collection, 1).await, Some(expected));
    assert_valid(&collection).await;
}

#[tokio::test]
async fn one_that_follows_a_deleted_document_goes_on_from_its_revisions() {
    let (_store, collection) = new_collection().await;
    run(&collection, vec![insert_op(doc! {"_id": 1}), delete_op(1)]).await;
    let placed = place(&collection, &large(1)).await;
    one(&collection, WriteOp::InsertPlaced(placed)).await.unwrap();
    let snapshot = collection.snapshot().await.unwrap();
    let record = snapshot.by_id(Value::Int32(1).as_ref()).await.unwrap().unwrap();
    assert_eq!(record.revision().generation, 3);
    assert_valid(&collection).await;
}
