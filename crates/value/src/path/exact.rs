//! The one value that a path names, arrays not looked into.

use super::FieldPath;
use crate::{DocumentRef, ValueRef};

/// What a path leads to.
#[derive(Clone, Copy, Debug)]
pub enum Exact<'a> {
    /// This value.
    Found(ValueRef<'a>),
    /// An object on the way has no field of the name.
    Missing,
    /// What is on the way is no object, or an array without such a position.
    Blocked,
}

impl<'a> Exact<'a> {
    /// The value that was found.
    pub fn value(self) -> Option<ValueRef<'a>> {
        match self {
            Exact::Found(value) => Some(value),
            Exact::Missing | Exact::Blocked => None,
        }
    }
}

/// Follows a path: names in objects, positions in arrays (CouchDB's `src/mango/src/mango_doc.erl`, `get_field`).
pub fn exact<'a>(document: DocumentRef<'a>, path: &FieldPath) -> Exact<'a> {
    exact_from(ValueRef::Document(document), path)
}

/// Follows a path from a value.
pub fn exact_from<'a>(value: ValueRef<'a>, path: &FieldPath) -> Exact<'a> {
    let mut reached = value;
    for part in path.parts() {
        reached = match reached {
            ValueRef::Document(object) => match object.get(part) {
                Some(value) => value,
                None => return Exact::Missing,
            },
            ValueRef::Array(array) => match part.parse().ok().and_then(|position| array.get(position)) {
                Some(value) => value,
                None => return Exact::Blocked,
            },
            _ => return Exact::Blocked,
        };
    }
    Exact::Found(reached)
}
