//! Equality as JSON Schema has it: the order of fields does not matter.

use std::cmp::Ordering;
use value::{DocumentRef, ValueRef};

/// Whether the values are equal but for the order of fields at any depth.
pub(super) fn equal(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    match (a, b) {
        (ValueRef::Document(a), ValueRef::Document(b)) => equal_documents(a, b),
        (ValueRef::Array(a), ValueRef::Array(b)) => {
            let (mut left, mut right) = (a.iter(), b.iter());
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if equal(a, b) => {}
                    _ => return false,
                }
            }
        }
        _ => value::compare(a, b) == Ordering::Equal,
    }
}

fn equal_documents(a: DocumentRef<'_>, b: DocumentRef<'_>) -> bool {
    a.iter().count() == b.iter().count()
        && a.iter()
            .all(|(name, value)| b.get(name).is_some_and(|other| equal(value, other)))
}
