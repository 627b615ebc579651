//! Neither the chosen plan nor a hint changes the results or their order.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::{
    Context, CountRequest, DeleteStatement, DistinctRequest, Engine, FindAndModifyRequest, FindRequest,
    UpdateStatement, WriteOptions,
};
use value::{Document, DocumentBuf, Value, array, doc};

async fn with_index(documents: &[Document], key: Document) -> Engine {
    let engine = new_engine().await;
    insert(&engine, "coll", documents).await;
    let index = [doc! {"key": key, "name": "index"}];
    engine.create_indexes(&namespace("coll"), &index).await.unwrap();
    engine
}

async fn find(engine: &Engine, request: FindRequest) -> Vec<Document> {
    let reply = engine
        .find(&Context::default(), &namespace("coll"), &request)
        .await;
    reply
        .unwrap()
        .batch
        .iter()
        .map(DocumentBuf::to_document)
        .collect()
}

async fn ids(engine: &Engine, request: FindRequest) -> Vec<Value> {
    let found = find(engine, request).await;
    found
        .iter()
        .map(|document| document.get("_id").cloned().unwrap())
        .collect()
}

async fn count(engine: &Engine, filter: &Document, hint: Option<Value>) -> u64 {
    let request = CountRequest {
        filter: filter.clone(),
        hint,
        ..CountRequest::default()
    };
    let counted = engine
        .count(&Context::default(), &namespace("coll"), &request)
        .await;
    counted.unwrap()
}

/// How many documents an update of all, an update of the first in an order and a delete say that they found.
async fn written(engine: &Engine, filter: &Document, hint: Option<Value>) -> (u64, bool, u64) {
    let (context, namespace, options) = (Context::default(), namespace("coll"), WriteOptions::default());
    let update = UpdateStatement {
        filter: filter.clone(),
        update: Some(doc! {"$inc": {"n": 1}}.into()),
        multi: true,
        hint: hint.clone(),
        ..UpdateStatement::default()
    };
    let updated = engine.update(&context, &namespace, vec![update], &options).await;
    let modify = FindAndModifyRequest {
        filter: filter.clone(),
        sort: doc! {"b": 1},
        update: Some(doc! {"$inc": {"n": 1}}.into()),
        hint: hint.clone(),
        ..FindAndModifyRequest::default()
    };
    let modified = engine
        .find_and_modify(&context, &namespace, modify, &options)
        .await;
    let delete = DeleteStatement {
        filter: filter.clone(),
        hint,
        ..DeleteStatement::default()
    };
    let deleted = engine.delete(&context, &namespace, vec![delete], &options).await;
    (
        updated.unwrap().matched,
        modified.unwrap().existed,
        deleted.unwrap().deleted,
    )
}

#[tokio::test]
async fn a_hint_by_a_key_that_several_indexes_have_is_refused() {
    let engine = with_index(&[doc! {"_id": 0, "a": 1}], doc! {"a": 1}).await;
    let hinted = async |hint: Value| {
        let request = FindRequest {
            hint: Some(hint),
            ..FindRequest::default()
        };
        engine
            .find(&Context::default(), &namespace("coll"), &request)
            .await
    };
    assert_eq!(hinted(doc! {"a": 1}.into()).await.unwrap().batch.len(), 1);
    let sparse = [doc! {"key": {"a": 1}, "name": "sparse", "sparse": true}];
    engine.create_indexes(&namespace("coll"), &sparse).await.unwrap();
    let error = hinted(doc! {"a": 1}.into()).await.unwrap_err();
    assert_eq!(error.code.number(), 27, "{error}");
    for hint in ["index".into(), "sparse".into(), Value::from(doc! {"_id": 1})] {
        assert_eq!(hinted(hint).await.unwrap().batch.len(), 1);
    }
}

