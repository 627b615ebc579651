//! Keys sort as their values do, and can be decoded into them.

use crate::support::{any_number, any_value};
use proptest::prelude::*;
use value::key::{self, Direction, TypeBits};
use value::{Decimal128, ObjectId, Value, compare};

const BOTH: [Direction; 2] = [Direction::Ascending, Direction::Descending];

fn encode(value: &Value, direction: Direction) -> Vec<u8> {
    let mut key = Vec::new();
    key::encode(value.as_ref(), direction, &mut key);
    key
}

fn check_order(a: &Value, b: &Value) -> Result<(), TestCaseError> {
    let order = compare(a.as_ref(), b.as_ref());
    let ascending = encode(a, Direction::Ascending).cmp(&encode(b, Direction::Ascending));
    prop_assert_eq!(ascending, order, "{:?} with {:?}", a, b);
    let descending = encode(a, Direction::Descending).cmp(&encode(b, Direction::Descending));
    prop_assert_eq!(descending, order.reverse(), "{:?} with {:?} descending", a, b);
    Ok(())
}

/// What a key gives back: the same bytes, but one NaN for all and canonical decimals.
fn restorable(value: Value) -> Value {
    match value {
        Value::Double(double) if double.is_nan() => Value::Double(f64::NAN),
        Value::Decimal128(decimal) => Value::Decimal128(canonical(decimal)),
        Value::Array(elements) => elements.into_iter().map(restorable).collect(),
        Value::Document(fields) => Value::Document(
            fields
                .into_iter()
                .map(|(name, value)| (name, restorable(value)))
                .collect(),
        ),
        Value::JavaScriptWithScope(code, scope) => Value::JavaScriptWithScope(
            code,
            scope
                .into_iter()
                .map(|(name, value)| (name, restorable(value)))
                .collect(),
        ),
        other => other,
    }
}

fn canonical(decimal: Decimal128) -> Decimal128 {
    if decimal.is_infinite() && decimal.is_negative() {
        Decimal128::NEG_INFINITY
    } else {
        decimal.canonical()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn numbers_sort_as_they_compare(a in any_number(), b in any_number()) {
        check_order(&a, &b)?;
    }

    #[test]
    fn values_sort_as_they_compare(a in any_value(), b in any_value()) {
        check_order(&a, &b)?;
    }

    #[test]
    fn no_key_is_a_prefix_of_another(a in any_value(), b in any_value()) {
        for direction in BOTH {
            let (a, b) = (encode(&a, direction), encode(&b, direction));
            prop_assert!(a == b || !b.starts_with(&a));
        }
    }

    #[test]
    fn compound_keys_sort_part_by_part(
        a in prop::collection::vec(any_value(), 3),
        b in prop::collection::vec(any_value(), 3),
        shared in 0usize..3,
    ) {
        let directions = [Direction::Ascending, Direction::Descending, Direction::Ascending];
        let b: Vec<_> = a.iter().take(shared).cloned().chain(b.into_iter().skip(shared)).collect();
        let key = |values: &[Value]| {
            let mut key = Vec::new();
            values.iter().zip(directions).for_each(|(v, d)| key::encode(v.as_ref(), d, &mut key));
            key
        };
        let order = a.iter().zip(&b).zip(directions).map(|((a, b), direction)| {
            let order = compare(a.as_ref(), b.as_ref());
            if direction == Direction::Descending { order.reverse() } else { order }
        });
        let order = order.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
        prop_assert_eq!(key(&a).cmp(&key(&b)), order);
    }

    #[test]
    fn values_come_back_from_key_and_bits(values in prop::collection::vec(any_value(), 1..3)) {
        let (mut key, mut bits) = (Vec::new(), TypeBits::default());
        let parts = || values.iter().zip(BOTH.into_iter().cycle());
        parts().for_each(|(v, d)| key::encode_with_bits(v.as_ref(), d, &mut key, &mut bits));
        bits.trim();
        let (mut key_rest, mut bits_rest) = (&key[..], &bits.0[..]);
        for (value, direction) in parts() {
            prop_assert_eq!(key::skip(key_rest, direction), Some(encode(value, direction).len()));
            let back = key::decode(&mut key_rest, &mut bits_rest, direction);
            prop_assert_eq!(back, Some(restorable(value.clone())));
        }
        prop_assert!(key_rest.is_empty() && bits_rest.is_empty());
    }

    #[test]
    fn a_type_range_holds_its_type_alone(a in any_value(), b in any_value()) {
        let same = value::canonical_type(a.type_of()) == value::canonical_type(b.type_of());
        for direction in BOTH {
            let (low, high) = key::type_range(a.type_of(), direction);
            let key = encode(&b, direction);
            prop_assert_eq!(low <= key && key < high, same);
        }
    }

    #[test]
    fn any_bytes_decode_or_are_refused(
        key in prop::collection::vec(prop_oneof![any::<u8>(), 0x0Cu8..0x70, 0u8..3], 0..40),
        bits in prop::collection::vec(0u8..7, 0..6),
    ) {
        for direction in BOTH {
            let (mut key_rest, mut bits_rest) = (&key[..], &bits[..]);
            let _ = key::decode(&mut key_rest, &mut bits_rest, direction);
            let _ = key::skip(&key, direction);
        }
    }
}

#[test]
fn common_keys_are_short() {
    let size = |value: Value| encode(&value, Direction::Ascending).len();
    assert_eq!(size(0.into()), 1);
    assert_eq!(size(127.into()), 2);
    assert_eq!(size((-100).into()), 2);
    assert_eq!(size(30_000.into()), 3);
    assert_eq!(size(1_000_000.into()), 4);
    assert_eq!(size(i32::MAX.into()), 5);
    assert_eq!(size("12345678".into()), 10);
    assert_eq!(size(ObjectId::generate().into()), 13);
    assert!(size(21.37.into()) <= 9);
    assert!(size(1e-9.into()) <= 9);
}

#[test]
fn usual_types_need_no_bits() {
    let values = [
        1.into(),
        "text".into(),
        21.5.into(),
        (1_i64 << 40).into(),
        ObjectId::generate().into(),
    ];
    let (mut key, mut bits) = (Vec::new(), TypeBits::default());
    for value in &values {
        key::encode_with_bits(Value::as_ref(value), Direction::Ascending, &mut key, &mut bits);
    }
    bits.trim();
    assert_eq!(bits, TypeBits::default());
}

#[test]
fn deep_keys_are_refused_not_followed() {
    let key = vec![0x48; 100_000];
    assert_eq!(
        key::decode(&mut &key[..], &mut &[][..], Direction::Ascending),
        None
    );
    assert_eq!(key::skip(&key, Direction::Ascending), None);
}
