//! MongoDB's order of values across types.

use crate::{DocumentRef, Type, ValueRef};
use std::cmp::Ordering;

/// The place of a type in the order of types; types of one place are compared by value.
pub fn canonical_type(_kind: Type) -> i8 {
    todo!("value helper")
}

/// MongoDB's comparison: by canonical type first, then by value; numbers of all types by their exact value.
pub fn compare(_a: ValueRef<'_>, _b: ValueRef<'_>) -> Ordering {
    todo!("value helper")
}

/// MongoDB's comparison of two documents: field by field, type before name before value.
pub fn compare_documents(_a: DocumentRef<'_>, _b: DocumentRef<'_>) -> Ordering {
    todo!("value helper")
}
