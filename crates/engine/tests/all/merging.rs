//! `$merge`: what is written if some documents cannot be, and under which collation documents match.

use crate::support::{aggregate, insert, namespace, new_engine};
use code::Code;
use engine::{AggregateRequest, AggregateSource, Context, CreateRequest, Engine, Error};
use value::{Document, Regex, Value, array, doc};

fn any_case() -> Document {
    doc! {"locale": "en", "strength": 2}
}

async fn all(engine: &Engine, collection: &str) -> Vec<Document> {
    let stages = array![{"$sort": {"_id": 1}}];
    aggregate(engine, collection, stages).await.unwrap()
}

async fn unique_index(engine: &Engine, collection: &str, key: Document, collation: Option<Document>) {
    let mut index = doc! {"key": key, "name": "unique", "unique": true};
    if let Some(collation) = collation {
        index.push("collation", collation);
    }
    let created = engine.create_indexes(&namespace(collection), &[index]).await;
    created.unwrap();
}

/// Merges all of one collection into another under a collation.
async fn merge(
    engine: &Engine,
    source: &str,
    merge: Document,
    collation: Option<Document>,
) -> Result<(), Error> {
    let request = AggregateRequest {
        pipeline: vec![Value::Document(doc! {"$merge": merge})],
        collation,
        ..AggregateRequest::default()
    };
    let source = AggregateSource::Collection(namespace(source));
    engine
        .aggregate(&Context::default(), &source, &request)
        .await
        .map(drop)
}

#[tokio::test]
async fn all_is_written_that_can_be_and_the_first_failure_is_told() {
    let replace = doc! {"into": "target", "whenMatched": "replace"};
    let keep = doc! {"into": "target", "whenMatched": "keepExisting"};
    let fail = doc! {"into": "target", "whenMatched": "fail"};
    let pipeline = doc! {"into": "target", "whenMatched": [{"$set": {"seen": true}}]};
    for modes in [doc! {"into": "target"}, replace, keep, fail, pipeline] {
        let engine = new_engine().await;
        let numbered = |n: i32| doc! {"_id": n, "u": n % 3};
        let source: Vec<Document> = (0..2_500).map(numbered).collect();
        insert(&engine, "source", &source).await;
        unique_index(&engine, "target", doc! {"u": 1}, None).await;
        insert(&engine, "target", &[doc! {"_id": "taken", "u": 0}]).await;
        let error = merge(&engine, "source", modes.clone(), None).await.unwrap_err();
        assert_eq!(error.code, Code::DUPLICATE_KEY, "{modes:?}");
        assert!(error.message.contains("dup key: { u: 0 }"), "{}", error.message);
        let written = [
            doc! {"_id": 1, "u": 1},
            doc! {"_id": 2, "u": 2},
            doc! {"_id": "taken", "u": 0},
        ];
        assert_eq!(all(&engine, "target").await, written, "{modes:?}");
    }
}

#[tokio::test]
async fn nothing_of_a_batch_is_written_where_a_document_has_no_key() {
    let engine = new_engine().await;
    insert(
        &engine,
        "source",
        &[doc! {"_id": 1, "k": 1}, doc! {"_id": 2, "k": [1]}],
    )
    .await;
    unique_index(&engine, "target", doc! {"k": 1}, None).await;
    let on_k = doc! {"into": "target", "on": "k"};
    let error = merge(&engine, "source", on_k, None).await.unwrap_err();
    assert_eq!(error.code, Code::location(51_185));
    assert!(all(&engine, "target").await.is_empty());
}

#[tokio::test]
async fn an_array_on_the_way_to_a_field_to_merge_on_is_refused_and_undefined_is_null() {
    let engine = new_engine().await;
    unique_index(&engine, "target", doc! {"a.k": 1}, None).await;
    insert(&engine, "arrays", &[doc! {"_id": 1, "a": [{"k": 1}]}]).await;
    let on_k = doc! {
        "into": "target", "on": "a.k", "whenMatched": [{"$set": {"n": 1}}], "whenNotMatched": "fail",
    };
    let error = merge(&engine, "arrays", on_k.clone(), None).await.unwrap_err();
    assert_eq!(error.code, Code::location(51_185));
    assert!(error.message.contains("'a.k' is an array"), "{}", error.message);
    insert(&engine, "target", &[doc! {"_id": 1}]).await;
    insert(
        &engine,
        "undefined",
        &[doc! {"_id": 2, "a": {"k": (Value::Undefined)}}],
    )
    .await;
    merge(&engine, "undefined", on_k, None).await.unwrap();
    assert_eq!(all(&engine, "target").await, [doc! {"_id": 1, "n": 1}]);
}

