//! Pipelines that reach other collections: joins, unions, writing, views.

use crate::support::{aggregate, insert, namespace, new_engine};
use code::Code;
use engine::{CreateRequest, Engine};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use value::{Document, Value, array, doc};

async fn all(engine: &Engine, collection: &str) -> Vec<Document> {
    aggregate(engine, collection, array![{"$sort": {"_id": 1}}])
        .await
        .unwrap()
}

#[tokio::test]
async fn a_lookup_joins_arrays_by_their_elements_and_missing_values_with_null() {
    let engine = new_engine().await;
    insert(
        &engine,
        "orders",
        &[
            doc! {"_id": 1, "item": ["a", "b"]},
            doc! {"_id": 2},
            doc! {"_id": 3, "item": "x"},
        ],
    )
    .await;
    insert(
        &engine,
        "items",
        &[
            doc! {"_id": 1, "sku": "a"},
            doc! {"_id": 2, "sku": ["b", "c"]},
            doc! {"_id": 3, "sku": null},
        ],
    )
    .await;
    let stages = array![
        {"$lookup": {"from": "items", "localField": "item", "foreignField": "sku", "as": "found"}},
        {"$project": {"found": "$found._id"}}, {"$sort": {"_id": 1}},
    ];
    let joined = aggregate(&engine, "orders", stages).await.unwrap();
    assert_eq!(
        joined,
        [
            doc! {"_id": 1, "found": [1, 2]},
            doc! {"_id": 2, "found": [3]},
            doc! {"_id": 3, "found": Value::Array(vec![])},
        ]
    );
}

#[tokio::test]
async fn a_lookup_takes_documents_with_dollars_in_their_names_for_values() {
    let engine = new_engine().await;
    let keyed = [
        doc! {"_id": 1, "key": {"$x": 1}},
        doc! {"_id": 2, "key": {"$gt": 0}},
        doc! {"_id": 3, "key": 5},
    ];
    insert(&engine, "keyed", &keyed).await;
    let asking = [
        doc! {"_id": 1, "wants": [{"$x": 1}, 5]},
        doc! {"_id": 2, "wants": {"$gt": 0}},
        doc! {"_id": 3, "wants": [{"$gt": 0}, {"$x": 2}]},
    ];
    insert(&engine, "asking", &asking).await;
    let fields = doc! {"from": "keyed", "localField": "wants", "foreignField": "key", "as": "found"};
    let lookups = [fields.clone(), fields.with("pipeline", array![{"$match": {}}])];
    for lookup in lookups {
        let stages =
            array![{"$lookup": lookup}, {"$project": {"found": "$found._id"}}, {"$sort": {"_id": 1}}];
        let expected = [
            doc! {"_id": 1, "found": [1, 3]},
            doc! {"_id": 2, "found": [2]},
            doc! {"_id": 3, "found": [2]},
        ];
        assert_eq!(aggregate(&engine, "asking", stages).await.unwrap(), expected);
    }
}

/// A few documents become many, which are returned a page at a time.
#[tokio::test]
async fn lookups_of_long_documents_give_all_in_their_order() {
    let engine = new_engine().await;
    insert(
        &engine,
        "long",
        &[doc! {"_id": 1, "key": 1, "text": "x".repeat(1_500_000)}],
    )
    .await;
    let asking = |n: i32| doc! {"_id": n, "wants": i32::from(n >= 500)};
    insert(&engine, "asking", &(0..530).map(asking).collect::<Vec<_>>()).await;
    let fields = doc! {"from": "long", "localField": "wants", "foreignField": "key", "as": "found"};
    let graph = doc! {
        "from": "long", "startWith": "$wants", "connectFromField": "none", "connectToField": "key", "as": "found",
    };
    let stages = [
        doc! {"$lookup": (fields.clone())},
        doc! {"$lookup": (fields.with("pipeline", array![{"$match": {}}]))},
        doc! {"$graphLookup": graph},
    ];
    for stage in stages {
        let pipeline = array![
            {"$sort": {"_id": 1}}, (stage.clone()), {"$set": {"found": {"$size": "$found"}}},
            {"$group": {"_id": "$found", "ids": {"$push": "$_id"}}}, {"$sort": {"_id": 1}},
        ];
        let groups = aggregate(&engine, "asking", pipeline).await.unwrap();
        let ids = |range: std::ops::Range<i32>| range.map(Value::Int32).collect::<Value>();
        let expected = [
            doc! {"_id": 0, "ids": (ids(0..500))},
            doc! {"_id": 1, "ids": (ids(500..530))},
        ];
        assert_eq!(groups, expected, "{stage:?}");
    }
}

