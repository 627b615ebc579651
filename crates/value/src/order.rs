//! MongoDB's order of values across types.
//!
//! Reference: MongoDB manual, "Comparison/Sort Order". Values of different canonical types are ordered by the
//! type; all number types are one canonical type, and so are string and symbol.

use crate::number::{self, Number};
use crate::{ArrayRef, Decimal128, DocumentRef, Type, Value, ValueRef};
use std::cmp::Ordering;
use std::ops::Bound;

/// The place of a type in the order of types; types of one place are compared by value.
pub fn canonical_type(kind: Type) -> i8 {
    match kind {
        Type::MinKey => -1,
        Type::Undefined => 0,
        Type::Null => 5,
        Type::Double | Type::Int32 | Type::Int64 | Type::Decimal128 => 10,
        Type::String | Type::Symbol => 15,
        Type::Document => 20,
        Type::Array => 25,
        Type::Binary => 30,
        Type::ObjectId => 35,
        Type::Bool => 40,
        Type::DateTime => 45,
        Type::Timestamp => 47,
        Type::Regex => 50,
        Type::DbPointer => 55,
        Type::JavaScript => 60,
        Type::JavaScriptWithScope => 65,
        Type::MaxKey => 127,
    }
}

/// MongoDB's comparison: by canonical type first, then by value; numbers of all types by their exact value.
pub fn compare(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    compare_by(a, b, &str::cmp)
}

/// Whether a value is within a range of MongoDB's order.
pub fn is_within((low, high): &(Bound<Value>, Bound<Value>), value: ValueRef<'_>) -> bool {
    let order = |bound: &Value| compare(value, bound.as_ref());
    let is_after_low = match low {
        Bound::Unbounded => true,
        Bound::Included(low) => order(low).is_ge(),
        Bound::Excluded(low) => order(low).is_gt(),
    };
    is_after_low
        && match high {
            Bound::Unbounded => true,
            Bound::Included(high) => order(high).is_le(),
            Bound::Excluded(high) => order(high).is_lt(),
        }
}

/// [`compare`] with another order of strings.
pub(crate) fn compare_by(
    a: ValueRef<'_>,
    b: ValueRef<'_>,
    texts: &impl Fn(&str, &str) -> Ordering,
) -> Ordering {
    use ValueRef as V;
    match (a, b) {
        (V::String(a) | V::Symbol(a), V::String(b) | V::Symbol(b)) => texts(a, b),
        (V::Document(a), V::Document(b)) => compare_fields(a, b, texts),
        (V::Array(a), V::Array(b)) => compare_arrays(a, b, texts),
        (V::Binary { subtype: s, bytes: a }, V::Binary { subtype: t, bytes: b }) => binary_length(s, a)
            .cmp(&binary_length(t, b))
            .then(s.cmp(&t))
            .then_with(|| a.cmp(b)),
        (V::ObjectId(a), V::ObjectId(b)) => a.cmp(&b),
        (V::Bool(a), V::Bool(b)) => a.cmp(&b),
        (V::DateTime(a), V::DateTime(b)) => a.cmp(&b),
        (V::Timestamp(a), V::Timestamp(b)) => a.cmp(&b),
        (
            V::Regex {
                pattern: a,
                options: s,
            },
            V::Regex {
                pattern: b,
                options: t,
            },
        ) => (a, s).cmp(&(b, t)),
        (V::DbPointer { namespace: a, id: s }, V::DbPointer { namespace: b, id: t }) => {
            (a.len(), a, s).cmp(&(b.len(), b, t))
        }
        (V::JavaScript(a), V::JavaScript(b)) => a.cmp(b),
        (V::JavaScriptWithScope { code: a, scope: s }, V::JavaScriptWithScope { code: b, scope: t }) => {
            a.cmp(b).then_with(|| compare_documents(s, t))
        }
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => number::compare(a, b),
            _ => canonical_type(a.type_of()).cmp(&canonical_type(b.type_of())),
        },
    }
}

/// MongoDB's comparison of two documents: field by field, type before name before value.
pub fn compare_documents(a: DocumentRef<'_>, b: DocumentRef<'_>) -> Ordering {
    compare_fields(a, b, &str::cmp)
}

fn compare_fields(
    a: DocumentRef<'_>,
    b: DocumentRef<'_>,
    texts: &impl Fn(&str, &str) -> Ordering,
) -> Ordering {
    let mut others = b.iter();
    for (name, value) in a.iter() {
        let Some((other_name, other)) = others.next() else {
            return Ordering::Greater;
        };
        let order = canonical_type(value.type_of())
            .cmp(&canonical_type(other.type_of()))
            .then_with(|| name.cmp(other_name))
            .then_with(|| compare_by(value, other, texts));
        if order.is_ne() {
            return order;
        }
    }
    if others.next().is_some() {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

/// The order of two decimals.
pub(crate) fn compare_decimals(a: Decimal128, b: Decimal128) -> Ordering {
    number::compare(Number::Decimal(a), Number::Decimal(b))
}

fn compare_arrays(a: ArrayRef<'_>, b: ArrayRef<'_>, texts: &impl Fn(&str, &str) -> Ordering) -> Ordering {
    let mut others = b.iter();
    for value in a.iter() {
        let Some(other) = others.next() else {
            return Ordering::Greater;
        };
        let order = compare_by(value, other, texts);
        if order.is_ne() {
            return order;
        }
    }
    if others.next().is_some() {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

/// The length as it is on the wire, which binaries are ordered by first: the old generic subtype repeats its
/// length inside.
pub(crate) fn binary_length(subtype: u8, bytes: &[u8]) -> usize {
    if subtype == 2 {
        bytes.len() + 4
    } else {
        bytes.len()
    }
}
