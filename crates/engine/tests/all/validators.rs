//! Validators of collections: the time and the collation of their expressions, for every way to write.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::{
    Context, CreateRequest, Engine, FindAndModifyRequest, ModifyRequest, UpdateStatement, WriteOptions,
};
use value::{Document, DocumentBuf, Value, array, doc};

const VALIDATION_FAILURE: i32 = 121;

/// The year 2100, in milliseconds.
const FUTURE: i64 = 4_102_444_800_000;

async fn create(engine: &Engine, collection: &str, options: Document) {
    let request = CreateRequest {
        options,
        ..CreateRequest::default()
    };
    let created = engine.create_collection(&namespace(collection), request).await;
    created.unwrap();
}

/// The code with which an insert is refused, if it is.
async fn inserted(engine: &Engine, collection: &str, document: &Document) -> Option<i32> {
    let (context, options) = (Context::default(), WriteOptions::default());
    let documents = vec![DocumentBuf::from(document)];
    let reply = engine
        .insert(&context, &namespace(collection), documents, &options)
        .await
        .unwrap();
    reply.failures.first().map(|failure| failure.error.code.number())
}

/// The code with which an update is refused, if it is.
async fn updated(engine: &Engine, statement: UpdateStatement) -> Option<i32> {
    let (context, options) = (Context::default(), WriteOptions::default());
    let reply = engine
        .update(&context, &namespace("past"), vec![statement], &options)
        .await
        .unwrap();
    reply.failures.first().map(|failure| failure.error.code.number())
}

/// A collection whose documents' `t` must not lie in the future; one is in it.
async fn with_past() -> Engine {
    let engine = new_engine().await;
    let validator = doc! {"$expr": {"$lte": ["$t", "$$NOW"]}};
    create(&engine, "past", doc! {"validator": validator}).await;
    insert(&engine, "past", &[doc! {"_id": 1, "t": Value::DateTime(0)}]).await;
    engine
}

#[tokio::test]
async fn now_is_the_time_of_the_write() {
    let engine = with_past().await;
    let year_2020 = Value::DateTime(1_577_836_800_000);
    assert_eq!(
        inserted(&engine, "past", &doc! {"_id": 2, "t": year_2020}).await,
        None
    );
    let future = doc! {"_id": 3, "t": Value::DateTime(FUTURE)};
    assert_eq!(inserted(&engine, "past", &future).await, Some(VALIDATION_FAILURE));
    // The time at which the validator was first compiled lies in the past by now.
    let soon = array![{"$replaceWith": {"_id": 4, "t": "$$NOW"}}, {"$merge": {"into": "past"}}];
    aggregate(&engine, "past", soon).await.unwrap();
}

#[tokio::test]
async fn now_is_known_to_updates_of_all_kinds() {
    let engine = with_past().await;
    let future = || Value::DateTime(FUTURE);
    let updates = [
        Value::Document(doc! {"$set": {"t": future()}}),
        Value::Document(doc! {"t": future()}),
        Value::Array(array![{"$set": {"t": future()}}]),
    ];
    for update in updates {
        for filter in [doc! {"_id": 1}, doc! {"t": Value::DateTime(0)}] {
            let statement = UpdateStatement {
                filter,
                update: Some(update.clone()),
                ..UpdateStatement::default()
            };
            assert_eq!(
                updated(&engine, statement).await,
                Some(VALIDATION_FAILURE),
                "{update:?}"
            );
        }
        let upsert = UpdateStatement {
            filter: doc! {"_id": 7},
            update: Some(update.clone()),
            upsert: true,
            ..UpdateStatement::default()
        };
        assert_eq!(
            updated(&engine, upsert).await,
            Some(VALIDATION_FAILURE),
            "{update:?}"
        );
    }
    let modify = FindAndModifyRequest {
        update: Some(Value::Document(doc! {"$set": {"t": future()}})),
        ..FindAndModifyRequest::default()
    };
    let refused = engine
        .find_and_modify(
            &Context::default(),
            &namespace("past"),
            modify,
            &WriteOptions::default(),
        )
        .await;
    assert_eq!(refused.unwrap_err().code.number(), VALIDATION_FAILURE);
    let merge = array![{"$set": {"t": future()}}, {"$merge": {"into": "past"}}];
    let refused = aggregate(&engine, "past", merge).await;
    assert_eq!(refused.unwrap_err().code.number(), VALIDATION_FAILURE);
}

#[tokio::test]
async fn strings_are_compared_by_the_collections_collation() {
    let engine = new_engine().await;
    let any_case = doc! {"locale": "en", "strength": 2};
    let validator = doc! {"kind": "x", "$expr": {"$ne": ["$other", "Y"]}};
    create(
        &engine,
        "things",
        doc! {"validator": validator, "collation": any_case},
    )
    .await;
    let cases = [
        (doc! {"kind": "X", "other": "z"}, None),
        (doc! {"kind": "X", "other": "y"}, Some(VALIDATION_FAILURE)),
        (doc! {"kind": "y", "other": "z"}, Some(VALIDATION_FAILURE)),
    ];
    for (document, code) in cases {
        assert_eq!(inserted(&engine, "things", &document).await, code, "{document:?}");
    }
}

#[tokio::test]
async fn changes_of_options_at_the_same_time_do_not_undo_each_other() {
    let engine = new_engine().await;
    create(&engine, "checked", doc! {"validator": {"a": 1}}).await;
    let (checked, engine) = (namespace("checked"), &engine);
    let modify = |options: Document| {
        let request = ModifyRequest {
            options,
            ..ModifyRequest::default()
        };
        engine.modify_collection(&checked, request)
    };
    let level = modify(doc! {"validationLevel": "moderate"});
    let action = modify(doc! {"validationAction": "warn"});
    let (level, action) = tokio::join!(level, action);
    level.unwrap();
    action.unwrap();
    let options = engine.collection_entry(&checked).unwrap().options;
    assert_eq!(options.get("validationLevel"), Some(&"moderate".into()));
    assert_eq!(options.get("validationAction"), Some(&"warn".into()));
}

#[tokio::test]
async fn what_should_be_encrypted_is_refused_as_it_is_and_never_only_logged() {
    let engine = new_engine().await;
    let validator =
        doc! {"$and": [{"$jsonSchema": {"properties": {"a": {"encrypt": {"bsonType": "string"}}}}}]};
    let create = async |options: Document| {
        let options = options.with("validator", validator.clone());
        let request = CreateRequest {
            options,
            ..CreateRequest::default()
        };
        engine.create_collection(&namespace("secret"), request).await
    };
    for options in [
        doc! {"validationAction": "warn"},
        doc! {"validationAction": "errorAndLog"},
        doc! {"validationLevel": "moderate"},
    ] {
        let error = create(options).await.err();
        assert_eq!(error.map(|error| error.code.number()), Some(224));
    }
    create(doc! {}).await.unwrap();
    let code = inserted(&engine, "secret", &doc! {"a": "x"}).await;
    assert_eq!(code, Some(VALIDATION_FAILURE));
    assert_eq!(inserted(&engine, "secret", &doc! {"b": "x"}).await, None);
    let request = ModifyRequest {
        options: doc! {"validationAction": "warn"},
        ..ModifyRequest::default()
    };
    let modified = engine.modify_collection(&namespace("secret"), request).await;
    assert_eq!(modified.err().map(|error| error.code.number()), Some(224));
}