/// For many documents a look-up reads the whole other collection; for few it uses the other collection's index.
#[tokio::test]
async fn a_lookup_finds_the_same_in_the_whole_other_side_as_by_its_index() {
    let engine = new_engine().await;
    let other = |n: i32| match n % 7 {
        0 => doc! {"_id": n, "key": [n % 90, (n + 1) % 90]},
        1 => doc! {"_id": n, "key": null},
        2 => doc! {"_id": n},
        3 => doc! {"_id": n, "key": f64::from(n % 90)},
        _ => doc! {"_id": n, "key": n % 90},
    };
    insert(&engine, "others", &(0..700).map(other).collect::<Vec<_>>()).await;
    let asking = |n: i32| match n % 11 {
        0 => doc! {"_id": n, "wants": [n % 90, "none", n % 70]},
        1 => doc! {"_id": n},
        _ => doc! {"_id": n, "wants": n % 100},
    };
    insert(&engine, "asking", &(0..1500).map(asking).collect::<Vec<_>>()).await;
    let lookup = doc! {"from": "others", "localField": "wants", "foreignField": "key", "as": "found"};
    let sorted = doc! {"found": {"$sortArray": {"input": "$found", "sortBy": {"_id": 1}}}};
    let plain = doc! {"wants": {"$exists": true}, "_id": {"$gte": 0}};
    // All in one document, because a first batch could not hold them.
    let together = array![
        {"$match": plain}, {"$sort": {"_id": 1}}, {"$lookup": (lookup.clone())}, {"$set": (sorted.clone())},
        {"$group": {"_id": null, "all": {"$push": "$$ROOT"}}},
    ];
    let together = aggregate(&engine, "asking", together).await.unwrap();
    let Some(Value::Array(together)) = together[0].get("all") else {
        panic!("no array");
    };
    assert!(together.len() > 1000);
    for joined in together.iter().step_by(13) {
        let Value::Document(joined) = joined else {
            panic!("{joined:?}");
        };
        let one = doc! {"_id": (joined.get("_id").cloned().unwrap())};
        let alone = array![{"$match": one}, {"$lookup": (lookup.clone())}, {"$set": (sorted.clone())}];
        assert_eq!(
            aggregate(&engine, "asking", alone).await.unwrap(),
            std::slice::from_ref(joined)
        );
    }
}

#[tokio::test]
async fn a_lookup_runs_its_stages_with_variables_on_a_view() {
    let engine = new_engine().await;
    insert(&engine, "a", &[doc! {"_id": 1, "limit": 2}]).await;
    insert(
        &engine,
        "b",
        &[
            doc! {"_id": 1, "n": 1},
            doc! {"_id": 2, "n": 2},
            doc! {"_id": 3, "n": 3},
        ],
    )
    .await;
    let view = CreateRequest {
        options: doc! {"viewOn": "b", "pipeline": [{"$match": {"n": {"$gt": 1}}}]},
        ..CreateRequest::default()
    };
    engine.create_collection(&namespace("large"), view).await.unwrap();
    let stages = array![{"$lookup": {
        "from": "large", "let": {"most": "$limit"},
        "pipeline": [{"$match": {"$expr": {"$lte": ["$n", "$$most"]}}}], "as": "found",
    }}];
    let joined = aggregate(&engine, "a", stages).await.unwrap();
    assert_eq!(
        joined,
        [doc! {"_id": 1, "limit": 2, "found": [{"_id": 2, "n": 2}]}]
    );
}

#[tokio::test]
async fn a_union_comes_behind_and_goes_through_the_stages_that_follow() {
    let engine = new_engine().await;
    insert(&engine, "a", &[doc! {"_id": 1}]).await;
    insert(&engine, "b", &[doc! {"_id": 2}, doc! {"_id": 3}]).await;
    let stages = array![
        {"$unionWith": {"coll": "b", "pipeline": [{"$match": {"_id": 3}}]}},
        {"$group": {"_id": null, "ids": {"$push": "$_id"}}},
    ];
    let united = aggregate(&engine, "a", stages).await.unwrap();
    assert_eq!(united, [doc! {"_id": null, "ids": [1, 3]}]);
}

