//! Views: which pipelines they may have, which collation their reads use, and distinct values of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use code::Code;
use engine::{AggregateRequest, AggregateSource, Context, CreateRequest, DistinctRequest, Engine, Error};
use support::{aggregate, insert, namespace, new_engine};
use value::{Document, Value, array, doc};

async fn view(
    engine: &Engine,
    name: &str,
    pipeline: Vec<Value>,
    collation: Option<&str>,
) -> Result<(), Error> {
    let mut options = doc! {"viewOn": "things", "pipeline": pipeline};
    if let Some(locale) = collation {
        options.push("collation", doc! {"locale": locale, "strength": 2});
    }
    let request = CreateRequest {
        options,
        ..CreateRequest::default()
    };
    engine.create_collection(&namespace(name), request).await
}

/// Runs a stage on a collection, by French rules where asked.
async fn run(engine: &Engine, on: &str, stage: Value, collation: Option<&str>) -> Result<(), Code> {
    let request = AggregateRequest {
        pipeline: vec![stage],
        collation: collation.map(|locale| doc! {"locale": locale, "strength": 2}),
        ..AggregateRequest::default()
    };
    let source = AggregateSource::Collection(namespace(on));
    let ran = engine.aggregate(&Context::default(), &source, &request).await;
    ran.map(drop).map_err(|error| error.code)
}

#[tokio::test]
async fn other_views_are_read_by_their_own_order_of_strings_alone() {
    let engine = new_engine().await;
    insert(&engine, "things", &[doc! {"_id": 1, "a": "x"}]).await;
    view(&engine, "plain", Vec::new(), None).await.unwrap();
    view(&engine, "french", Vec::new(), Some("fr")).await.unwrap();
    view(&engine, "swedish", Vec::new(), Some("sv")).await.unwrap();
    let stages = |from: &str| {
        [
            doc! {"$lookup": {"from": from, "localField": "a", "foreignField": "a", "as": "b"}},
            doc! {"$lookup": {"from": from, "pipeline": [], "as": "b"}},
            doc! {"$unionWith": from},
            doc! {"$unionWith": {"coll": from, "pipeline": []}},
            doc! {"$graphLookup": {"from": from, "startWith": "$a", "connectFromField": "a", "connectToField": "a", "as": "b"}},
            doc! {"$facet": {"f": [{"$lookup": {"from": from, "pipeline": [], "as": "b"}}]}},
            doc! {"$lookup": {"from": "things", "pipeline": [{"$unionWith": from}], "as": "b"}},
        ]
    };
    let refused = Err(Code::OPTION_NOT_SUPPORTED_ON_VIEW);
    for (on, from, collation, expected) in [
        ("things", "plain", None, Ok(())),
        ("things", "french", None, refused),
        ("things", "french", Some("fr"), Ok(())),
        ("things", "french", Some("sv"), refused),
        ("things", "plain", Some("fr"), refused),
        ("things", "things", Some("fr"), Ok(())),
        ("things", "missing", Some("fr"), Ok(())),
        ("french", "french", None, Ok(())),
        ("french", "swedish", None, refused),
        ("french", "plain", None, refused),
        ("plain", "french", None, refused),
    ] {
        for stage in stages(from) {
            let ran = run(&engine, on, stage.clone().into(), collation).await;
            assert_eq!(ran, expected, "{on} {collation:?} {stage:?}");
        }
    }
}

#[tokio::test]
async fn a_view_reads_a_collection_and_has_a_bounded_pipeline() {
    let engine = new_engine().await;
    let long = "x".repeat(16_000_000);
    for (code, stage) in [
        (73, doc! {"$documents": [{"x": 1}]}),
        (73, doc! {"$listLocalSessions": {}}),
        (167, doc! {"$out": "other"}),
        (195, doc! {"$match": {"x": long}}),
        (40_573, doc! {"$changeStream": {}}),
    ] {
        let shown = stage.iter().next().map(|(name, _)| name.to_owned());
        let made = view(&engine, "v", vec![stage.into()], None).await;
        assert_eq!(made.unwrap_err().code.number(), code, "{shown:?}");
    }
    view(&engine, "v", array![{"$match": {"x": 1}}], None)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_sort_by_scores_that_no_document_has_keeps_the_order() {
    let engine = new_engine().await;
    let documents: Vec<Document> = [3, 1, 2].map(|id| doc! {"_id": id, "g": id % 2}).to_vec();
    insert(&engine, "things", &documents).await;
    for meta in ["randVal", "searchScore", "vectorSearchScore"] {
        let sort = |rest: Document| {
            let mut sort = doc! {"score": {"$meta": meta}};
            rest.iter()
                .for_each(|(name, value)| sort.push(name, value.clone()));
            vec![doc! {"$sort": sort}.into()]
        };
        let ids = |found: Vec<Document>| -> Vec<Value> {
            let ids = found.iter().filter_map(|found| found.get("_id").cloned());
            ids.collect()
        };
        let found = aggregate(&engine, "things", sort(doc! {})).await.unwrap();
        assert_eq!(ids(found), array![3, 1, 2], "{meta}");
        let found = aggregate(&engine, "things", sort(doc! {"_id": 1})).await.unwrap();
        assert_eq!(ids(found), array![1, 2, 3], "{meta}");
    }
    for (code, operand) in [
        (40_218, doc! {"$meta": "textScore"}),
        (31_138, doc! {"$meta": "recordId"}),
        (31_138, doc! {"$meta": "other"}),
        (31_138, doc! {"$meta": 1}),
        (9, doc! {"$meta": "randVal", "more": 1}),
    ] {
        let sorted = aggregate(
            &engine,
            "things",
            vec![doc! {"$sort": {"x": operand.clone()}}.into()],
        )
        .await;
        assert_eq!(sorted.unwrap_err().code.number(), code, "{operand:?}");
    }
}

#[tokio::test]
async fn distinct_values_of_a_view_are_gathered_batch_by_batch() {
    let engine = new_engine().await;
    view(&engine, "seen", Vec::new(), None).await.unwrap();
    let long = |id: i32| doc! {"_id": id, "few": id % 3, "many": format!("{id}{}", "x".repeat(1_000_000))};
    for id in 0..20 {
        insert(&engine, "things", &[long(id)]).await;
    }
    let distinct = async |field: &str| {
        let request = DistinctRequest {
            field: field.to_owned(),
            ..DistinctRequest::default()
        };
        engine
            .distinct(&Context::default(), &namespace("seen"), &request)
            .await
    };
    assert_eq!(distinct("few").await.unwrap(), array![0, 1, 2]);
    let error = distinct("many").await.unwrap_err();
    assert_eq!(error.code, Code::location(17_217), "{error}");
}
