//! `$rankFusion`: scores, order and details; options that are refused; metadata of documents.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::Engine;
use value::{Document, Value, array, doc};

async fn fruit() -> Engine {
    let engine = new_engine().await;
    let documents = [
        doc! {"_id": 3, "a": 10, "b": 20},
        doc! {"_id": 1, "a": 30, "b": 10},
        doc! {"_id": 2, "a": 20, "b": 30},
    ];
    insert(&engine, "fruit", &documents).await;
    engine
}

fn two_orders() -> Document {
    doc! {"pipelines": {"a": [{"$sort": {"a": -1}}], "b": [{"$match": {"_id": {"$ne": 1}}}, {"$sort": {"b": -1}}]}}
}

/// `_id`s and scores.
async fn scores(engine: &Engine, options: Document) -> Vec<(i32, f64)> {
    let stages = array![{"$rankFusion": options}, {"$match": {"_id": {"$gt": 0}}}, {"$project": {"score": {"$meta": "score"}}}];
    let documents = aggregate(engine, "fruit", stages).await.unwrap();
    let score = |document: &Document| match (document.get("_id"), document.get("score")) {
        (Some(Value::Int32(id)), Some(Value::Double(score))) => (*id, *score),
        other => panic!("{other:?}"),
    };
    documents.iter().map(score).collect()
}

#[tokio::test]
async fn documents_come_by_the_sum_of_their_weighed_ranks() {
    let engine = fruit().await;
    let scored = scores(&engine, doc! {"input": two_orders()}).await;
    let expected = [
        (2, 1.0 / 62.0 + 1.0 / 61.0),
        (3, 1.0 / 63.0 + 1.0 / 62.0),
        (1, 1.0 / 61.0),
    ];
    for ((id, score), (wanted, sum)) in scored.iter().zip(expected) {
        assert_eq!(*id, wanted);
        assert!((score - sum).abs() < 1e-12, "{id}: {score} for {sum}");
    }
    let weighed = doc! {"input": two_orders(), "combination": {"weights": {"b": 0}}};
    let ids: Vec<i32> = scores(&engine, weighed)
        .await
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    assert_eq!(ids, [1, 2, 3]);
}

#[tokio::test]
async fn equal_documents_have_one_rank_and_come_by_their_ids() {
    let engine = fruit().await;
    let input = doc! {"pipelines": {"same": [{"$sort": {"missing": 1}}]}};
    let scored = scores(&engine, doc! {"input": input}).await;
    assert_eq!(scored, [(1, 1.0 / 61.0), (2, 1.0 / 61.0), (3, 1.0 / 61.0)]);
}

#[tokio::test]
async fn details_tell_the_rank_in_each_pipeline() {
    let engine = fruit().await;
    let stages = array![
        {"$rankFusion": {"input": two_orders(), "scoreDetails": true}},
        {"$match": {"_id": 1}},
        {"$project": {"_id": 0, "details": {"$meta": "scoreDetails"}}},
        {"$project": {"details.details": 1, "again": {"$meta": "score"}}},
    ];
    let details = aggregate(&engine, "fruit", stages).await.unwrap();
    let expected = array![
        {"inputPipelineName": "a", "rank": 1, "weight": 1.0, "details": []},
        {"inputPipelineName": "b", "rank": "NA"},
    ];
    assert_eq!(
        details,
        [doc! {"details": {"details": expected}, "again": 1.0 / 61.0}]
    );
    let unasked =
        array![{"$rankFusion": {"input": two_orders()}}, {"$project": {"d": {"$meta": "scoreDetails"}}}];
    let error = aggregate(&engine, "fruit", unasked).await.unwrap_err();
    assert_eq!(error.code.number(), 40_218);
}

#[tokio::test]
async fn wrong_inputs_and_weights_are_refused() {
    let engine = fruit().await;
    let sorted = || doc! {"pipelines": {"a": [{"$sort": {"a": 1}}]}};
    let only = |stages: Vec<Value>| doc! {"input": {"pipelines": {"a": stages}}};
    let weights = |weights: Document| doc! {"input": sorted(), "combination": {"weights": weights}};
    let cases = [
        (doc! {}, 40_414),
        (doc! {"input": 1}, 14),
        (doc! {"input": {}}, 40_414),
        (doc! {"input": {"pipelines": {"a": 1}}}, 14),
        (
            doc! {"input": {"pipelines": {"a.b": [{"$sort": {"a": 1}}]}}},
            16_412,
        ),
        (only(array![1]), 14),
        (only(array![]), 9_834_300),
        (only(array![{"$match": {}}]), 9_191_100),
        (
            only(array![{"$sort": {"a": 1}}, {"$project": {"a": 1}}]),
            9_191_103,
        ),
        (only(array![{"$rankFusion": {"input": sorted()}}]), 10_473_002),
        (doc! {"input": sorted(), "scoreDetails": 1}, 14),
        (doc! {"input": sorted(), "combination": {}}, 40_414),
        (doc! {"input": sorted(), "more": 1}, 40_415),
        (weights(doc! {"a": "1"}), 13_118),
        (weights(doc! {"a": -1}), 9_460_300),
        (weights(doc! {"a": f64::NAN}), 9_460_300),
        (weights(doc! {"a": 1, "b": 1}), 9_460_301),
        (weights(doc! {"A": 1}), 9_967_500),
    ];
    for (options, code) in cases {
        let refused = aggregate(&engine, "fruit", array![{"$rankFusion": options.clone()}]).await;
        assert_eq!(refused.unwrap_err().code.number(), code, "{options:?}");
    }
    let second = array![{"$match": {}}, {"$rankFusion": {"input": sorted()}}];
    let refused = aggregate(&engine, "fruit", second).await;
    assert_eq!(refused.unwrap_err().code.number(), 10_170_100);
}

#[tokio::test]
async fn metadata_goes_with_documents_through_sorts() {
    let engine = fruit().await;
    engine
        .create_indexes(&namespace("fruit"), &[doc! {"key": {"at": "2d"}, "name": "at"}])
        .await
        .unwrap();
    insert(&engine, "fruit", &[doc! {"_id": 9, "at": [3, 4]}]).await;
    let near = doc! {"$geoNear": {"near": [0, 0]}};
    let far = doc! {"$project": {"_id": 1, "far": {"$meta": "geoNearDistance"}, "place": {"$meta": "geoNearPoint"}}};
    let found = aggregate(
        &engine,
        "fruit",
        array![near.clone(), {"$sort": {"_id": 1}}, far.clone()],
    )
    .await;
    assert_eq!(found.unwrap(), [doc! {"_id": 9, "far": 5.0, "place": [3, 4]}]);
    insert(
        &engine,
        "fruit",
        &[doc! {"_id": 10, "at": [6, 8]}, doc! {"_id": 11, "at": [0, 1]}],
    )
    .await;
    let farthest = doc! {"$sort": {"far": {"$meta": "geoNearDistance"}}};
    let found = aggregate(
        &engine,
        "fruit",
        array![near.clone(), farthest.clone(), far.clone()],
    )
    .await;
    let ids: Vec<_> = found
        .unwrap()
        .iter()
        .filter_map(|found| found.get("_id").cloned())
        .collect();
    assert_eq!(ids, [10, 9, 11].map(Value::Int32));
    let error = aggregate(&engine, "fruit", array![farthest]).await.unwrap_err();
    assert_eq!(error.code.number(), 40_218);
}