#[tokio::test]
async fn out_replaces_a_collection_and_keeps_its_indexes() {
    let engine = new_engine().await;
    insert(&engine, "a", &[doc! {"_id": 1, "k": 5}]).await;
    insert(&engine, "target", &[doc! {"_id": 9}]).await;
    let index = [doc! {"key": {"k": 1}, "name": "k_1", "unique": true}];
    engine.create_indexes(&namespace("target"), &index).await.unwrap();
    assert!(
        aggregate(&engine, "a", array![{"$out": "target"}])
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(all(&engine, "target").await, [doc! {"_id": 1, "k": 5}]);
    assert_eq!(engine.indexes(&namespace("target")).unwrap().len(), 2);
    let names: Vec<String> = engine
        .collections("db")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["a", "target"], "nothing temporary is left");
}

#[tokio::test]
async fn an_out_that_fails_leaves_the_collection_as_it_was() {
    let engine = new_engine().await;
    insert(&engine, "a", &[doc! {"_id": 1, "k": 1}, doc! {"_id": 2, "k": 1}]).await;
    insert(&engine, "target", &[doc! {"_id": 9}]).await;
    let index = [doc! {"key": {"k": 1}, "name": "k_1", "unique": true}];
    engine.create_indexes(&namespace("target"), &index).await.unwrap();
    let error = aggregate(&engine, "a", array![{"$out": "target"}])
        .await
        .unwrap_err();
    assert_eq!(error.code, Code::DUPLICATE_KEY);
    assert_eq!(all(&engine, "target").await, [doc! {"_id": 9}]);
}

#[tokio::test]
async fn merge_does_what_its_modes_say() {
    let cases = [
        (
            "replace",
            "insert",
            array![{"_id": 1, "a": 1}, {"_id": 2, "a": 2}],
        ),
        (
            "merge",
            "insert",
            array![{"_id": 1, "old": true, "a": 1}, {"_id": 2, "a": 2}],
        ),
        (
            "keepExisting",
            "insert",
            array![{"_id": 1, "old": true}, {"_id": 2, "a": 2}],
        ),
        ("replace", "discard", array![{"_id": 1, "a": 1}]),
    ];
    for (matched, not_matched, expected) in cases {
        let engine = new_engine().await;
        insert(&engine, "a", &[doc! {"_id": 1, "a": 1}, doc! {"_id": 2, "a": 2}]).await;
        insert(&engine, "target", &[doc! {"_id": 1, "old": true}]).await;
        let stages =
            array![{"$merge": {"into": "target", "whenMatched": matched, "whenNotMatched": not_matched}}];
        aggregate(&engine, "a", stages).await.unwrap();
        let merged: Vec<Value> = all(&engine, "target")
            .await
            .into_iter()
            .map(Value::from)
            .collect();
        assert_eq!(merged, expected, "{matched} and {not_matched}");
    }
}

#[tokio::test]
async fn merge_runs_a_pipeline_on_what_is_there_and_inserts_what_is_not() {
    let engine = new_engine().await;
    insert(&engine, "a", &[doc! {"_id": 1, "n": 5}, doc! {"_id": 2, "n": 7}]).await;
    insert(&engine, "target", &[doc! {"_id": 1, "n": 10}]).await;
    let stages = array![{"$merge": {
        "into": "target", "let": {"more": "$n"},
        "whenMatched": [{"$set": {"n": {"$add": ["$n", "$$more"]}}}], "whenNotMatched": "insert",
    }}];
    aggregate(&engine, "a", stages).await.unwrap();
    assert_eq!(
        all(&engine, "target").await,
        [doc! {"_id": 1, "n": 15}, doc! {"_id": 2, "n": 7}]
    );
}

#[tokio::test]
async fn merge_needs_a_unique_index_on_its_fields() {
    let engine = new_engine().await;
    insert(&engine, "a", &[doc! {"_id": 1, "k": 1}]).await;
    insert(&engine, "target", &[doc! {"_id": 9, "k": 1}]).await;
    let merge = || array![{"$project": {"_id": 0}}, {"$merge": {"into": "target", "on": "k"}}];
    let error = aggregate(&engine, "a", merge()).await.unwrap_err();
    assert_eq!(error.code, Code::location(51_183));
    let index = [doc! {"key": {"k": 1}, "name": "k_1", "unique": true}];
    engine.create_indexes(&namespace("target"), &index).await.unwrap();
    aggregate(&engine, "a", merge()).await.unwrap();
    assert_eq!(all(&engine, "target").await, [doc! {"_id": 9, "k": 1}]);
}

