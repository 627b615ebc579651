//! Reading Extended JSON.

use crate::support::any_document;
use proptest::prelude::*;
use value::json::{Mode, parse, parse_document, to_string};
use value::raw::MESSAGE_DEPTH_MAX;
use value::{Binary, Document, Regex, Value, array, doc};

#[track_caller]
fn check(text: &str, expected: impl Into<Value>) {
    assert_eq!(parse(text), Ok(expected.into()), "{text}");
}

/// The text is refused at this byte, and the message says this.
#[track_caller]
fn refused(text: &str, offset: usize, what: &str) {
    let error = parse(text).expect_err(text);
    assert!(
        error.offset == offset && error.what.contains(what),
        "{text}: {error}"
    );
}

#[test]
fn integers_are_ints_or_longs_or_doubles_by_size() {
    check("0", 0);
    check("-5", -5);
    check("2147483647", i32::MAX);
    check("2147483648", 2_147_483_648_i64);
    check("-9223372036854775808", i64::MIN);
    check("9223372036854775808", 9_223_372_036_854_775_808.0);
}

#[test]
fn a_point_or_an_exponent_makes_a_double() {
    check("1.0", 1.0);
    check("-0.0", -0.0);
    check("1e3", 1000.0);
    check("1.5E-3", 0.0015);
}

