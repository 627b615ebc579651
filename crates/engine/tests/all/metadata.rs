//! What `$meta` returns after the stages that documents went through.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::Engine;
use value::{Document, Value, array, doc};

/// Two places, five and ten from the origin.
async fn places() -> Engine {
    let engine = new_engine().await;
    let documents = [
        doc! {"_id": 1, "at": [3, 4], "list": [1, 2], "words": "an apple"},
        doc! {"_id": 2, "at": [6, 8], "list": [3], "words": "an apple"},
    ];
    insert(&engine, "places", &documents).await;
    let indexes = [
        doc! {"key": {"at": "2d"}, "name": "at"},
        doc! {"key": {"words": "text"}, "name": "words"},
    ];
    engine
        .create_indexes(&namespace("places"), &indexes)
        .await
        .unwrap();
    engine
}

fn near() -> Document {
    doc! {"$geoNear": {"near": [0, 0]}}
}

fn far() -> Document {
    doc! {"$replaceWith": {"far": {"$meta": "geoNearDistance"}}}
}

#[tokio::test]
async fn a_document_made_from_one_other_keeps_its_metadata() {
    let engine = places().await;
    let cases: [(Document, &[f64]); 9] = [
        (doc! {"$unwind": "$list"}, &[5.0, 5.0, 10.0]),
        (
            doc! {"$unwind": {"path": "$list", "includeArrayIndex": "place"}},
            &[5.0, 5.0, 10.0],
        ),
        (
            doc! {"$lookup": {"from": "places", "localField": "list", "foreignField": "_id", "as": "found"}},
            &[5.0, 10.0],
        ),
        (
            doc! {"$lookup": {"from": "places", "pipeline": [{"$limit": 1}], "as": "found"}},
            &[5.0, 10.0],
        ),
        (
            doc! {"$graphLookup": {
                "from": "places", "startWith": "$list", "connectFromField": "list", "connectToField": "_id", "as": "found",
            }},
            &[5.0, 10.0],
        ),
        (doc! {"$redact": "$$KEEP"}, &[5.0, 10.0]),
        (doc! {"$redact": "$$DESCEND"}, &[5.0, 10.0]),
        (doc! {"$replaceWith": {"other": "$_id"}}, &[5.0, 10.0]),
        (
            doc! {"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"number": {"$documentNumber": {}}}}},
            &[5.0, 10.0],
        ),
    ];
    for (stage, distances) in cases {
        let stages = array![near(), stage.clone(), far()];
        let found = aggregate(&engine, "places", stages).await.unwrap();
        let expected: Vec<Document> = distances.iter().map(|far| doc! {"far": *far}).collect();
        assert_eq!(found, expected, "{stage:?}");
    }
}

#[tokio::test]
async fn stages_that_compute_see_metadata() {
    let engine = places().await;
    let grouped = array![
        near(),
        {"$group": {"_id": {"$meta": "geoNearDistance"}, "most": {"$max": {"$meta": "geoNearDistance"}}}},
        {"$sort": {"_id": 1}},
    ];
    let found = aggregate(&engine, "places", grouped).await.unwrap();
    assert_eq!(
        found,
        [doc! {"_id": 5.0, "most": 5.0}, doc! {"_id": 10.0, "most": 10.0}]
    );
    let bucketed = array![near(), {"$bucketAuto": {"groupBy": {"$meta": "geoNearDistance"}, "buckets": 1}}];
    let found = aggregate(&engine, "places", bucketed).await.unwrap();
    assert_eq!(
        found[0].get("_id"),
        Some(&Value::from(doc! {"min": 5.0, "max": 10.0}))
    );
    let looked_up = array![
        near(),
        {"$lookup": {
            "from": "places",
            "let": {"far": {"$meta": "geoNearDistance"}},
            "pipeline": [{"$limit": 1}, {"$project": {"_id": 0, "far": "$$far"}}],
            "as": "found",
        }},
        {"$project": {"_id": 0, "found": 1}},
    ];
    let found = aggregate(&engine, "places", looked_up).await.unwrap();
    assert_eq!(
        found,
        [doc! {"found": [{"far": 5.0}]}, doc! {"found": [{"far": 10.0}]}]
    );
    let redacted = array![
        near(),
        {"$redact": {"$cond": [{"$gt": [{"$meta": "geoNearDistance"}, 7]}, "$$KEEP", "$$PRUNE"]}},
        {"$project": {"_id": 1}},
    ];
    assert_eq!(
        aggregate(&engine, "places", redacted).await.unwrap(),
        [doc! {"_id": 2}]
    );
}

#[tokio::test]
async fn window_functions_see_metadata() {
    let engine = places().await;
    let far = doc! {"$meta": "geoNearDistance"};
    let output = doc! {
        "sum": {"$sum": far.clone()},
        "top": {"$top": {"sortBy": {"_id": 1}, "output": far.clone()}},
    };
    let windows = doc! {"partitionBy": far, "sortBy": {"_id": 1}, "output": output};
    let stages = array![
        near(),
        {"$setWindowFields": windows},
        {"$project": {"_id": 0, "sum": 1, "top": 1}},
    ];
    let found = aggregate(&engine, "places", stages).await.unwrap();
    assert_eq!(
        found,
        [doc! {"sum": 5.0, "top": 5.0}, doc! {"sum": 10.0, "top": 10.0}]
    );
}

#[tokio::test]
async fn scores_of_texts_are_grouped_by_and_have_a_second_name() {
    let engine = places().await;
    let searched = doc! {"$match": {"$text": {"$search": "apple"}}};
    let grouped = array![searched.clone(), {"$group": {"_id": {"$meta": "textScore"}, "count": {"$sum": 1}}}];
    let found = aggregate(&engine, "places", grouped).await.unwrap();
    assert!(matches!(found[0].get("_id"), Some(Value::Double(score)) if *score > 0.0));
    assert_eq!(found[0].get("count"), Some(&Value::Int32(2)));
    let named = array![
        searched,
        {"$project": {"_id": 0, "same": {"$eq": [{"$meta": "score"}, {"$meta": "textScore"}]}}},
    ];
    let found = aggregate(&engine, "places", named).await.unwrap();
    assert_eq!(found, [doc! {"same": true}, doc! {"same": true}]);
}

#[tokio::test]
async fn documents_made_of_many_have_no_metadata() {
    let engine = places().await;
    let grouped = array![near(), {"$group": {"_id": 1}}, far()];
    let found = aggregate(&engine, "places", grouped).await.unwrap();
    assert_eq!(found, [Document::new()]);
    let united = array![near(), {"$unionWith": "places"}, far()];
    let found = aggregate(&engine, "places", united).await.unwrap();
    assert_eq!(
        found,
        [
            doc! {"far": 5.0},
            doc! {"far": 10.0},
            Document::new(),
            Document::new()
        ]
    );
    // For scores that is known beforehand.
    let scored = array![
        {"$match": {"$text": {"$search": "apple"}}},
        {"$group": {"_id": 1}},
        {"$project": {"score": {"$meta": "score"}}},
    ];
    let error = aggregate(&engine, "places", scored).await.unwrap_err();
    assert_eq!(error.code.number(), 40_218);
}

#[tokio::test]
async fn sort_keys_are_known_after_a_sort() {
    let engine = places().await;
    let key = doc! {"$replaceWith": {"key": {"$meta": "sortKey"}}};
    let sort = doc! {"$sort": {"_id": -1}};
    let shown = |id: i32| doc! {"key": [id]};
    for (stages, expected) in [
        (array![sort.clone(), key.clone()], vec![shown(2), shown(1)]),
        (array![sort.clone(), {"$limit": 1}, key.clone()], vec![shown(2)]),
        (
            array![sort.clone(), {"$unwind": "$list"}, key.clone()],
            vec![shown(2), shown(1), shown(1)],
        ),
        (
            array![{"$unwind": "$list"}, {"$sort": {"list": -1}}, {"$limit": 1}, key.clone()],
            vec![shown(3)],
        ),
        // The last sort is the one that counts, in a facet too.
        (
            array![sort.clone(), {"$facet": {"f": [{"$sort": {"_id": 1}}, {"$limit": 1}, key.clone()]}}],
            vec![doc! {"f": [{"key": [1]}]}],
        ),
        (
            array![sort, key.clone(), {"$group": {"_id": "$key"}}, {"$sort": {"_id": 1}}],
            vec![doc! {"_id": [1]}, doc! {"_id": [2]}],
        ),
        (array![{"$match": {"_id": 1}}, key], vec![Document::new()]),
    ] {
        let found = aggregate(&engine, "places", stages.clone()).await.unwrap();
        assert_eq!(found, expected, "{stages:?}");
    }
}

#[tokio::test]
async fn record_ids_are_known_where_documents_are_read() {
    let engine = places().await;
    let place = doc! {"$project": {"place": {"$meta": "recordId"}}};
    for front in [doc! {"$match": {"_id": 2}}, doc! {"$sort": {"_id": -1}}] {
        let found = aggregate(&engine, "places", array![front, place.clone()])
            .await
            .unwrap();
        assert!(
            matches!(found[0].get("place"), Some(Value::Int64(_))),
            "{found:?}"
        );
    }
    // After other stages too, and in accumulators of groups.
    let behind: [&[Document]; 4] = [
        &[doc! {"$set": {"x": 1}}, doc! {"$match": {"x": 1}}],
        &[doc! {"$project": {"list": 1}}, doc! {"$unwind": "$list"}],
        &[doc! {"$match": {"$text": {"$search": "apple"}}}],
        &[near()],
    ];
    for front in behind {
        let stages = front.iter().chain([&place]).cloned().map(Value::from);
        let found = aggregate(&engine, "places", stages.collect()).await.unwrap();
        assert!(
            found
                .iter()
                .all(|one| matches!(one.get("place"), Some(Value::Int64(_))) && !one.contains("$recordId")),
            "{front:?}: {found:?}"
        );
    }
    let grouped = array![
        {"$group": {"_id": null, "places": {"$addToSet": {"$meta": "recordId"}}}},
        {"$project": {"_id": 0, "count": {"$size": "$places"}}},
    ];
    assert_eq!(
        aggregate(&engine, "places", grouped).await.unwrap(),
        [doc! {"count": 2}]
    );
    let made = array![{"$group": {"_id": 1}}, place];
    assert_eq!(
        aggregate(&engine, "places", made).await.unwrap(),
        [doc! {"_id": 1}]
    );
}
