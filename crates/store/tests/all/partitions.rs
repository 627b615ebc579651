//! The counts that are kept for the partitions of a collection.
use crate::support::{delete_op, insert_op, ns, one, open, put_op};
use kv::Simulation;
use std::sync::Arc;
use store::{
    Collection, CollectionOptions, Edit, EditOrigin, Outcome, PartitionStats, Revision, Store, StoreError,
    WriteOp,
};
use value::{Document, DocumentBuf, Value, doc};

async fn partitioned() -> (Store, Arc<Collection>) {
    let store = open(&Simulation::new(1)).await;
    let options = CollectionOptions {
        properties: doc! {"partitioned": true},
        ..CollectionOptions::default()
    };
    store.create(&ns(), options).await.unwrap();
    let collection = store.collection(&ns()).unwrap();
    (store, collection)
}

async fn stats(collection: &Collection, partition: &str) -> PartitionStats {
    let snapshot = collection.snapshot().await.unwrap();
    snapshot.partition(partition).await.unwrap()
}

fn bytes(document: &Document) -> u64 {
    DocumentBuf::from(document).bytes().len() as u64
}

async fn assert_valid(collection: &Collection) {
    let report = collection.validate(true).await.unwrap();
    assert_eq!(report.findings, Vec::<String>::new());
}

#[tokio::test]
async fn inserts_updates_and_deletions_are_counted_by_partition() {
    let (_store, collection) = partitioned().await;
    let (first, second) = (doc! {"_id": "a:1", "n": 1}, doc! {"_id": "a:2"});
    for document in [
        &first,
        &second,
        &doc! {"_id": "b:1"},
        &doc! {"_id": "_design/a:d"},
    ] {
        one(&collection, insert_op(document.clone())).await.unwrap();
    }
    let longer = doc! {"_id": "a:1", "n": "a longer value"};
    one(&collection, put_op("a:1", longer.clone())).await.unwrap();
    let two = PartitionStats {
        count: 2,
        data_bytes: bytes(&longer) + bytes(&second),
        deleted: 0,
    };
    assert_eq!(stats(&collection, "a").await, two);
    one(&collection, delete_op("a:2")).await.unwrap();
    let one_left = PartitionStats {
        count: 1,
        data_bytes: bytes(&longer),
        deleted: 1,
    };
    assert_eq!(stats(&collection, "a").await, one_left);
    assert_eq!(stats(&collection, "b").await.count, 1);
    assert_eq!(stats(&collection, "_design/a").await, PartitionStats::default());
    assert_valid(&collection).await;
}

#[tokio::test]
async fn a_purge_leaves_nothing_of_a_partition() {
    let (_store, collection) = partitioned().await;
    let id = Value::from("a:1");
    let edit = Edit {
        document: DocumentBuf::from(&doc! {"_id": "a:1"}),
        deleted: false,
        origin: EditOrigin::After(None),
    };
    let Outcome::Edited { revision } = one(&collection, WriteOp::Edit(edit)).await.unwrap() else {
        panic!("the edit was not made");
    };
    assert_eq!(stats(&collection, "a").await.count, 1);
    let revisions: Vec<Revision> = vec![revision];
    one(&collection, WriteOp::Purge { id, revisions }).await.unwrap();
    assert_eq!(stats(&collection, "a").await, PartitionStats::default());
    assert_valid(&collection).await;
}

#[tokio::test]
async fn placed_documents_are_counted_and_refused_as_others_are() {
    let (_store, collection) = partitioned().await;
    for (id, is_placed) in [("a:1", true), ("a", false)] {
        let document = doc! {"_id": id, "data": "x".repeat(100_000)};
        let buffer = DocumentBuf::from(&document);
        let placed = collection.place(buffer.as_raw()).await.unwrap().unwrap();
        let inserted = one(&collection, WriteOp::InsertPlaced(placed)).await;
        match is_placed {
            true => assert!(inserted.is_ok()),
            false => assert!(matches!(inserted, Err(StoreError::NoPartition))),
        }
    }
    let stats = stats(&collection, "a").await;
    assert_eq!((stats.count, stats.deleted), (1, 0));
    assert_valid(&collection).await;
}

#[tokio::test]
async fn ids_that_name_no_partition_are_refused() {
    let (_store, collection) = partitioned().await;
    for id in [Value::from("a"), Value::Int32(1)] {
        let refused = one(&collection, insert_op(doc! {"_id": id})).await;
        assert!(matches!(refused, Err(StoreError::NoPartition)));
    }
    assert_valid(&collection).await;
}
