//! Writing Extended JSON.

use value::json::{Mode, to_string};
use value::{Binary, DbPointer, Document, ObjectId, Regex, Timestamp, Value, doc};

/// The relaxed and the canonical text of one value in a document.
#[track_caller]
fn check(value: impl Into<Value>, relaxed: &str, canonical: &str) {
    let document = Document::new().with("a", value);
    let text = |mode| to_string((&document).into(), mode);
    assert_eq!(text(Mode::Relaxed), format!(r#"{{"a":{relaxed}}}"#));
    assert_eq!(text(Mode::Canonical), format!(r#"{{"a":{canonical}}}"#));
}

/// A value with one text in both forms.
#[track_caller]
fn check_both(value: impl Into<Value>, text: &str) {
    check(value, text, text);
}

#[test]
fn plain_json_stays_plain() {
    check_both(Value::Null, "null");
    check_both(true, "true");
    check_both("text", r#""text""#);
    check_both(Vec::<Value>::new(), "[]");
    check_both(doc! {}, "{}");
    check_both(doc! {"b": ["x", {"c": false}]}, r#"{"b":["x",{"c":false}]}"#);
}

#[test]
fn texts_are_escaped() {
    check_both(
        "a\"b\\c/d\u{8}\u{C}\n\r\t\0\u{1f}é\u{7f}😀",
        "\"a\\\"b\\\\c/d\\b\\f\\n\\r\\t\\u0000\\u001fé\u{7f}😀\"",
    );
    let document = Document::new().with("a\"b", 1);
    assert_eq!(to_string((&document).into(), Mode::Relaxed), r#"{"a\"b":1}"#);
}

#[test]
fn numbers_say_their_type_in_the_canonical_form() {
    check(-5, "-5", r#"{"$numberInt":"-5"}"#);
    check(1_i64 << 40, "1099511627776", r#"{"$numberLong":"1099511627776"}"#);
    check(2.5, "2.5", r#"{"$numberDouble":"2.5"}"#);
    check_both(
        Value::Decimal128("1.50".parse().unwrap()),
        r#"{"$numberDecimal":"1.50"}"#,
    );
}

#[test]
fn doubles_always_read_back_as_doubles() {
    for (double, text) in [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e300, "1E+300"),
        (1.25e-9, "1.25E-9"),
        (0.1, "0.1"),
        (123_456_789.0, "123456789.0"),
    ] {
        check(double, text, &format!(r#"{{"$numberDouble":"{text}"}}"#));
    }
    check_both(f64::NAN, r#"{"$numberDouble":"NaN"}"#);
    check_both(f64::INFINITY, r#"{"$numberDouble":"Infinity"}"#);
    check_both(f64::NEG_INFINITY, r#"{"$numberDouble":"-Infinity"}"#);
}

#[test]
fn dates_are_iso_texts_where_the_year_has_four_digits() {
    let number = |ms: i64| format!(r#"{{"$date":{{"$numberLong":"{ms}"}}}}"#);
    let dates = [
        (0, "1970-01-01T00:00:00Z"),
        (1_356_351_330_501, "2012-12-24T12:15:30.501Z"),
        (1_356_351_330_007, "2012-12-24T12:15:30.007Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ];
    for (ms, text) in dates {
        check(
            Value::DateTime(ms),
            &format!(r#"{{"$date":"{text}"}}"#),
            &number(ms),
        );
    }
    for ms in [-1, 253_402_300_800_000, i64::MIN, i64::MAX] {
        check_both(Value::DateTime(ms), &number(ms));
    }
}

#[test]
fn types_that_json_lacks_have_their_objects() {
    let id = ObjectId::from_bytes([0xAB; 12]);
    check_both(id, r#"{"$oid":"abababababababababababab"}"#);
    let binary = Binary {
        subtype: 0x80,
        bytes: vec![0xFF, 0, 1],
    };
    check_both(binary, r#"{"$binary":{"base64":"/wAB","subType":"80"}}"#);
    let regex = Regex {
        pattern: "a\"b".into(),
        options: "im".into(),
    };
    check_both(
        regex,
        r#"{"$regularExpression":{"pattern":"a\"b","options":"im"}}"#,
    );
    check_both(
        Timestamp {
            seconds: 4_294_967_295,
            increment: 1,
        },
        r#"{"$timestamp":{"t":4294967295,"i":1}}"#,
    );
    check_both(Value::JavaScript("f(\"x\")".into()), r#"{"$code":"f(\"x\")"}"#);
    check(
        Value::JavaScriptWithScope("f".into(), doc! {"x": 1}),
        r#"{"$code":"f","$scope":{"x":1}}"#,
        r#"{"$code":"f","$scope":{"x":{"$numberInt":"1"}}}"#,
    );
    check_both(Value::Symbol("s".into()), r#"{"$symbol":"s"}"#);
    check_both(
        Value::DbPointer(DbPointer {
            namespace: "db.c".into(),
            id,
        }),
        r#"{"$dbPointer":{"$ref":"db.c","$id":{"$oid":"abababababababababababab"}}}"#,
    );
    check_both(Value::Undefined, r#"{"$undefined":true}"#);
    check_both(Value::MinKey, r#"{"$minKey":1}"#);
    check_both(Value::MaxKey, r#"{"$maxKey":1}"#);
}
