//! Updates and deletes executed on a collection.

use crate::write_support::*;
use language::expression::Variables;
use query::plan::Ordering;
use query::write::{
    self, FindAndModify, Lookup, UpdateRequest, ValidationAction, ValidationLevel, Validator, WriteError,
    WriteOptions,
};
use std::sync::Arc;
use store::StatementId;
use value::{Document, doc};

#[tokio::test]
async fn one_statement_changes_the_first_or_all_that_match() {
    let (_store, collection) = new_collection().await;
    insert(&collection, (0..5).map(|n| doc! {"_id": n, "a": (n % 2)})).await;
    let once = update(&collection, vec![request(doc! {"a": 1}, doc! {"$set": {"b": 1}})]).await;
    assert_eq!((once.matched, once.modified), (1, 1));
    let many = UpdateRequest {
        multi: true,
        ..request(doc! {"a": 1}, doc! {"$set": {"b": 1}})
    };
    let many = update(&collection, vec![many]).await;
    assert_eq!((many.matched, many.modified), (2, 1));
    assert_eq!(all(&collection).await[3], doc! {"_id": 3, "a": 1, "b": 1});
}

#[tokio::test]
async fn a_random_filter_draws_once_for_a_document() {
    const COUNT: u64 = 400;
    let (_store, collection) = new_collection().await;
    insert(&collection, (0..COUNT as i32).map(|id| doc! {"_id": id})).await;
    for filter in [
        doc! {"$expr": {"$lt": [{"$rand": {}}, 0.5]}},
        doc! {"$sampleRate": 0.5},
    ] {
        let mut all = request(filter.clone(), doc! {"$inc": {"n": 1}});
        all.multi = true;
        let matched = update(&collection, vec![all]).await.matched;
        // Half of them; drawn twice it would be a quarter. One run in a million goes past this.
        assert!(
            (COUNT * 3 / 8..COUNT * 5 / 8).contains(&matched),
            "{filter:?}: {matched}"
        );
    }
}

#[tokio::test]
async fn statements_run_in_order_whatever_their_kind() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": 0}]).await;
    let by_id = || request(doc! {"_id": 1}, doc! {"$inc": {"a": 1}});
    let planned = request(doc! {"a": 2}, doc! {"$set": {"a": 10}});
    let done = update(&collection, vec![by_id(), by_id(), planned, by_id()]).await;
    assert_eq!((done.matched, done.modified), (4, 4));
    assert_eq!(all(&collection).await, [doc! {"_id": 1, "a": 11}]);
}

#[tokio::test]
async fn an_ordered_update_stops_at_the_first_failure() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": "x"}, doc! {"_id": 2, "a": 0}]).await;
    let statements = || {
        vec![
            request(doc! {"_id": 1}, doc! {"$inc": {"a": 1}}),
            request(doc! {"_id": 2}, doc! {"$inc": {"a": 1}}),
        ]
    };
    let done = update(&collection, statements()).await;
    assert_eq!((done.matched, done.failures.len()), (0, 1));
    let unordered = WriteOptions {
        ordered: false,
        ..WriteOptions::default()
    };
    let done = write::update(&collection, statements(), &unordered)
        .await
        .unwrap();
    assert_eq!((done.matched, done.failures.len()), (1, 1));
    assert_eq!(done.failures[0].0, 0);
}

#[tokio::test]
async fn an_upsert_makes_what_the_query_says() {
    let (_store, collection) = new_collection().await;
    let by_id = UpdateRequest {
        upsert: true,
        ..request(doc! {"_id": 7}, doc! {"$inc": {"n": 1}})
    };
    let planned = UpdateRequest {
        upsert: true,
        ..request(doc! {"k": "x"}, doc! {"$setOnInsert": {"_id": 8}})
    };
    let done = update(&collection, vec![by_id.clone(), by_id, planned]).await;
    assert_eq!((done.matched, done.modified), (1, 1));
    assert_eq!(done.upserted, [(0, 7.into()), (2, 8.into())]);
    assert_eq!(
        all(&collection).await,
        [doc! {"_id": 7, "n": 2}, doc! {"_id": 8, "k": "x"}]
    );
}

