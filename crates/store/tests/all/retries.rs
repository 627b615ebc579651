//! Retryable writes: a statement is executed once, however often it is sent.

use crate::support::*;
use kv::Simulation;
use std::sync::Arc;
use store::{Collection, CommitOptions, Image, Outcome, ReplayedKind, StatementId, StoreError, WriteOp};
use value::{Value, doc};

fn statements(number: i64, count: i32) -> Vec<Option<StatementId>> {
    (0..count)
        .map(|statement| {
            Some(StatementId {
                session: [7; 32],
                number,
                statement,
            })
        })
        .collect()
}

async fn send(
    collection: &Arc<Collection>,
    number: i64,
    operations: Vec<WriteOp>,
    image: Image,
) -> Vec<Outcome> {
    let statements = statements(number, operations.len() as i32);
    let options = CommitOptions {
        statements,
        image,
        ..CommitOptions::default()
    };
    collection.commit(operations, options).await.unwrap()
}

#[tokio::test]
async fn a_retried_insert_is_answered_and_not_done_again_after_a_crash_too() {
    let simulation = Simulation::new(3);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    send(&collection, 1, numbered(100), Image::None).await;
    simulation.crash();
    let store = open(&simulation).await;
    let collection = store.collection(&ns()).unwrap();
    let outcomes = send(&collection, 1, numbered(100), Image::None).await;
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Outcome::Replayed(_))),
        "{outcomes:?}"
    );
    assert_eq!(collection.stats().count, 100);
}

#[tokio::test]
async fn a_retry_that_waits_together_with_the_first_try_is_done_once() {
    let (_store, collection) = new_collection().await;
    let tries: Vec<_> = (0..10)
        .map(|_| {
            let collection = collection.clone();
            tokio::spawn(
                async move { send(&collection, 1, vec![insert_op(doc! {"_id": 1})], Image::None).await },
            )
        })
        .collect();
    let mut inserted = 0;
    for one in tries {
        inserted += usize::from(matches!(one.await.unwrap()[..], [Outcome::Inserted { .. }]));
    }
    assert_eq!((inserted, collection.stats().count), (1, 1));
}

#[tokio::test]
async fn a_retried_find_and_modify_gives_the_same_image() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(1)).await;
    let change = || vec![put_op(0, doc! {"_id": 0, "a": "new"})];
    for (number, image, expected) in [
        (1, Image::Before, doc! {"_id": 0, "a": 0}),
        (2, Image::After, doc! {"_id": 0, "a": "new"}),
    ] {
        send(&collection, number, change(), image).await;
        let outcome = send(&collection, number, change(), image).await.remove(0);
        let Outcome::Replayed(replayed) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(replayed.kind, ReplayedKind::Updated);
        assert_eq!(replayed.image.unwrap().to_document(), expected);
    }
}

#[tokio::test]
async fn a_retried_upsert_gives_the_same_id() {
    let (_store, collection) = new_collection().await;
    let upsert = || vec![put_op("new", doc! {"_id": "new"})];
    send(&collection, 1, upsert(), Image::None).await;
    let statement = statements(1, 1)[0].unwrap();
    let replayed = collection.executed(&statement).await.unwrap().unwrap();
    assert_eq!(
        (replayed.kind, replayed.upserted),
        (ReplayedKind::Inserted, Some(Value::from("new")))
    );
}

#[tokio::test]
async fn a_failed_statement_is_tried_again() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(1)).await;
    for _ in 0..2 {
        let outcomes = send(&collection, 1, numbered(1), Image::None).await;
        assert!(matches!(
            outcomes[..],
            [Outcome::Failed(StoreError::DuplicateKey { .. })]
        ));
    }
}

#[tokio::test]
async fn an_older_transaction_number_is_refused() {
    let (_store, collection) = new_collection().await;
    send(&collection, 5, numbered(1), Image::None).await;
    let outcomes = send(&collection, 4, numbered(1), Image::None).await;
    assert!(matches!(
        outcomes[..],
        [Outcome::Failed(StoreError::TransactionTooOld {
            number: 4,
            present: 5
        })]
    ));
    assert!(
        collection
            .executed(&statements(6, 1)[0].unwrap())
            .await
            .unwrap()
            .is_none()
    );
}