#[tokio::test]
async fn a_hint_on_a_filter_that_nothing_can_match_finds_nothing() {
    let documents = [doc! {"_id": 0, "a": 1}, doc! {"_id": 1, "a": [2, 3]}];
    let engine = with_index(&documents, doc! {"$**": 1}).await;
    let plain = [
        doc! {"key": {"a": 1}, "name": "a_1"},
        doc! {"key": {"b": 1}, "name": "b_1", "sparse": true},
    ];
    engine.create_indexes(&namespace("coll"), &plain).await.unwrap();
    let filters = [
        doc! {"a": {"$in": []}},
        doc! {"a": {"$all": []}},
        doc! {"$alwaysFalse": 1},
        doc! {"a": {"$gte": 0}, "b": {"$in": []}},
        doc! {"$and": [{"a": 1}, {"$alwaysFalse": 1}]},
        doc! {"$or": [{"a": {"$in": []}}, {"$alwaysFalse": 1}]},
    ];
    let hints: [Value; 6] = [
        doc! {"_id": 1}.into(),
        doc! {"$natural": 1}.into(),
        doc! {"$natural": -1}.into(),
        "a_1".into(),
        "b_1".into(),
        "index".into(),
    ];
    for filter in &filters {
        for hint in &hints {
            let context = format!("{filter:?} by {hint:?}");
            let request = FindRequest {
                filter: filter.clone(),
                hint: Some(hint.clone()),
                ..FindRequest::default()
            };
            assert_eq!(ids(&engine, request.clone()).await, [], "{context}");
            let sorted = FindRequest {
                sort: doc! {"a": -1},
                ..request
            };
            assert_eq!(ids(&engine, sorted).await, [], "{context}, sorted");
            assert_eq!(count(&engine, filter, Some(hint.clone())).await, 0, "{context}");
            let distinct = DistinctRequest {
                field: "a".to_owned(),
                filter: filter.clone(),
                hint: Some(hint.clone()),
                ..DistinctRequest::default()
            };
            let values = engine
                .distinct(&Context::default(), &namespace("coll"), &distinct)
                .await;
            assert_eq!(values.unwrap(), [], "{context}");
            let found = written(&engine, filter, Some(hint.clone())).await;
            assert_eq!(found, (0, false, 0), "{context}");
        }
        let stages = vec![doc! {"$match": (filter.clone())}.into()];
        assert_eq!(aggregate(&engine, "coll", stages).await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_wildcard_index_gives_a_document_once_however_many_of_its_paths_are_read() {
    let documents = [
        doc! {"_id": 1, "a": {"x": 1, "y": 2}},
        doc! {"_id": 2, "a": {"x": {"z": 1}, "y": 2}},
    ];
    let engine = with_index(&documents, doc! {"$**": 1}).await;
    let exists = doc! {"a": {"$exists": true}};
    assert_eq!(count(&engine, &exists, None).await, 2);
    assert_eq!(
        count(&engine, &doc! {"$or": [{"a": {"$exists": true}}, {"b": 1}]}, None).await,
        2
    );
    let limited = FindRequest {
        filter: exists.clone(),
        skip: 1,
        limit: Some(1),
        ..FindRequest::default()
    };
    assert_eq!(ids(&engine, limited).await.len(), 1);
    let update = UpdateStatement {
        filter: exists.clone(),
        update: Some(doc! {"$inc": {"n": 1}}.into()),
        multi: true,
        ..UpdateStatement::default()
    };
    let (context, namespace, options) = (Context::default(), namespace("coll"), WriteOptions::default());
    let updated = engine.update(&context, &namespace, vec![update], &options).await;
    assert_eq!(updated.unwrap().matched, 2);
    let found = find(&engine, FindRequest::default()).await;
    assert!(
        found
            .iter()
            .all(|document| document.get("n") == Some(&Value::Int32(1))),
        "{found:?}"
    );
    assert_eq!(written(&engine, &exists, None).await, (2, true, 2));
}

#[tokio::test]
async fn documents_with_arrays_are_sorted_alike_with_and_without_an_index() {
    let documents = [
        doc! {"_id": 1, "a": [6, {"x": 5}]},
        doc! {"_id": 2, "a": {"x": 1}},
        doc! {"_id": 3, "a": {"x": 9}},
        doc! {"_id": 4, "a": [{"x": 2, "y": 9}, {"x": 3, "y": 1}]},
        doc! {"_id": 5, "a": {"x": 2, "y": 4}},
    ];
    let cases = [
        // An element that is not a document counts as null.
        (doc! {"a.x": 1}, [1, 2, 4, 5, 3]),
        (doc! {"a.x": -1}, [3, 1, 4, 5, 2]),
        // Of several fields the values of one element go together.
        (doc! {"a.x": 1, "a.y": 1}, [1, 2, 5, 4, 3]),
        (doc! {"a.y": 1, "a.x": -1}, [3, 1, 2, 4, 5]),
    ];
    for (sort, order) in cases {
        let order: Vec<Value> = order.into_iter().map(Value::Int32).collect();
        let sort = sort.with("_id", 1);
        let engine = with_index(&documents, sort.clone()).await;
        for hint in ["index", "_id_"] {
            let request = FindRequest {
                sort: sort.clone(),
                hint: Some(hint.into()),
                ..FindRequest::default()
            };
            assert_eq!(ids(&engine, request).await, order, "{sort:?} by {hint}");
        }
        let stages = vec![
            doc! {"$sort": (sort.clone())}.into(),
            doc! {"$project": {"_id": 1}}.into(),
        ];
        let found = aggregate(&engine, "coll", stages).await.unwrap();
        let found: Vec<Value> = found
            .iter()
            .map(|document| document.get("_id").cloned().unwrap())
            .collect();
        assert_eq!(found, order, "{sort:?} in a pipeline");
    }
}

#[tokio::test]
async fn a_sort_by_two_arrays_of_one_document_is_refused() {
    let engine = with_index(&[doc! {"_id": 1, "a": [1], "b": (array![])}], doc! {"c": 1}).await;
    let request = FindRequest {
        sort: doc! {"a": 1, "b": 1},
        ..FindRequest::default()
    };
    let error = engine
        .find(&Context::default(), &namespace("coll"), &request)
        .await;
    let error = error.unwrap_err();
    assert_eq!(
        (error.code.number(), error.message.as_str()),
        (2, "cannot sort with keys that are parallel arrays")
    );
    let stages = vec![doc! {"$sort": {"a": 1, "b": 1}}.into()];
    assert_eq!(
        aggregate(&engine, "coll", stages)
            .await
            .unwrap_err()
            .code
            .number(),
        2
    );
}

#[tokio::test]
async fn a_hint_of_natural_order_names_no_fields_besides() {
    let engine = with_index(&[doc! {"_id": 1, "a": 1}], doc! {"a": 1}).await;
    let request = FindRequest {
        hint: Some(doc! {"$natural": 1, "a": 1}.into()),
        ..FindRequest::default()
    };
    let error = engine
        .find(&Context::default(), &namespace("coll"), &request)
        .await;
    assert_eq!(error.unwrap_err().code.number(), 2);
}

#[tokio::test]
async fn a_document_that_is_found_by_its_id_is_not_sorted() {
    let engine = with_index(&[doc! {"_id": 1, "a": [1], "b": [2]}], doc! {"a": 1}).await;
    let by_id = FindRequest {
        filter: doc! {"_id": 1},
        sort: doc! {"a": 1, "b": 1},
        ..FindRequest::default()
    };
    let found = engine.find(&Context::default(), &namespace("coll"), &by_id).await;
    assert_eq!(found.unwrap().batch.len(), 1);
    let written = FindRequest {
        filter: doc! {"_id": {"$eq": 1}},
        ..by_id.clone()
    };
    let found = engine
        .find(&Context::default(), &namespace("coll"), &written)
        .await;
    assert_eq!(found.unwrap().batch.len(), 1);
    let skipping = FindRequest {
        skip: 1,
        ..by_id.clone()
    };
    // What comes to the same is planned, and what is planned is sorted.
    let planned = [
        doc! {"$or": [{}, {"c": 1}], "_id": 1},
        doc! {"$and": [{"_id": 1}]},
        doc! {"_id": {"$in": [1]}},
    ];
    let planned = planned.map(|filter| FindRequest {
        filter,
        ..by_id.clone()
    });
    for request in planned.into_iter().chain([skipping]) {
        let found = engine
            .find(&Context::default(), &namespace("coll"), &request)
            .await;
        assert_eq!(found.unwrap_err().code.number(), 2, "{request:?}");
    }
    let modify = async |filter: Document| {
        let modify = FindAndModifyRequest {
            filter,
            sort: doc! {"a": 1, "b": 1},
            update: Some(doc! {"$inc": {"n": 1}}.into()),
            ..FindAndModifyRequest::default()
        };
        engine
            .find_and_modify(
                &Context::default(),
                &namespace("coll"),
                modify,
                &WriteOptions::default(),
            )
            .await
    };
    assert!(modify(doc! {"_id": 1}).await.is_ok());
    for filter in [doc! {"_id": 1, "n": 1}, doc! {"$or": [{}, {"c": 1}], "_id": 1}] {
        let refused = modify(filter.clone()).await;
        assert!(refused.is_err_and(|error| error.code.number() == 2), "{filter:?}");
    }
    let hinted = FindRequest {
        hint: Some(doc! {"$natural": 1}.into()),
        ..by_id
    };
    let error = engine
        .find(&Context::default(), &namespace("coll"), &hinted)
        .await;
    assert_eq!(error.unwrap_err().code.number(), 2);
}
