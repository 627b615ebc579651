//! Which operands stages accept, and with which codes they refuse others.

use crate::support::{insert, new_engine};
use code::Code;
use engine::{AggregateRequest, AggregateSource, Context, Engine};
use value::{Binary, Document, Value, doc};

/// A value of each type that is neither a document, a boolean, a string nor null.
fn others() -> [Value; 3] {
    [Value::Int32(1), Value::Double(1.5), Value::Array(vec![])]
}

/// The code that a stage alone is refused with; none where it is not.
async fn refused(engine: &Engine, source: &AggregateSource, stage: Document) -> Option<i32> {
    let request = AggregateRequest {
        pipeline: vec![stage.into()],
        ..AggregateRequest::default()
    };
    let outcome = engine.aggregate(&Context::default(), source, &request).await;
    outcome.err().map(|error| error.code.number())
}

async fn on_things(engine: &Engine, stage: Document) -> Option<i32> {
    let source = AggregateSource::Collection(crate::support::namespace("things"));
    refused(engine, &source, stage).await
}

#[tokio::test]
async fn options_of_current_op_and_sessions_are_booleans() {
    let engine = new_engine().await;
    let admin = AggregateSource::Database("admin".to_owned());
    let operations = |operand: Value| refused(&engine, &admin, doc! {"$currentOp": operand});
    let options = [
        "allUsers",
        "idleCursors",
        "idleConnections",
        "idleSessions",
        "localOps",
    ];
    for option in options.into_iter().chain(["truncateOps", "targetAllNodes"]) {
        for other in others().into_iter().chain([Value::Null, "x".into()]) {
            assert_eq!(
                operations(doc! {}.with(option, other).into()).await,
                Some(14),
                "{option}"
            );
        }
        // Only a sharded cluster has other nodes.
        let refused = (option == "targetAllNodes").then_some(9);
        assert_eq!(
            operations(doc! {}.with(option, true).into()).await,
            refused,
            "{option}"
        );
    }
    for other in others() {
        assert_eq!(operations(other.clone()).await, Some(14));
        let sessions = doc! {"$listLocalSessions": {"allUsers": other.clone()}};
        assert_eq!(refused(&engine, &admin, sessions).await, Some(14));
        assert_eq!(
            refused(&engine, &admin, doc! {"$listLocalSessions": other}).await,
            Some(14)
        );
    }
    assert_eq!(operations(doc! {"nothing": true}.into()).await, Some(40_415));
    let both = doc! {"allUsers": true, "users": [{"user": "u", "db": "d"}]};
    assert_eq!(
        refused(&engine, &admin, doc! {"$listLocalSessions": both}).await,
        Some(12)
    );
    let nameless = doc! {"$listLocalSessions": {"users": [{"db": "d"}]}};
    assert_eq!(refused(&engine, &admin, nameless).await, Some(40_414));
}

#[tokio::test]
async fn settings_and_statistics_of_queries_are_none_and_their_options_are_checked() {
    let engine = new_engine().await;
    let on = |database: &str| AggregateSource::Database(database.to_owned());
    let sensitive = |subtype| Binary {
        subtype,
        bytes: vec![1; 32],
    };
    let transformed = |more: Document| doc! {"$queryStats": {"transformIdentifiers": more}};
    let algorithm = || doc! {"algorithm": "hmac-sha-256"};
    for (expected, database, stage) in [
        (None, "admin", doc! {"$querySettings": {}}),
        (
            None,
            "test",
            doc! {"$querySettings": {"showDebugQueryShape": true}},
        ),
        (
            Some(14),
            "admin",
            doc! {"$querySettings": {"showDebugQueryShape": 1}},
        ),
        (Some(40_415), "admin", doc! {"$querySettings": {"no": true}}),
        (Some(7_746_801), "admin", doc! {"$querySettings": 1}),
        (None, "admin", doc! {"$queryStats": {}}),
        (Some(73), "test", doc! {"$queryStats": {}}),
        (Some(9), "admin", doc! {"$queryStats": 1}),
        (Some(40_415), "admin", doc! {"$queryStats": {"no": true}}),
        (Some(40_414), "admin", transformed(doc! {})),
        (Some(2), "admin", transformed(doc! {"algorithm": "md5"})),
        (Some(9), "admin", transformed(algorithm())),
        (Some(14), "admin", transformed(algorithm().with("hmacKey", "x"))),
        (
            Some(14),
            "admin",
            transformed(algorithm().with("hmacKey", sensitive(0))),
        ),
        (
            None,
            "admin",
            transformed(algorithm().with("hmacKey", sensitive(8))),
        ),
    ] {
        assert_eq!(
            refused(&engine, &on(database), stage.clone()).await,
            expected,
            "{stage:?}"
        );
    }
    for stage in [doc! {"$querySettings": {}}, doc! {"$queryStats": {}}] {
        assert_eq!(on_things(&engine, stage).await, Some(73));
    }
}