#[tokio::test]
async fn an_upsert_whose_id_is_taken_is_a_duplicate_key() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": 1}]).await;
    let upsert = UpdateRequest {
        upsert: true,
        ..request(doc! {"_id": 1, "a": 2}, doc! {"$set": {"b": 1}})
    };
    let done = update(&collection, vec![upsert]).await;
    assert!(
        done.failures[0]
            .1
            .to_string()
            .starts_with("E11000 duplicate key error collection: db.coll")
    );
}

#[tokio::test]
async fn an_upsert_whose_key_is_taken_by_what_does_not_match_is_a_duplicate_key() {
    let (_store, collection) = new_collection().await;
    unique_index(&collection, doc! {"k": 1}).await;
    insert(&collection, [doc! {"_id": 1, "k": "x", "until": 9}]).await;
    let upsert = UpdateRequest {
        upsert: true,
        ..request(doc! {"k": "x", "until": {"$lt": 5}}, doc! {"$set": {"until": 20}})
    };
    let done = update(&collection, vec![upsert]).await;
    let message = done.failures[0].1.to_string();
    assert!(
        message.starts_with("E11000 duplicate key error collection: db.coll"),
        "{message}"
    );
}

#[tokio::test]
async fn deletes_remove_one_or_all() {
    let (_store, collection) = new_collection().await;
    insert(&collection, (0..5).map(|n| doc! {"_id": n, "a": 1})).await;
    let statements = vec![
        removal(doc! {"a": 1}, true),
        removal(doc! {"_id": 3}, true),
        removal(doc! {"_id": 3}, true),
    ];
    let done = write::delete(&collection, statements, &WriteOptions::default())
        .await
        .unwrap();
    assert_eq!(done.count, 2);
    let rest = write::delete(
        &collection,
        vec![removal(doc! {}, false)],
        &WriteOptions::default(),
    )
    .await
    .unwrap();
    assert_eq!(rest.count, 3);
    assert!(all(&collection).await.is_empty());
}

fn modify(query: Document, update: Option<Document>) -> FindAndModify {
    FindAndModify {
        lookup: Lookup::new(filter(query)),
        update: update.map(parsed),
        return_new: false,
        upsert: false,
        projection: None,
        variables: Arc::new(Variables::new(0)),
    }
}

#[tokio::test]
async fn find_and_modify_gives_the_document_before_or_after() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": 1}, doc! {"_id": 2, "a": 5}]).await;
    let options = WriteOptions::default();
    let newest = FindAndModify {
        lookup: Lookup {
            ordering: Ordering::parse(&doc! {"a": (-1)}).unwrap(),
            ..Lookup::new(filter(doc! {}))
        },
        ..modify(doc! {}, Some(doc! {"$inc": {"a": 1}}))
    };
    let before = write::find_and_modify(&collection, &newest, &options)
        .await
        .unwrap();
    assert_eq!(before.document.unwrap().to_document(), doc! {"_id": 2, "a": 5});
    let newest = FindAndModify {
        return_new: true,
        ..newest
    };
    let after = write::find_and_modify(&collection, &newest, &options)
        .await
        .unwrap();
    assert_eq!(after.document.unwrap().to_document(), doc! {"_id": 2, "a": 7});
    let removed = write::find_and_modify(&collection, &modify(doc! {"_id": 2}, None), &options)
        .await
        .unwrap();
    assert!(removed.existed);
    let upsert = FindAndModify {
        upsert: true,
        return_new: true,
        ..modify(doc! {"_id": 9}, Some(doc! {"$set": {"a": 1}}))
    };
    let made = write::find_and_modify(&collection, &upsert, &options)
        .await
        .unwrap();
    assert_eq!((made.existed, made.upserted), (false, Some(9.into())));
    assert_eq!(made.document.unwrap().to_document(), doc! {"_id": 9, "a": 1});
}

#[tokio::test]
async fn a_statement_is_executed_once_however_often_it_is_sent() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": 1}, doc! {"_id": 2, "a": 1}]).await;
    let statement = |statement| {
        Some(StatementId {
            session: [7; 32],
            number: 1,
            statement,
        })
    };
    let options = WriteOptions {
        statements: vec![statement(0), statement(1)],
        ..WriteOptions::default()
    };
    let requests = || {
        vec![
            request(doc! {"_id": 1}, doc! {"$inc": {"a": 1}}),
            UpdateRequest {
                upsert: true,
                ..request(doc! {"k": 5}, doc! {"$set": {"_id": 3}})
            },
        ]
    };
    for _ in 0..3 {
        let done = write::update(&collection, requests(), &options).await.unwrap();
        assert_eq!(
            (done.matched, done.modified, done.upserted),
            (1, 1, vec![(1, 3.into())])
        );
    }
    let expected = [
        doc! {"_id": 1, "a": 2},
        doc! {"_id": 2, "a": 1},
        doc! {"_id": 3, "k": 5},
    ];
    assert_eq!(all(&collection).await, expected);
}

