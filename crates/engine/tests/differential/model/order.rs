//! The order of values across types.

use std::cmp::Ordering;
use value::{Document, Value};

/// The place of a value's type among the types; numbers share one.
pub fn rank(value: &Value) -> u8 {
    match value {
        Value::MinKey => 0,
        Value::Undefined => 1,
        Value::Null => 2,
        Value::Int32(_) | Value::Int64(_) | Value::Double(_) | Value::Decimal128(_) => 3,
        Value::String(_) => 4,
        Value::Document(_) => 5,
        Value::Array(_) => 6,
        Value::Binary(_) => 7,
        Value::ObjectId(_) => 8,
        Value::Bool(_) => 9,
        Value::DateTime(_) => 10,
        Value::Timestamp(_) => 11,
        Value::Regex(_) => 12,
        Value::MaxKey => 13,
        other => panic!("no document of these tests has {other:?}"),
    }
}

/// The numbers of these tests are small enough for a double.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int32(number) => Some(f64::from(*number)),
        Value::Int64(number) => Some(*number as f64),
        Value::Double(number) => Some(*number),
        Value::Decimal128(number) => Some(number.to_string().parse().expect("a number's digits")),
        _ => None,
    }
}

/// The order of two values.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return match (a.is_nan(), b.is_nan()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => a.partial_cmp(&b).expect("neither is NaN"),
        };
    }
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Document(a), Value::Document(b)) => compare_documents(a, b),
        (Value::Array(a), Value::Array(b)) => {
            let pairs = a.iter().zip(b);
            let first = pairs.map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Binary(a), Value::Binary(b)) => {
            let key = |binary: &value::Binary| (binary.bytes.len(), binary.subtype, binary.bytes.clone());
            key(a).cmp(&key(b))
        }
        (Value::ObjectId(a), Value::ObjectId(b)) => a.bytes().cmp(b.bytes()),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::DateTime(a), Value::DateTime(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => (a.seconds, a.increment).cmp(&(b.seconds, b.increment)),
        (Value::Regex(a), Value::Regex(b)) => (&a.pattern, &a.options).cmp(&(&b.pattern, &b.options)),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// Field by field: type, then name, then value.
fn compare_documents(a: &Document, b: &Document) -> Ordering {
    let pairs = a.iter().zip(b.iter());
    let fields = pairs.map(|((a_name, a), (b_name, b))| {
        let types = rank(a).cmp(&rank(b));
        types.then(a_name.cmp(b_name)).then_with(|| compare(a, b))
    });
    let first = { fields }.find(|order| order.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}