#[tokio::test]
async fn a_lookup_names_its_fields_in_strings_and_once() {
    let engine = new_engine().await;
    let join = || doc! {"from": "o", "localField": "a", "foreignField": "b", "as": "c"};
    for name in ["localField", "foreignField", "as"] {
        for other in others() {
            let mut options = join();
            options.set(name, other);
            assert_eq!(
                on_things(&engine, doc! {"$lookup": options}).await,
                Some(14),
                "{name}"
            );
        }
        let mut twice = join();
        twice.push(name, "x");
        assert_eq!(
            on_things(&engine, doc! {"$lookup": twice}).await,
            Some(40_413),
            "{name}"
        );
    }
    assert_eq!(
        on_things(&engine, doc! {"$lookup": join().with("x", 1)}).await,
        Some(40_415)
    );
    assert_eq!(on_things(&engine, doc! {"$lookup": join()}).await, None);
}

#[tokio::test]
async fn statistics_take_null_for_what_is_not_asked() {
    let engine = new_engine().await;
    insert(&engine, "things", &[doc! {"_id": 1}]).await;
    for name in ["latencyStats", "storageStats", "count", "queryExecStats"] {
        let asked = |operand: Value| on_things(&engine, doc! {"$collStats": doc! {}.with(name, operand)});
        assert_eq!(asked(Value::Null).await, None, "{name}");
        assert_eq!(asked(Value::Int32(1)).await, Some(14), "{name}");
    }
    assert_eq!(
        on_things(&engine, doc! {"$collStats": {"storageStats": {"scale": 0}}}).await,
        Some(2)
    );
    for other in others() {
        let plans = doc! {"$planCacheStats": {"allHosts": other.clone()}};
        assert_eq!(on_things(&engine, plans).await, Some(13_111));
        assert_eq!(
            on_things(&engine, doc! {"$merge": other.clone()}).await,
            Some(Code::TYPE_MISMATCH.number())
        );
        assert_eq!(
            on_things(&engine, doc! {"$merge": {"into": other}}).await,
            Some(51_178)
        );
    }
}

#[tokio::test]
async fn a_sort_by_metadata_says_why_there_is_none() {
    let engine = new_engine().await;
    insert(&engine, "things", &[doc! {"_id": 1}]).await;
    for (by, code) in [
        (doc! {"$meta": "textScore"}, 40_218),
        (doc! {"$meta": "indexKey"}, 31_138),
        (doc! {"$meta": "nothing"}, 31_138),
        (doc! {"$meta": "score"}, 40_218),
        (doc! {"$meta": 1}, 31_138),
        (doc! {"$meta": "textScore", "x": 1}, 9),
        (doc! {"x": 1}, 17_312),
    ] {
        assert_eq!(
            on_things(&engine, doc! {"$sort": {"a": by.clone()}}).await,
            Some(code),
            "{by:?}"
        );
    }
}