#[tokio::test]
async fn a_retried_find_and_modify_gives_the_same_document() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": 1}]).await;
    let statement = StatementId {
        session: [7; 32],
        number: 1,
        statement: 0,
    };
    let options = WriteOptions {
        statements: vec![Some(statement)],
        ..WriteOptions::default()
    };
    let request = FindAndModify {
        return_new: true,
        ..modify(doc! {"a": {"$gt": 0}}, Some(doc! {"$inc": {"a": 1}}))
    };
    for _ in 0..2 {
        let done = write::find_and_modify(&collection, &request, &options)
            .await
            .unwrap();
        assert_eq!(done.document.unwrap().to_document(), doc! {"_id": 1, "a": 2});
        assert!(done.existed);
    }
}

#[tokio::test]
async fn a_document_that_the_validator_refuses_is_refused_with_details() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": 1}]).await;
    let source = doc! {"a": {"$gte": 0}};
    let validator = Validator {
        filter: filter(source.clone()),
        source,
        level: ValidationLevel::Strict,
        action: ValidationAction::Refuse,
    };
    let options = WriteOptions {
        validator: Some(Arc::new(validator)),
        ..WriteOptions::default()
    };
    let requests = vec![request(doc! {"_id": 1}, doc! {"$set": {"a": (-1)}})];
    let done = write::update(&collection, requests, &options).await.unwrap();
    match &done.failures[0].1 {
        WriteError::Validation(details) => assert_eq!(details.get("failingDocumentId"), Some(&1.into())),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_increments_are_all_counted() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "k": "x", "n": 0}]).await;
    let tasks: Vec<_> = (0..40)
        .map(|task| {
            let collection = collection.clone();
            let query = if task % 2 == 0 {
                doc! {"_id": 1}
            } else {
                doc! {"k": "x"}
            };
            tokio::spawn(async move {
                for _ in 0..25 {
                    let done =
                        update(&collection, vec![request(query.clone(), doc! {"$inc": {"n": 1}})]).await;
                    assert_eq!(done.modified, 1);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(all(&collection).await, [doc! {"_id": 1, "k": "x", "n": 1000}]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_upserts_of_a_unique_key_make_one_document() {
    let (_store, collection) = new_collection().await;
    unique_index(&collection, doc! {"k": 1}).await;
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let collection = collection.clone();
            tokio::spawn(async move {
                let upsert = UpdateRequest {
                    upsert: true,
                    ..request(doc! {"k": "x"}, doc! {"$inc": {"n": 1}})
                };
                let done = update(&collection, vec![upsert]).await;
                assert!(done.failures.is_empty(), "{:?}", done.failures);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let documents = all(&collection).await;
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0].get("n"), Some(&20.into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workers_never_take_the_same_job() {
    let (_store, collection) = new_collection().await;
    insert(&collection, (0..100).map(|n| doc! {"_id": n, "taken": false})).await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let collection = collection.clone();
            tokio::spawn(async move {
                let take = modify(doc! {"taken": false}, Some(doc! {"$set": {"taken": true}}));
                let mut taken = 0;
                while write::find_and_modify(&collection, &take, &WriteOptions::default())
                    .await
                    .unwrap()
                    .existed
                {
                    taken += 1;
                }
                taken
            })
        })
        .collect();
    let mut total = 0;
    for task in tasks {
        total += task.await.unwrap();
    }
    assert_eq!(total, 100);
}

#[tokio::test]
async fn an_upsert_makes_no_document_where_one_matches() {
    let (_store, collection) = new_collection().await;
    insert(&collection, [doc! {"_id": 1, "a": [1, 2]}]).await;
    let positional = request(doc! {"_id": 1, "a": 2}, doc! {"$set": {"a.$": 9}});
    let done = update(
        &collection,
        vec![UpdateRequest {
            upsert: true,
            ..positional
        }],
    )
    .await;
    assert!(done.failures.is_empty(), "{:?}", done.failures);
    assert_eq!(all(&collection).await, [doc! {"_id": 1, "a": [1, 9]}]);
}
