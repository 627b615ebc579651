//! Arguments are read as strictly as MongoDB reads them.

use mongo::arguments::{Arguments, Generic, ReadConcern, ReadLevel, WriteConcern};
use mongo::wire::{DocumentSequence, Request};
use std::time::Duration;
use value::{Document, DocumentBuf, DocumentRef, Value, doc};

fn request(body: &Document) -> Request {
    Request {
        body: DocumentBuf::from(body),
        sequences: Vec::new(),
    }
}

fn code<T>(result: Result<T, mongo::CommandError>) -> i32 {
    result.err().map_or(0, |error| error.code.number())
}

#[test]
fn unknown_fields_are_named() {
    let request = request(&doc! {"find": "c", "foo": 1, "$db": "d"});
    let error = Arguments::new("find", &request).finish().unwrap_err();
    assert_eq!(
        (error.code.number(), error.message.as_str()),
        (40_415, "BSON field 'find.foo' is an unknown field.")
    );
}

#[test]
fn wrong_types_are_named() {
    let request = request(&doc! {"find": "c", "limit": "x", "filter": 1});
    let arguments = Arguments::new("find", &request);
    assert_eq!(
        arguments.integer("limit").unwrap_err().message,
        "BSON field 'find.limit' is the wrong type 'string', expected types '[long, int, decimal, double]'"
    );
    assert_eq!(
        arguments.document("filter").unwrap_err().message,
        "BSON field 'find.filter' is the wrong type 'int', expected type 'object'"
    );
}

#[test]
fn fields_given_twice_are_refused() {
    let mut body = doc! {"find": "c", "limit": 1};
    body.push("limit", 2);
    let request = request(&body);
    let arguments = Arguments::new("find", &request);
    arguments.ignore(&["limit"]);
    assert_eq!(code(arguments.finish()), 40_413);
}

#[test]
fn null_stands_for_missing() {
    let request = request(&doc! {"find": "c", "limit": null});
    let arguments = Arguments::new("find", &request);
    assert_eq!(arguments.integer("limit").unwrap(), None);
    arguments.finish().unwrap();
}

#[test]
fn documents_come_from_the_body_or_from_beside_it() {
    let mut beside = request(&doc! {"insert": "c"});
    beside.sequences.push(DocumentSequence {
        name: "documents".into(),
        documents: vec![DocumentBuf::from(&doc! {"a": 1})],
    });
    let within = request(&doc! {"insert": "c", "documents": [{"a": 1}]});
    for request in [beside, within] {
        let arguments = Arguments::new("insert", &request);
        let documents = arguments.documents("documents").unwrap().unwrap();
        assert_eq!(documents[0].to_document(), doc! {"a": 1});
        arguments.finish().unwrap();
    }
}

#[test]
fn write_concerns_are_those_of_a_standalone() {
    let parse = |document: Document| WriteConcern::parse(DocumentRef::Tree(&document));
    assert_eq!(
        parse(doc! {"w": "majority", "j": false}).unwrap().journaled,
        Some(false)
    );
    assert!(parse(doc! {"w": 0}).unwrap().unacknowledged);
    assert_eq!(code(parse(doc! {"w": 2})), 2);
    assert_eq!(code(parse(doc! {"w": "Majority"})), 2);
    assert_eq!(code(parse(doc! {"w": -1})), 9);
    assert_eq!(code(parse(doc! {"w": 51})), 9);
    assert_eq!(code(parse(doc! {"w": {}})), 9);
    assert_eq!(code(parse(doc! {"w": 1, "foo": 1})), 40_415);
    assert_eq!(code(parse(doc! {"w": 1, "wtimeout": (1_i64 << 31)})), 9);
    assert_eq!(code(parse(doc! {"provenance": "x"})), 2);
}

