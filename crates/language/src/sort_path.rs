//! The values by which the elements of an array are sorted, for `$sortArray` and the `$sort` of a `$push`.

use value::ValueRef;
use value::path::array_position;

/// The value of an element at a path; null if it has none or is not a document.
///
/// As in MongoDB (`extractElementAtDottedPath`), a field whose name contains the dots comes first, and elements of an array are
/// reached only by their positions.
pub fn sort_value<'v>(element: ValueRef<'v>, path: &str) -> ValueRef<'v> {
    let reached = match element {
        ValueRef::Document(_) => reached(element, path),
        _ => None,
    };
    reached.unwrap_or(ValueRef::Null)
}

fn reached<'v>(mut value: ValueRef<'v>, mut path: &str) -> Option<ValueRef<'v>> {
    loop {
        if let Some(found) = part(value, path) {
            return Some(found);
        }
        let (first, rest) = path.split_once('.')?;
        value = part(value, first)?;
        path = rest;
    }
}

fn part<'v>(value: ValueRef<'v>, name: &str) -> Option<ValueRef<'v>> {
    match value {
        ValueRef::Document(document) => document.get(name),
        ValueRef::Array(array) => array.get(array_position(name)?),
        _ => None,
    }
}