/// As in the query of the update that MongoDB makes of each document.
#[tokio::test]
async fn a_regular_expression_to_merge_on_is_a_pattern_and_operators_are_operators() {
    let engine = new_engine().await;
    let pattern = Regex {
        pattern: "^a".to_owned(),
        options: String::new(),
    };
    insert(
        &engine,
        "source",
        &[doc! {"_id": 1, "k": (Value::Regex(pattern)), "n": 1}],
    )
    .await;
    unique_index(&engine, "target", doc! {"k": 1}, None).await;
    let present = [doc! {"_id": 2, "k": "b"}, doc! {"_id": 3, "k": "ab"}];
    insert(&engine, "target", &present).await;
    let on_k = doc! {
        "into": "target", "on": "k", "whenMatched": [{"$set": {"n": "$$new.n"}}], "whenNotMatched": "fail",
    };
    merge(&engine, "source", on_k.clone(), None).await.unwrap();
    assert_eq!(
        all(&engine, "target").await,
        [doc! {"_id": 2, "k": "b"}, doc! {"_id": 3, "k": "ab", "n": 1}]
    );
    insert(&engine, "operators", &[doc! {"_id": 1, "k": {"$x": 1}}]).await;
    let error = merge(&engine, "operators", on_k, None).await.unwrap_err();
    assert_eq!(error.code, Code::BAD_VALUE, "{}", error.message);
}

#[tokio::test]
async fn documents_belong_together_by_the_pipelines_collation() {
    let engine = new_engine().await;
    insert(&engine, "source", &[doc! {"_id": 1, "k": "A", "m": 1}]).await;
    unique_index(&engine, "target", doc! {"k": 1}, Some(any_case())).await;
    insert(&engine, "target", &[doc! {"_id": 1, "k": "a", "n": 1}]).await;
    let on_k = || doc! {"into": "target", "on": "k"};
    merge(&engine, "source", on_k(), Some(any_case())).await.unwrap();
    assert_eq!(
        all(&engine, "target").await,
        [doc! {"_id": 1, "k": "A", "n": 1, "m": 1}]
    );
    for other in [None, Some(doc! {"locale": "en", "strength": 1})] {
        let error = merge(&engine, "source", on_k(), other).await.unwrap_err();
        assert_eq!(error.code, Code::location(51_183));
    }
}

#[tokio::test]
async fn ids_are_kept_apart_by_the_targets_own_collation() {
    let engine = new_engine().await;
    insert(&engine, "source", &[doc! {"_id": 1}]).await;
    let request = CreateRequest {
        options: doc! {"collation": value::collation::Collation::parse(&any_case()).unwrap().unwrap().description().clone()},
        ..CreateRequest::default()
    };
    let created = engine.create_collection(&namespace("target"), request).await;
    created.unwrap();
    let into = || doc! {"into": "target"};
    merge(&engine, "source", into(), Some(any_case())).await.unwrap();
    let error = merge(&engine, "source", into(), None).await.unwrap_err();
    assert_eq!(error.code, Code::location(51_183));
}

#[tokio::test]
async fn a_missing_id_to_merge_on_is_made_though_the_index_is_sparse() {
    let engine = new_engine().await;
    insert(&engine, "source", &[doc! {"_id": 1, "name": "a"}]).await;
    let index = doc! {"key": {"name": 1, "_id": 1}, "name": "unique", "unique": true, "sparse": true};
    engine
        .create_indexes(&namespace("target"), &[index])
        .await
        .unwrap();
    let stages = array![{"$project": {"_id": 0}}, {"$merge": {"into": "target", "on": ["_id", "name"]}}];
    aggregate(&engine, "source", stages).await.unwrap();
    assert_eq!(all(&engine, "target").await.len(), 1);
}

#[tokio::test]
async fn an_index_of_places_keeps_no_values_apart() {
    let engine = new_engine().await;
    unique_index(&engine, "target", doc! {"a": 1, "place": "2dsphere"}, None).await;
    insert(&engine, "source", &[doc! {"_id": 1, "a": 1}]).await;
    let on = doc! {"into": "target", "on": ["a", "place"]};
    let error = merge(&engine, "source", on, None).await.unwrap_err();
    assert_eq!(error.code, Code::location(51_183));
}