#[test]
fn numbers_are_strictly_jsons() {
    for text in [
        "01", "-", "1.", ".5", "1e", "1e+", "+1", "0x1", "NaN", "Infinity", "1e400", "--1", "1.e5",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn texts_are_unescaped() {
    check(
        r#""a\"b\\c\/d\b\f\n\r\té\u00e9\ud83d\ude00\u0000""#,
        "a\"b\\c/d\u{8}\u{C}\n\r\téé😀\0",
    );
    refused("\"a\nb\"", 2, "must be escaped");
    refused(r#""a\x""#, 2, "escape");
    refused(r#""a\ud800b""#, 2, "surrogate");
    refused(r#""\ud800\u0041""#, 1, "surrogate");
    refused(r#""\u12g4""#, 3, "four hexadecimal digits");
    refused("\"abc", 4, "closing quote");
    refused("\"abc\\", 5, "closing quote");
}

#[test]
fn structure_keeps_the_order_of_fields() {
    check(
        " { \"b\" : 1 , \"a\" : [ true , null ] ,\t\"b\":\r\n{} } ",
        doc! {"b": 1, "a": [true, null], "b": {}},
    );
    check("[]", array![]);
    check("[[],[1,[2]]]", array![[], [1, [2]]]);
}

#[test]
fn errors_tell_where_and_what() {
    refused("", 0, "ends");
    refused("{\"a\":1,}", 7, "field name");
    refused("[1,]", 3, "value");
    refused("[1 2]", 3, "',' or ']'");
    refused("{\"a\" 1}", 5, "':'");
    refused("{\"a\":1", 6, "',' or '}'");
    refused("{a:1}", 1, "field name");
    refused("{} x", 3, "nothing more");
    refused("tru", 0, "value");
    refused("{\"a\\u0000\":1}", 1, "U+0000");
    refused("{\"a\":{\"$oid\":42}}", 5, "$oid");
    assert!(parse_document("[1]").unwrap_err().what.contains("array"));
}

#[test]
fn depth_is_limited() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(parse(&nested(MESSAGE_DEPTH_MAX)).is_ok());
    refused(&nested(MESSAGE_DEPTH_MAX + 1), MESSAGE_DEPTH_MAX, "nested");
    refused(&"[".repeat(1_000_000), MESSAGE_DEPTH_MAX, "nested");
    refused(&"{\"a\":".repeat(1_000_000), MESSAGE_DEPTH_MAX * 5, "nested");
}

#[test]
fn dates_have_two_forms() {
    check(r#"{"$date":{"$numberLong":"-5"}}"#, Value::DateTime(-5));
    check(
        r#"{"$date":"2012-12-24T12:15:30.501Z"}"#,
        Value::DateTime(1_356_351_330_501),
    );
    check(
        r#"{"$date":"2012-12-24T13:15:30.501+01:00"}"#,
        Value::DateTime(1_356_351_330_501),
    );
    check(r#"{"$date":"1969-12-31T23:59:59.999Z"}"#, Value::DateTime(-1));
    check(
        r#"{"$date":"9999-12-31T23:59:59.9999-0000"}"#,
        Value::DateTime(253_402_300_799_999),
    );
    check(
        r#"{"$date":"0000-02-29T00:00:00+01"}"#,
        Value::DateTime(-62_162_125_200_000),
    );
    for bad in [
        "2023-02-29T00:00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-01-00T00:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:00:00",
        "2024-01-01T00:00:00.Z",
        "2024-01-01 00:00:00Z",
        "+024-01-01T00:00:00Z",
        "2024-01-01T00:00:00+1",
        "2024-01-01T00:00:00Zé",
        "2024-01-01T00:00:00+é00",
        "é024-01-01T00:00:00Z",
    ] {
        assert!(parse(&format!(r#"{{"$date":"{bad}"}}"#)).is_err(), "{bad}");
    }
    for bad in [
        "42",
        "\"yesterday\"",
        "{\"$numberInt\":\"5\"}",
        "null",
        "\"2012-12-24\"",
        "4200000000000",
    ] {
        assert!(parse(&format!(r#"{{"$date":{bad}}}"#)).is_err(), "{bad}");
    }
}

#[test]
fn uuids_are_binaries() {
    let bytes = vec![
        0x73, 0xFF, 0xD2, 0x64, 0x44, 0xB3, 0x4C, 0x69, 0x90, 0xE8, 0xE7, 0xD1, 0xDF, 0xC0, 0x35, 0xD4,
    ];
    check(
        r#"{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}"#,
        Binary { subtype: 4, bytes },
    );
    for bad in [
        "73ffd26444b34c6990e8e7d1dfc035d4",
        "73ffd264-44b3-4c69-90e8-e7d1dfc035dg",
        "+3ffd264-44b3-4c69-90e8-e7d1dfc035d4",
        "",
    ] {
        assert!(parse(&format!(r#"{{"$uuid":"{bad}"}}"#)).is_err(), "{bad}");
    }
}

#[test]
fn binaries_have_a_form_of_each_version() {
    let binary = Binary {
        subtype: 5,
        bytes: vec![255, 255],
    };
    check(r#"{"$binary":{"base64":"//8=","subType":"5"}}"#, binary.clone());
    check(r#"{"$binary":{"subType":"05","base64":"//8="}}"#, binary.clone());
    check(r#"{"$binary":"//8=","$type":"05"}"#, binary);
    for bad in [
        r#"{"base64":"//8"}"#,
        r#"{"base64":"?","subType":"0"}"#,
        r#"{"base64":"","subType":"100"}"#,
        r#"{"base64":"","subType":"+1"}"#,
        r#"{"base64":"","subType":""}"#,
    ] {
        assert!(parse(&format!(r#"{{"$binary":{bad}}}"#)).is_err(), "{bad}");
    }
}

#[test]
fn options_of_regular_expressions_are_sorted() {
    let expected = Regex {
        pattern: "a".into(),
        options: "imx".into(),
    };
    check(
        r#"{"$regularExpression":{"pattern":"a","options":"xmi"}}"#,
        expected,
    );
}

#[test]
fn special_objects_have_exactly_their_fields() {
    for bad in [
        r#"{"$oid":"56e1fc72e0c917e9c4714161","x":1}"#,
        r#"{"$oid":"56e1"}"#,
        r#"{"$numberInt":5}"#,
        r#"{"$numberInt":"2147483648"}"#,
        r#"{"$numberLong":"1.5"}"#,
        r#"{"$numberDouble":"inf"}"#,
        r#"{"$numberDecimal":"abc"}"#,
        r#"{"$timestamp":{"t":1}}"#,
        r#"{"$timestamp":{"t":-1,"i":1}}"#,
        r#"{"$timestamp":{"t":1,"i":1,"x":1}}"#,
        r#"{"$timestamp":{"t":1,"i":1},"x":1}"#,
        r#"{"$minKey":0}"#,
        r#"{"$maxKey":true}"#,
        r#"{"$undefined":1}"#,
        r#"{"$code":5}"#,
        r#"{"$code":"","x":1}"#,
        r#"{"$code":"","$scope":5}"#,
        r#"{"$symbol":5}"#,
        r#"{"$dbPointer":{"$ref":"a","$id":5}}"#,
        r#"{"$regularExpression":{"pattern":"a"}}"#,
        r#"{"$regularExpression":{"pattern":"a\u0000","options":""}}"#,
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn other_names_with_a_dollar_stay() {
    for text in [
        r#"{"$ref":"c","$id":{"$oid":"56e1fc72e0c917e9c4714161"},"$db":"d"}"#,
        r#"{"$set":{"a":1}}"#,
        r#"{"$type":"string"}"#,
        r#"{"$regex":"a","$options":"i"}"#,
        r#"{"a":1,"$date":5}"#,
        r#"{"$scope":{"x":1}}"#,
        r#"{"$":1}"#,
    ] {
        let document = parse_document(text).unwrap();
        assert_eq!(to_string((&document).into(), Mode::Relaxed), text);
    }
}

/// What the relaxed form forgets: a long that fits an int. NaN is one, decimals are canonical, options sorted.
fn normal(value: Value, relaxed: bool) -> Value {
    let document = |fields: Document| {
        fields
            .into_iter()
            .map(|(name, value)| (name, normal(value, relaxed)))
            .collect()
    };
    match value {
        Value::Int64(long) if relaxed => i32::try_from(long).map_or(value, Value::Int32),
        Value::Double(double) if double.is_nan() => Value::Double(f64::NAN),
        Value::Decimal128(decimal) => Value::Decimal128(decimal.to_string().parse().unwrap()),
        Value::Array(elements) => elements
            .into_iter()
            .map(|element| normal(element, relaxed))
            .collect(),
        Value::Document(fields) => Value::Document(document(fields)),
        Value::JavaScriptWithScope(code, scope) => Value::JavaScriptWithScope(code, document(scope)),
        other => other,
    }
}

proptest! {
    #[test]
    fn every_date_reads_back(ms in 0..253_402_300_800_000i64) {
        let text = to_string((&doc! {"d": Value::DateTime(ms)}).into(), Mode::Relaxed);
        prop_assert_eq!(parse(&text), Ok(doc! {"d": Value::DateTime(ms)}.into()));
    }

    #[test]
    fn every_document_reads_back(fields in any_document()) {
        for (mode, relaxed) in [(Mode::Canonical, false), (Mode::Relaxed, true)] {
            let text = to_string((&fields).into(), mode);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
            let expected = normal(Value::Document(fields.clone()), relaxed);
            prop_assert_eq!(parse(&text), Ok(expected));
        }
    }

    #[test]
    fn the_same_texts_are_accepted_as_by_another_parser(text in "[\\[\\]{}:,\"0-9eE.+\\-a\\\\ tru]{0,12}") {
        // The other has no limit of doubles' range at this length, and neither has names with a dollar here.
        prop_assert_eq!(parse(&text).is_ok(), serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = parse(&text);
    }
}
