//! MongoDB's comparison order.

use std::cmp::Ordering;
use value::decimal::Parts;
use value::{Binary, DbPointer, Decimal128, ObjectId, Regex, Timestamp, Value, array, compare, doc};

fn decimal(coefficient: i128, exponent: i32) -> Value {
    let (negative, coefficient) = (coefficient < 0, coefficient.unsigned_abs());
    Decimal128::from_parts(Parts::Finite {
        negative,
        coefficient,
        exponent,
    })
    .unwrap()
    .into()
}

fn binary(subtype: u8, bytes: &[u8]) -> Value {
    Binary {
        subtype,
        bytes: bytes.to_vec(),
    }
    .into()
}

fn regex(pattern: &str, options: &str) -> Value {
    Regex {
        pattern: pattern.into(),
        options: options.into(),
    }
    .into()
}

fn pointer(namespace: &str, last: u8) -> Value {
    Value::DbPointer(DbPointer {
        namespace: namespace.into(),
        id: ObjectId::from_bytes([last; 12]),
    })
}

/// Every value of one row is equal to the others of the row and less than those of later rows.
#[track_caller]
fn check_rows(rows: &[Vec<Value>]) {
    for (i, row) in rows.iter().enumerate() {
        for a in row {
            for (j, other) in rows.iter().enumerate() {
                for b in other {
                    assert_eq!(compare(a.as_ref(), b.as_ref()), i.cmp(&j), "{a:?} with {b:?}");
                }
            }
        }
    }
}

#[test]
fn types_have_their_places() {
    check_rows(&[
        vec![Value::MinKey],
        vec![Value::Undefined],
        vec![Value::Null],
        vec![5.into()],
        vec!["a".into(), Value::Symbol("a".into())],
        vec![doc! {}.into()],
        vec![Value::Array(vec![])],
        vec![binary(0, b"")],
        vec![ObjectId::from_bytes([0; 12]).into()],
        vec![false.into()],
        vec![true.into()],
        vec![Value::DateTime(-1)],
        vec![Value::DateTime(1)],
        vec![
            Timestamp {
                seconds: 0,
                increment: 5,
            }
            .into(),
        ],
        vec![
            Timestamp {
                seconds: 1,
                increment: 0,
            }
            .into(),
        ],
        vec![regex("a", "")],
        vec![pointer("a", 1)],
        vec![Value::JavaScript("x".into())],
        vec![Value::JavaScriptWithScope("a".into(), doc! {})],
        vec![Value::MaxKey],
    ]);
}

#[test]
fn numbers_compare_by_exact_value() {
    check_rows(&[
        vec![f64::NAN.into(), Decimal128::NAN.into(), (-f64::NAN).into()],
        vec![f64::NEG_INFINITY.into(), Decimal128::NEG_INFINITY.into()],
        vec![decimal(-1, 400)],
        vec![f64::MIN.into()],
        vec![
            i64::MIN.into(),
            (i64::MIN as f64).into(),
            decimal(i64::MIN.into(), 0),
        ],
        vec![(i64::MIN + 1).into(), decimal(i128::from(i64::MIN) + 1, 0)],
        vec![(-1).into(), (-1_i64).into(), (-1.0).into(), decimal(-100, -2)],
        vec![(-0.5).into(), decimal(-5, -1)],
        vec![(-f64::from_bits(1)).into()],
        vec![decimal(-1, -400)],
        vec![
            0.into(),
            0_i64.into(),
            0.0.into(),
            (-0.0).into(),
            decimal(0, -3),
            decimal(0, 6000),
        ],
        vec![decimal(1, -400)],
        vec![f64::from_bits(1).into()],
        vec![decimal(1, -1)],
        vec![0.1.into()],
        vec![decimal(11, -2)],
        vec![9_007_199_254_740_992_i64.into(), 9_007_199_254_740_992.0.into()],
        vec![decimal(90_071_992_547_409_925, -1)],
        vec![
            9_007_199_254_740_993_i64.into(),
            decimal(9_007_199_254_740_993, 0),
        ],
        vec![i64::MAX.into(), decimal(i64::MAX.into(), 0)],
        vec![
            9_223_372_036_854_775_808.0.into(),
            decimal(9_223_372_036_854_775_808, 0),
        ],
        vec![1e22.into(), decimal(1, 22)],
        vec![1e23.into()],
        vec![decimal(1, 23), decimal(1000, 20)],
        vec![f64::MAX.into()],
        vec![decimal(1, 309)],
        vec![f64::INFINITY.into(), Decimal128::INFINITY.into()],
    ]);
}

#[test]
fn documents_compare_type_then_name_then_value() {
    check_rows(&[
        vec![doc! {}.into()],
        vec![doc! {"z": Value::MinKey}.into()],
        vec![doc! {"b": null}.into()],
        vec![doc! {"a": 2}.into(), doc! {"a": 2.0}.into()],
        vec![doc! {"a": 2, "b": 1}.into()],
        vec![doc! {"a": 3}.into()],
        vec![doc! {"b": 1}.into()],
        vec![doc! {"a": "x"}.into()],
        vec![doc! {"a": {"b": 1}}.into()],
    ]);
}

#[test]
fn arrays_compare_element_by_element() {
    check_rows(&[
        vec![array![].into()],
        vec![array![1].into(), array![1.0].into()],
        vec![array![1, 2].into()],
        vec![array![2].into()],
        vec![array!["a"].into()],
    ]);
}

#[test]
fn binaries_compare_by_length_then_subtype_then_bytes() {
    check_rows(&[
        vec![binary(0, b"")],
        vec![binary(0, b"b")],
        vec![binary(5, b"a")],
        vec![binary(0, b"aa")],
        vec![binary(0, b"aaaaa")],
        vec![binary(2, b"a")],
        vec![binary(3, b"aaaaa")],
    ]);
}

#[test]
fn strings_compare_by_bytes() {
    check_rows(&[
        vec!["".into()],
        vec!["\0".into()],
        vec!["A".into()],
        vec!["a".into()],
        vec!["a\0".into()],
        vec!["a\x01".into()],
        vec!["aa".into()],
        vec!["é".into()],
    ]);
}

#[test]
fn the_rest_compare_by_their_parts() {
    check_rows(&[vec![regex("a", "")], vec![regex("a", "i")], vec![regex("b", "")]]);
    check_rows(&[
        vec![pointer("b", 1)],
        vec![pointer("b", 2)],
        vec![pointer("aa", 1)],
    ]);
    let code = |code: &str, scope| Value::JavaScriptWithScope(code.into(), scope);
    check_rows(&[
        vec![code("a", doc! {})],
        vec![code("a", doc! {"x": 1}), code("a", doc! {"x": 1_i64})],
        vec![code("b", doc! {})],
    ]);
}

#[test]
fn raw_and_decoded_values_are_equal() {
    let document = doc! {"a": [1, {"b": "x"}], "c": 2.5};
    let raw = value::DocumentBuf::from(&document);
    assert_eq!(
        value::compare_documents(raw.as_ref(), (&document).into()),
        Ordering::Equal
    );
}