#[tokio::test]
async fn a_view_cannot_write() {
    let engine = new_engine().await;
    let view = CreateRequest {
        options: doc! {"viewOn": "a", "pipeline": [{"$out": "b"}]},
        ..CreateRequest::default()
    };
    let error = engine
        .create_collection(&namespace("view"), view)
        .await
        .unwrap_err();
    assert_eq!(error.code, Code::OPTION_NOT_SUPPORTED_ON_VIEW);
}

#[tokio::test]
async fn a_view_reads_no_view_of_another_collation_and_not_itself() {
    let engine = new_engine().await;
    let make = |name: &'static str, options: Document| {
        let request = CreateRequest {
            options,
            ..CreateRequest::default()
        };
        let engine = &engine;
        async move { engine.create_collection(&namespace(name), request).await }
    };
    let german = doc! {"locale": "de"};
    let options = doc! {"viewOn": "a", "pipeline": [], "collation": german.clone()};
    make("german", options).await.unwrap();
    let reads = [
        doc! {"$lookup": {"from": "german", "localField": "a", "foreignField": "a", "as": "b"}},
        doc! {"$graphLookup": {"from": "german", "startWith": "$a", "connectFromField": "a", "connectToField": "a", "as": "b"}},
        doc! {"$unionWith": "german"},
        doc! {"$facet": {"f": [{"$unionWith": "german"}]}},
        doc! {"$lookup": {"from": "a", "as": "b", "pipeline": [{"$unionWith": "german"}]}},
    ];
    for stage in reads {
        let plain = doc! {"viewOn": "a", "pipeline": [stage.clone()]};
        let error = make("plain", plain).await.unwrap_err();
        assert_eq!(error.code, Code::OPTION_NOT_SUPPORTED_ON_VIEW, "{stage:?}");
        let same = doc! {"viewOn": "a", "pipeline": [stage.clone()], "collation": german.clone()};
        make("same", same).await.unwrap();
        engine.drop_collection(&namespace("same")).await.unwrap();
        let itself = doc! {"viewOn": "a", "pipeline": [stage.clone(), {"$unionWith": "itself"}], "collation": german.clone()};
        let error = make("itself", itself).await.unwrap_err();
        assert_eq!(error.code, Code::GRAPH_CONTAINS_CYCLE, "{stage:?}");
    }
}

#[tokio::test]
async fn a_clustered_collection_has_the_order_of_its_ids() {
    let engine = new_engine().await;
    let clustered = CreateRequest {
        options: doc! {"clusteredIndex": {"key": {"_id": 1}, "unique": true, "name": "_id_"}},
        ..CreateRequest::default()
    };
    engine
        .create_collection(&namespace("clustered"), clustered)
        .await
        .unwrap();
    let documents = ["c", "a", "d", "b"].map(|id| doc! {"_id": id, "even": matches!(id, "d" | "b")});
    insert(&engine, "clustered", &documents).await;
    let ids = |stages: Vec<Value>| {
        let engine = &engine;
        async move {
            let found = aggregate(engine, "clustered", stages).await.unwrap();
            let ids = found.iter().filter_map(|document| document.get("_id").cloned());
            ids.collect::<Vec<Value>>()
        }
    };
    assert_eq!(ids(array![]).await, array!["a", "b", "c", "d"]);
    assert_eq!(ids(array![{"$match": {"even": true}}]).await, array!["b", "d"]);
}

#[tokio::test]
async fn whenever_an_out_ends_its_target_has_the_old_documents_or_the_new() {
    for polls in 1..60 {
        let engine = new_engine().await;
        insert(&engine, "source", &[doc! {"_id": "new"}]).await;
        insert(&engine, "target", &[doc! {"_id": "old"}]).await;
        {
            let mut out = pin!(aggregate(&engine, "source", array![{"$out": "target"}]));
            for _ in 0..polls {
                let is_done = poll_fn(|context| Poll::Ready(out.as_mut().poll(context).is_ready())).await;
                if is_done {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(all(&engine, "target").await.len(), 1, "after {polls}");
        let names: Vec<String> = engine.collections("db").into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["source", "target"], "after {polls}");
    }
}
