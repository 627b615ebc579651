//! Values as numbers and as booleans.

use value::{Decimal128, Value, doc};

fn decimal(text: &str) -> Value {
    Value::Decimal128(text.parse().unwrap())
}

#[test]
fn integers_of_any_type_are_exact() {
    for value in [
        Value::Int32(5),
        Value::Int64(5),
        Value::Double(5.0),
        decimal("5.00"),
    ] {
        assert_eq!(value.as_i64_exact(), Some(5));
    }
    for value in [
        Value::Double(5.5),
        Value::Double(1e19),
        Value::Double(f64::NAN),
        decimal("5.5"),
        "5".into(),
    ] {
        assert_eq!(value.as_i64_exact(), None);
    }
    assert_eq!(Value::Double(i64::MIN as f64).as_i64_exact(), Some(i64::MIN));
    assert_eq!(Value::Double(9_223_372_036_854_775_808.0).as_i64_exact(), None);
}

#[test]
fn lossy_integers_are_cut_and_clamped() {
    let rows = [
        (Value::Double(-5.9), -5),
        (Value::Double(1e300), i64::MAX),
        (Value::Double(f64::NAN), 0),
        (decimal("-1E+30"), i64::MIN),
        (decimal("7.9"), 7),
        (decimal("NaN"), 0),
    ];
    for (value, expected) in rows {
        assert_eq!(value.as_i64_lossy(), Some(expected));
    }
    assert_eq!(Value::Null.as_i64_lossy(), None);
}

#[test]
fn numbers_convert_to_double_and_decimal() {
    assert_eq!(Value::Int32(3).as_f64(), Some(3.0));
    assert_eq!(decimal("0.1").as_f64(), Some(0.1));
    assert_eq!(Value::Bool(true).as_f64(), None);
    assert_eq!(
        Value::Double(0.5).as_decimal(),
        Some("0.500000000000000".parse().unwrap())
    );
    assert_eq!(Value::Int64(7).as_decimal(), Some(Decimal128::from(7)));
}

#[test]
fn truth_is_mongodbs() {
    let falsy = [
        false.into(),
        Value::Null,
        Value::Undefined,
        0.into(),
        0_i64.into(),
        (-0.0).into(),
        decimal("0.0"),
    ];
    assert!(falsy.iter().all(|value| !value.as_bool_truthy()));
    let truthy = [
        true.into(),
        "".into(),
        doc! {}.into(),
        1.into(),
        f64::NAN.into(),
        decimal("NaN"),
        Value::MinKey,
    ];
    assert!(truthy.iter().all(Value::as_bool_truthy));
}