#[test]
fn read_concerns_have_a_known_level() {
    let parse = |document: Document| ReadConcern::parse(DocumentRef::Tree(&document));
    let level = |document| parse(document).unwrap().level;
    assert_eq!(level(doc! {"level": "majority"}), ReadLevel::Local);
    assert_eq!(level(doc! {"level": "snapshot"}), ReadLevel::Snapshot(None));
    assert_eq!(code(parse(doc! {"level": "LOCAL"})), 2);
    assert_eq!(code(parse(doc! {"foo": 1})), 40_415);
    let time = value::Timestamp {
        seconds: 1,
        increment: 2,
    };
    assert_eq!(
        level(doc! {"level": "snapshot", "atClusterTime": time}),
        ReadLevel::Snapshot(Some(time))
    );
    assert_eq!(code(parse(doc! {"level": "local", "atClusterTime": time})), 72);
}

#[test]
fn time_limits_are_whole_and_within_32_bits() {
    let parse = |limit: Value| Generic::parse("ping", &request(&doc! {"ping": 1, "maxTimeMS": limit}));
    assert_eq!(
        parse(Value::Double(5.0)).unwrap().time_limit.unwrap().as_millis(),
        5
    );
    // No limit, even where the server has a default one.
    assert_eq!(parse(Value::Int32(0)).unwrap().time_limit, Some(Duration::ZERO));
    assert_eq!(code(parse(Value::Double(1.5))), 9);
    assert_eq!(code(parse(Value::Double(f64::NAN))), 9);
    assert_eq!(code(parse(Value::Int32(-1))), 2);
    assert_eq!(code(parse(Value::Int64(1 << 31))), 2);
    assert_eq!(code(parse(Value::from("1"))), 14);
    assert_eq!(parse(Value::Null).unwrap().time_limit, None);
    let message = |limit| parse(limit).unwrap_err().message;
    assert_eq!(
        message(Value::Int32(-1)),
        "BSON field 'maxTimeMS' value must be >= 0, actual value '-1'"
    );
    assert_eq!(message(Value::Double(1.5)), "Expected an integer: maxTimeMS: 1.5");
}

#[test]
fn transactions_need_a_session_and_a_number() {
    let parse = |document: Document| Generic::parse("find", &request(&document));
    assert_eq!(code(parse(doc! {"find": "c", "txnNumber": 1_i64})), 72);
    assert_eq!(code(parse(doc! {"find": "c", "autocommit": false})), 72);
    assert_eq!(code(parse(doc! {"find": "c", "startTransaction": true})), 72);
}

#[test]
fn read_preferences_are_checked() {
    let preference = |preference: Document| {
        let body = doc! {"find": "c", "$readPreference": preference};
        code(Generic::parse("find", &request(&body)))
    };
    let secondary = || doc! {"mode": "secondary"};
    let primary = || doc! {"mode": "primary"};
    for (expected, given) in [
        (0, doc! {}),
        (0, primary()),
        (0, primary().with("maxStalenessSeconds", 0)),
        (0, primary().with("tags", vec![doc! {}])),
        (0, secondary().with("maxStalenessSeconds", 90)),
        (0, secondary().with("maxStalenessSeconds", 120.0)),
        (0, secondary().with("tags", vec![doc! {"dc": "x"}, doc! {}])),
        (2, doc! {"mode": "third"}),
        (14, doc! {"mode": 1}),
        (2, primary().with("tags", vec![doc! {"dc": "x"}])),
        (14, secondary().with("tags", 1)),
        (14, secondary().with("maxStalenessSeconds", "90")),
        (2, secondary().with("maxStalenessSeconds", -1)),
        (160, secondary().with("maxStalenessSeconds", 89)),
        (160, primary().with("maxStalenessSeconds", 89)),
        (2, primary().with("maxStalenessSeconds", 90)),
        (2, secondary().with("maxStalenessSeconds", Value::Int64(i64::MAX))),
        (72, primary().with("hedge", doc! {})),
    ] {
        assert_eq!(preference(given.clone()), expected, "{given:?}");
    }
}
