//! A nearly full disk: writes that need space are refused, those that free it are not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use kv::Simulation;
use store::{CommitOptions, Outcome, StoreError};
use support::*;
use value::doc;

#[tokio::test]
async fn deletes_go_on_and_what_adds_is_refused_until_there_is_room() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(10)).await;

    simulation.set_disk_low(true);
    for adds in [
        insert_op(doc! {"_id": 100}),
        put_op(1, doc! {"_id": 1, "a": "longer"}),
    ] {
        let refused = one(&collection, adds).await.unwrap_err();
        assert!(matches!(refused, StoreError::DiskLow(_)), "{refused}");
        assert_eq!(refused.code(), code::Code::OUT_OF_DISK_SPACE);
        assert!(refused.to_string().contains("--disk-reserve"));
    }
    assert!(matches!(
        one(&collection, delete_op(2)).await.unwrap(),
        Outcome::Deleted { .. }
    ));
    assert_eq!(all(&collection).await.len(), 9);

    simulation.set_disk_low(false);
    one(&collection, insert_op(doc! {"_id": 100})).await.unwrap();
    assert_eq!(all(&collection).await.len(), 10);
}

#[tokio::test]
async fn a_collection_can_be_dropped() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(10)).await;
    simulation.set_disk_low(true);
    store.drop_collection(&ns()).await.unwrap();
    assert!(store.collection(&ns()).is_none());
}

#[tokio::test]
async fn a_write_whose_flush_found_no_room_is_there_and_is_not_told_to_be_safe() {
    let simulation = Simulation::new(1);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(10)).await;

    simulation.fill_at_next_flush();
    let insert = |id: i32| vec![insert_op(doc! {"_id": id})];
    let told = collection.commit(insert(100), CommitOptions::default()).await;
    let told = told.unwrap_err();
    assert_eq!(told.code(), code::Code::OUT_OF_DISK_SPACE);
    assert!(told.to_string().contains("what was written is read"), "{told}");
    assert_eq!(all(&collection).await.len(), 11);
    assert_eq!(collection.stats().count, 11);

    // The next flush makes it safe too.
    run(&collection, insert(101)).await;
    simulation.crash();
    let store = open(&simulation).await;
    assert_eq!(all(&store.collection(&ns()).unwrap()).await.len(), 12);
}
