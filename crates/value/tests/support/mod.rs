//! Arbitrary values for property tests, with more of those that are hard to get right.

use proptest::collection::vec;
use proptest::prelude::*;
use value::decimal::{EXPONENT_MAX, EXPONENT_MIN, Parts};
use value::{Binary, DbPointer, Decimal128, Document, ObjectId, Regex, Timestamp, Value};

/// A decimal known to be in range.
pub fn decimal(negative: bool, coefficient: u128, exponent: i32) -> Decimal128 {
    Decimal128::from_parts(Parts::Finite {
        negative,
        coefficient,
        exponent,
    })
    .unwrap()
}

/// Integers close to zero and to the places where types and encodings change.
fn edge_int() -> impl Strategy<Value = i64> {
    let edges = prop_oneof![
        Just(0i64),
        (0u32..63).prop_map(|bit| 1 << bit),
        Just(i64::MAX),
        Just(i64::MIN),
        Just(1 << 53),
        any::<i64>(),
    ];
    (edges, -2i64..=2, any::<bool>()).prop_map(|(edge, step, negate)| {
        let near = edge.wrapping_add(step);
        if negate { near.wrapping_neg() } else { near }
    })
}

fn any_double() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        edge_int().prop_map(|int| int as f64),
        (-4000i32..4000).prop_map(|eighths| f64::from(eighths) / 8.0),
        (edge_int(), -3i64..=3).prop_map(|(int, step)| f64::from_bits(
            ((int as f64).to_bits() as i64).wrapping_add(step) as u64
        )),
        prop_oneof![
            Just(0.0),
            Just(-0.0),
            Just(f64::NAN),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY)
        ],
        prop_oneof![
            Just(f64::MAX),
            Just(f64::MIN_POSITIVE),
            Just(0.1),
            Just(1e22),
            Just(1e23)
        ],
    ]
}

/// The 34 digits nearest to a double, so that decimals fall close to and exactly on doubles.
fn decimal_near(double: f64) -> Decimal128 {
    if !double.is_finite() {
        return Decimal128::NAN;
    }
    let text = format!("{:.33e}", double.abs());
    let (digits, exponent) = text.split_once('e').unwrap();
    let exponent = exponent.parse::<i32>().unwrap() - 33;
    decimal(double < 0.0, digits.replace('.', "").parse().unwrap(), exponent)
}

fn any_decimal() -> impl Strategy<Value = Decimal128> {
    let coefficient = prop_oneof![
        0u128..10,
        0u128..100_000,
        (0u32..34).prop_map(|digits| 10u128.pow(digits)),
        0..10u128.pow(34)
    ];
    let exponent = prop_oneof![-5i32..5, -400i32..400, EXPONENT_MIN..=EXPONENT_MAX];
    prop_oneof![
        8 => (any::<bool>(), coefficient, exponent).prop_map(|(n, c, e)| decimal(n, c, e)),
        4 => any_double().prop_map(decimal_near),
        2 => edge_int().prop_map(|int| decimal(int < 0, int.unsigned_abs().into(), 0)),
        2 => (edge_int(), 0u32..10).prop_map(|(int, zeros)| {
            decimal(int < 0, u128::from(int.unsigned_abs()) * 10u128.pow(zeros) + 1, -(zeros as i32))
        }),
        1 => prop_oneof![Just(Decimal128::NAN), Just(Decimal128::INFINITY), Just(Decimal128::NEG_INFINITY)],
        1 => any::<[u8; 16]>().prop_map(Decimal128::from_bytes),
    ]
}

/// A number of any type.
pub fn any_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3i32..=3).prop_map(Value::Int32),
        any::<i32>().prop_map(Value::Int32),
        edge_int().prop_map(Value::Int64),
        any_double().prop_map(Value::Double),
        any_decimal().prop_map(Value::Decimal128),
    ]
}

/// Short texts with the bytes that need escaping.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab\u{0}\u{1}\u{2}]{0,4}", "\\PC{0,6}"]
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof!["[abc]{0,2}", "[a-z\u{1}é]{1,5}"]
}

fn any_object_id() -> impl Strategy<Value = ObjectId> {
    prop_oneof![any::<[u8; 12]>(), Just([0; 12]), Just([0xFF; 12])].prop_map(ObjectId::from_bytes)
}

fn any_binary() -> impl Strategy<Value = Binary> {
    let bytes = prop_oneof![
        vec(0u8..3, 0..4),
        vec(any::<u8>(), 0..8),
        vec(any::<u8>(), 250..260)
    ];
    (prop_oneof![0u8..6, any::<u8>()], bytes).prop_map(|(subtype, bytes)| Binary { subtype, bytes })
}

/// A value that holds no other.
fn any_leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => any_number(),
        3 => any_text().prop_map(Value::String),
        1 => any_text().prop_map(Value::Symbol),
        1 => any_text().prop_map(Value::JavaScript),
        2 => any_binary().prop_map(Value::Binary),
        1 => any_object_id().prop_map(Value::ObjectId),
        2 => any::<bool>().prop_map(Value::Bool),
        1 => prop_oneof![any::<i64>(), -2i64..2].prop_map(Value::DateTime),
        1 => (0u32..3, any::<u32>()).prop_map(|(seconds, increment)| Timestamp { seconds, increment }.into()),
        1 => ("[ab\u{1}]{0,3}", "i?m?").prop_map(|(pattern, options)| Regex { pattern, options }.into()),
        1 => ("[ab]{0,3}", any_object_id())
            .prop_map(|(namespace, id)| Value::DbPointer(DbPointer { namespace, id })),
        1 => prop_oneof![Just(Value::Null), Just(Value::Undefined), Just(Value::MinKey), Just(Value::MaxKey)],
    ]
}

/// A value of any type, a few levels deep.
pub fn any_value() -> impl Strategy<Value = Value> {
    any_leaf().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((any_name(), inner.clone()), 0..4)
                .prop_map(|fields| Value::Document(Document::from_iter(fields))),
            ("[ab]{0,2}", vec((any_name(), inner), 0..3))
                .prop_map(|(code, fields)| Value::JavaScriptWithScope(code, Document::from_iter(fields))),
        ]
    })
}

/// A document of any values.
#[allow(dead_code, reason = "not every test file needs documents")]
pub fn any_document() -> impl Strategy<Value = Document> {
    vec((any_name(), any_value()), 0..6).prop_map(Document::from_iter)
}
