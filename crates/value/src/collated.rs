//! CouchDB's order of JSON values, as a comparison and as bytes.
//!
//! The order (CouchDB documentation, "Views Collation"; `src/couch/priv/couch_ejson_compare`): null, false, true,
//! numbers, strings by the root collation, arrays element by element, objects field by field in their order, name
//! before value; what ends first comes first. Values that JSON lacks (dates, ObjectIds, …) come last, in MongoDB's
//! order.
//!
//! The bytes of [`encode`] are self-delimiting: no encoding is a prefix of another, so what follows one does not affect
//! the order.

use crate::collation;
use crate::key::{self, Direction};
use crate::{ArrayRef, DocumentRef, ValueRef};
use std::cmp::Ordering;

/// Above every byte that an encoding begins with: after some encodings, it is the end of the range that begins with
/// them.
pub const ABOVE: u8 = 0xff;

/// Ends an array or object; below every tag, so that what ends first comes first.
pub const END: u8 = 0x01;
/// Ends a string; sort keys hold none.
pub const STRING_END: u8 = 0x00;
/// The encoding of null.
pub const NULL: u8 = 0x10;
/// The encoding of false.
pub const FALSE: u8 = 0x11;
/// The encoding of true.
pub const TRUE: u8 = 0x12;
/// Before the eight bytes of [`put_number`].
pub const NUMBER: u8 = 0x20;
/// Before a string's sort key and [`STRING_END`].
pub const STRING: u8 = 0x30;
/// Before elements and [`END`].
pub const ARRAY: u8 = 0x40;
/// Before names, each with its value, and [`END`].
pub const OBJECT: u8 = 0x50;
/// Followed by the key of MongoDB's order.
const OTHER: u8 = 0x60;

/// The order of two values.
pub fn compare(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    use ValueRef as V;
    match (a, b) {
        (V::String(a) | V::Symbol(a), V::String(b) | V::Symbol(b)) => collation::compare(a, b),
        (V::Array(a), V::Array(b)) => compare_arrays(a, b),
        (V::Document(a), V::Document(b)) => compare_objects(a, b),
        _ => tag(a).cmp(&tag(b)).then_with(|| match tag(a) {
            NUMBER | OTHER => crate::compare(a, b),
            _ => Ordering::Equal,
        }),
    }
}

/// Appends bytes whose order is the order of [`compare`]; numbers are rounded to doubles, so that some that differ have
/// the same bytes.
pub fn encode(value: ValueRef<'_>, out: &mut Vec<u8>) {
    out.push(tag(value));
    match value {
        ValueRef::String(text) | ValueRef::Symbol(text) => put_text(text, out),
        ValueRef::Array(elements) => {
            for element in elements.iter() {
                encode(element, out);
            }
            out.push(END);
        }
        ValueRef::Document(fields) => {
            for (name, value) in fields.iter() {
                out.push(STRING);
                put_text(name, out);
                encode(value, out);
            }
            out.push(END);
        }
        number if number.is_number() => {
            put_number(number.as_f64().unwrap_or(f64::MAX), out);
        }
        other if tag(other) == OTHER => key::encode(other, Direction::Ascending, out),
        _ => {}
    }
}

fn tag(value: ValueRef<'_>) -> u8 {
    match value {
        ValueRef::Null | ValueRef::Undefined => NULL,
        ValueRef::Bool(false) => FALSE,
        ValueRef::Bool(true) => TRUE,
        ValueRef::String(_) | ValueRef::Symbol(_) => STRING,
        ValueRef::Array(_) => ARRAY,
        ValueRef::Document(_) => OBJECT,
        number if number.is_number() => NUMBER,
        _ => OTHER,
    }
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    collation::sort_key(text, out);
    out.push(STRING_END);
}

/// Appends eight bytes whose order is that of the numbers.
pub fn put_number(number: f64, out: &mut Vec<u8>) {
    // Minus zero is zero.
    let bits = (number + 0.0).to_bits();
    let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    out.extend_from_slice(&ordered.to_be_bytes());
}

fn compare_arrays(a: ArrayRef<'_>, b: ArrayRef<'_>) -> Ordering {
    compare_each(a.iter(), b.iter(), compare)
}

fn compare_objects(a: DocumentRef<'_>, b: DocumentRef<'_>) -> Ordering {
    compare_each(a.iter(), b.iter(), |(name, value), (other_name, other)| {
        collation::compare(name, other_name).then_with(|| compare(value, other))
    })
}

/// One after another: the first that differ decide, and what ends first comes first.
fn compare_each<T>(
    mut left: impl Iterator<Item = T>,
    mut right: impl Iterator<Item = T>,
    compare: impl Fn(T, T) -> Ordering,
) -> Ordering {
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match compare(a, b) {
                Ordering::Equal => {}
                order => return order,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, doc};

    fn ascending() -> Vec<Value> {
        vec![
            Value::Null,
            Value::Bool(false),
            Value::Bool(true),
            Value::Int32(-3),
            Value::Double(2.5),
            Value::Int64(3),
            Value::from(""),
            Value::from("a"),
            Value::from("A"),
            Value::from("aa"),
            Value::from("b"),
            Value::Array(vec![]),
            Value::Array(vec![Value::from("a")]),
            Value::Array(vec![Value::from("b")]),
            Value::Array(vec![Value::from("b"), Value::Int32(1)]),
            Value::from(doc! {}),
            Value::from(doc! {"a": 1}),
            Value::from(doc! {"a": 2}),
            Value::from(doc! {"a": 2, "b": 1}),
            Value::from(doc! {"b": 1}),
            Value::DateTime(0),
        ]
    }

    #[test]
    fn values_are_in_couchdbs_order_as_values_and_as_bytes() {
        let encoded = |value: &Value| {
            let mut bytes = Vec::new();
            encode(value.as_ref(), &mut bytes);
            bytes
        };
        let values = ascending();
        for (place, value) in values.iter().enumerate() {
            for (other_place, other) in values.iter().enumerate() {
                let order = place.cmp(&other_place);
                assert_eq!(
                    compare(value.as_ref(), other.as_ref()),
                    order,
                    "{value:?} {other:?}"
                );
                assert_eq!(encoded(value).cmp(&encoded(other)), order, "{value:?} {other:?}");
            }
        }
    }

    #[test]
    fn numbers_of_all_types_are_equal_by_value() {
        assert!(compare(ValueRef::Int32(1), ValueRef::Double(1.0)).is_eq());
        assert!(compare(ValueRef::Double(-0.0), ValueRef::Int64(0)).is_eq());
    }
}
