//! Inserting, changing, deleting and reading documents.

use crate::support::*;
use store::{CommitOptions, Outcome, Present, StoreError, Target, Transformed, WriteOp};
use value::{DocumentBuf, Value, doc};

#[tokio::test]
async fn an_inserted_document_is_found_by_id_and_in_natural_order() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(10)).await;
    assert_eq!(by_id(&collection, 4).await, Some(doc! {"_id": 4, "a": 4}));
    assert_eq!(by_id(&collection, 10).await, None);
    let expected: Vec<_> = (0..10).map(|n| doc! {"_id": n, "a": n}).collect();
    assert_eq!(all(&collection).await, expected);
}

#[tokio::test]
async fn a_second_document_of_the_same_id_is_refused_in_mongodbs_words() {
    let (_store, collection) = new_collection().await;
    one(&collection, insert_op(doc! {"_id": 1})).await.unwrap();
    let error = one(&collection, insert_op(doc! {"_id": 1.0})).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "E11000 duplicate key error collection: db.coll index: _id_ dup key: { _id: 1.0 }"
    );
}

#[tokio::test]
async fn an_ordered_commit_stops_at_the_first_failure_and_an_unordered_one_goes_on() {
    let (_store, collection) = new_collection().await;
    let operations = || {
        [1, 1, 2]
            .map(|n| insert_op(doc! {"_id": n}))
            .into_iter()
            .collect::<Vec<_>>()
    };
    let outcomes = run(&collection, operations()).await;
    assert!(matches!(
        outcomes[..],
        [Outcome::Inserted { .. }, Outcome::Failed(_), Outcome::Skipped]
    ));
    let unordered = CommitOptions {
        ordered: false,
        ..CommitOptions::default()
    };
    let outcomes = collection.commit(operations(), unordered).await.unwrap();
    assert!(matches!(
        outcomes[..],
        [Outcome::Failed(_), Outcome::Failed(_), Outcome::Inserted { .. }]
    ));
}

#[tokio::test]
async fn a_changed_document_keeps_its_place() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(3)).await;
    let outcome = one(&collection, put_op(1, doc! {"_id": 1, "b": "longer than before"}))
        .await
        .unwrap();
    assert!(matches!(outcome, Outcome::Updated { .. }));
    let ids: Vec<_> = all(&collection)
        .await
        .iter()
        .map(|d| d.get("_id").cloned().unwrap())
        .collect();
    assert_eq!(ids, value::array![0, 1, 2]);
    assert_eq!(
        by_id(&collection, 1).await,
        Some(doc! {"_id": 1, "b": "longer than before"})
    );
}

#[tokio::test]
async fn a_deleted_document_is_gone_and_may_come_again() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(3)).await;
    assert!(matches!(
        one(&collection, delete_op(1)).await,
        Ok(Outcome::Deleted { .. })
    ));
    assert!(matches!(
        one(&collection, delete_op(1)).await,
        Ok(Outcome::NotMatched)
    ));
    assert_eq!(by_id(&collection, 1).await, None);
    one(&collection, insert_op(doc! {"_id": 1, "again": true}))
        .await
        .unwrap();
    assert_eq!(by_id(&collection, 1).await, Some(doc! {"_id": 1, "again": true}));
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn a_transformation_of_a_missing_document_inserts_it() {
    let (_store, collection) = new_collection().await;
    let outcome = one(&collection, put_op("new", doc! {"_id": "new"}))
        .await
        .unwrap();
    assert!(matches!(outcome, Outcome::Inserted { .. }));
    assert_eq!(all(&collection).await, [doc! {"_id": "new"}]);
}

#[tokio::test]
async fn the_id_of_a_document_cannot_change() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(1)).await;
    let refused = one(&collection, put_op(0, doc! {"_id": 5})).await;
    assert!(matches!(refused, Err(StoreError::ImmutableId)));
}

#[tokio::test]
async fn ids_that_none_can_have_are_refused() {
    let (_store, collection) = new_collection().await;
    for document in [doc! {"a": 1}, doc! {"_id": [1]}] {
        let refused = one(&collection, insert_op(document)).await;
        assert!(matches!(refused, Err(StoreError::BadId(_))));
    }
}

#[tokio::test]
async fn operations_of_one_commit_see_those_before_them() {
    let (_store, collection) = new_collection().await;
    let operations = vec![
        insert_op(doc! {"_id": 1, "n": 1}),
        put_op(1, doc! {"_id": 1, "n": 2}),
        delete_op(1),
        insert_op(doc! {"_id": 1, "n": 3}),
    ];
    let outcomes = run(&collection, operations).await;
    assert!(
        outcomes
            .iter()
            .all(|outcome| !matches!(outcome, Outcome::Failed(_))),
        "{outcomes:?}"
    );
    assert_eq!(all(&collection).await, [doc! {"_id": 1, "n": 3}]);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn counts_and_sizes_follow_the_documents() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(10)).await;
    run(
        &collection,
        vec![delete_op(1), put_op(2, doc! {"_id": 2, "text": "some text"})],
    )
    .await;
    let stats = collection.stats();
    let documents = all(&collection).await;
    let bytes: usize = documents
        .iter()
        .map(|document| DocumentBuf::from(document).bytes().len())
        .sum();
    assert_eq!(
        (stats.count, stats.data_bytes, stats.deleted),
        (9, bytes as u64, 1)
    );
}

#[tokio::test]
async fn many_writers_at_once_lose_nothing() {
    let (_store, collection) = new_collection().await;
    let writers = (0..50).map(|n| {
        let collection = collection.clone();
        tokio::spawn(async move { one(&collection, insert_op(doc! {"_id": n})).await.unwrap() })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(collection.stats().count, 50);
    assert!(collection.validate(true).await.unwrap().is_valid());
}

/// The documents are too long to be changed in one commit, so the rest is changed in the next, in order.
#[tokio::test]
async fn changes_of_long_documents_at_once_are_made_in_their_order() {
    const TURNS: i32 = 9;
    let (_store, collection) = new_collection().await;
    let text = "x".repeat(5 << 20);
    let long = |n: i32| DocumentBuf::from(&doc! {"_id": 1, "n": n, "text": text.as_str()});
    run(&collection, vec![WriteOp::Insert(long(0))]).await;
    let turns = (0..TURNS).map(|n| {
        let after = long(n + 1);
        let change = move |present: Option<Present<'_>>| {
            let before = present.and_then(|present| present.document.as_raw().get("n")?.as_i64_exact());
            assert_eq!(before, Some(i64::from(n)));
            Ok(Transformed::Put(after.clone()))
        };
        let (collection, operation) = (
            collection.clone(),
            WriteOp::modify(Target::Id(Value::from(1)), change),
        );
        tokio::spawn(async move { one(&collection, operation).await })
    });
    for turn in turns.collect::<Vec<_>>() {
        assert!(matches!(turn.await.unwrap(), Ok(Outcome::Updated { .. })));
    }
    assert_eq!(
        by_id(&collection, 1).await.unwrap().get("n"),
        Some(&Value::Int32(TURNS))
    );
    assert!(collection.validate(true).await.unwrap().is_valid());
}
