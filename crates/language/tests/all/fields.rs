//! Options are read as strictly as MongoDB reads them.

use language::Fields;
use language::expression::number::Number;
use value::decimal::Parts;
use value::{Decimal128, Document, Value, ValueRef, doc};

/// The code and message of what reading refuses.
fn refused<'a, T>(
    document: &'a Document,
    read: impl FnOnce(&Fields<'a>) -> language::Result<T>,
) -> (i32, String) {
    let fields = Fields::new("stage", document);
    match read(&fields).and_then(|_| fields.finish()) {
        Ok(()) => (0, String::new()),
        Err(error) => (error.code.number(), error.message),
    }
}

#[test]
fn wrong_types_are_named() {
    for (document, wanted) in [
        (doc! {"a": {}}, "type 'string'"),
        (doc! {"a": 1}, "type 'string'"),
    ] {
        let (code, message) = refused(&document, |fields| fields.string("a"));
        assert_eq!(code, 14);
        assert!(
            message.starts_with("BSON field 'stage.a' is the wrong type"),
            "{message}"
        );
        assert!(message.ends_with(wanted), "{message}");
    }
    let flags = refused(&doc! {"a": "x"}, |fields| fields.flag("a")).1;
    assert!(
        flags.ends_with("expected types '[bool, long, int, decimal, double]'"),
        "{flags}"
    );
    let elements = refused(&doc! {"a": ["x", 1]}, |fields| fields.strings("a")).1;
    assert!(elements.starts_with("BSON field 'stage.a.1'"), "{elements}");
}

#[test]
fn null_stands_for_missing_but_where_it_may_not() {
    let null = doc! {"a": null};
    assert_eq!(refused(&null, |fields| fields.string("a")).0, 0);
    assert_eq!(refused(&null, |fields| fields.bool("a")).0, 0);
    assert_eq!(refused(&null, |fields| fields.strict_bool("a")).0, 14);
    assert_eq!(refused(&null, |fields| fields.strict_document("a")).0, 14);
    assert_eq!(refused(&null, |fields| fields.required_string("a")).0, 40_414);
}

#[test]
fn unknown_and_repeated_fields_are_refused() {
    assert_eq!(
        refused(&doc! {"a": 1, "b": 1}, |fields| fields.integer("a")),
        (40_415, "BSON field 'stage.b' is an unknown field.".to_owned())
    );
    let mut twice = doc! {"a": 1};
    twice.push("a", 1);
    assert_eq!(refused(&twice, |fields| fields.integer("a")).0, 40_413);
    let nested = refused(&doc! {"a": {"b": 1}}, |fields| match fields.nested("a")? {
        Some(nested) => nested.finish(),
        None => Ok(()),
    });
    assert_eq!(nested.1, "BSON field 'stage.a.b' is an unknown field.");
}

#[test]
fn numbers_keep_within_their_range() {
    let within = |number: i32| refused(&doc! {"a": number}, |fields| fields.integer_within("a", 1..=5));
    assert_eq!((within(1).0, within(5).0), (0, 0));
    assert_eq!(
        within(0),
        (
            2,
            "BSON field 'a' value must be >= 1, actual value '0'".to_owned()
        )
    );
    assert_eq!(
        within(6),
        (
            2,
            "BSON field 'a' value must be <= 5, actual value '6'".to_owned()
        )
    );
    assert_eq!(refused(&doc! {"a": (-1)}, |fields| fields.count("a")).0, 2);
}

#[test]
fn words_are_those_of_a_list() {
    let choice = |word: &str| {
        refused(&doc! {"a": word}, |fields| {
            fields.choice("a", &[("x", 1), ("y", 2)])
        })
    };
    assert_eq!(choice("y").0, 0);
    assert_eq!(
        choice("z"),
        (
            2,
            "Enumeration value 'z' for field 'stage.a' is not a valid value.".to_owned()
        )
    );
}

#[test]
fn numbers_are_cut_rounded_and_saturated() {
    let whole = |number: Value| Number::of(number.as_ref()).map(Number::to_i64_saturating);
    assert_eq!(whole(Value::Double(2.9)), Some(2));
    assert_eq!(whole(Value::Double(f64::NAN)), Some(0));
    assert_eq!(whole(Value::Double(f64::INFINITY)), Some(i64::MAX));
    assert_eq!(whole(Value::from("2")), None);
    let decimal = |negative, coefficient, exponent| {
        let parts = Parts::Finite {
            negative,
            coefficient,
            exponent,
        };
        let number = ValueRef::Decimal128(Decimal128::from_parts(parts).unwrap());
        Number::of(number).unwrap().to_i64_saturating()
    };
    // Half to even.
    assert_eq!(decimal(false, 15, -1), 2);
    assert_eq!(decimal(false, 25, -1), 2);
    assert_eq!(decimal(true, 50_001, -5), -1);
    assert_eq!(decimal(false, 1, -6143), 0);
    assert_eq!(decimal(false, 5, 3), 5000);
    assert_eq!(decimal(true, 1, 6000), i64::MIN);
}

#[test]
fn a_wrong_collation_is_refused_in_the_words_of_fields() {
    let refused = |options: Document| {
        let error = language::Error::from(value::collation::Collation::parse(&options).unwrap_err());
        (error.code.number(), error.message)
    };
    let of = |message: &str| format!("BSON field 'collation.{message}");
    for (options, code, message) in [
        (
            doc! {"locale": "en", "colour": 1},
            40_415,
            of("colour' is an unknown field."),
        ),
        (
            doc! {"strength": 1},
            40_414,
            of("locale' is missing but a required field"),
        ),
        (
            doc! {"locale": 1},
            14,
            of("locale' is the wrong type 'int', expected type 'string'"),
        ),
        (
            doc! {"locale": "en", "strength": 6},
            2,
            of("strength' value must be >= 1 and <= 5, actual value '6'"),
        ),
    ] {
        assert_eq!(refused(options), (code, message));
    }
}
