//! Fields of documents by their paths, through documents alone: what stages read and set.

use crate::{Code, QueryError, Result};
use value::path::FieldPath;
use value::{Document, DocumentRef, Value, ValueRef};

/// A path that a stage sets, with MongoDB's errors for one that cannot be.
pub(super) fn checked_path(path: &str) -> Result<FieldPath> {
    if path.is_empty() {
        return Err(QueryError::new(
            Code(40_352),
            "FieldPath cannot be constructed with empty string",
        ));
    }
    if path.ends_with('.') {
        return Err(QueryError::new(
            Code(40_353),
            "FieldPath must not end with a '.'.",
        ));
    }
    path.split('.')
        .try_for_each(crate::expression::check_field_name)?;
    Ok(FieldPath::parse(path))
}

/// What the path leads to.
pub(super) fn reached<'a>(document: DocumentRef<'a>, parts: &[Box<str>]) -> Option<ValueRef<'a>> {
    let (last, front) = parts.split_last()?;
    let mut document = document;
    for part in front {
        document = document.get(part)?.as_document()?;
    }
    document.get(last)
}

/// Sets what the path leads to; what is on the way and no document is replaced by one.
pub(super) fn set(document: &mut Document, parts: &[Box<str>], value: Value) {
    let Some((first, rest)) = parts.split_first() else {
        return;
    };
    if rest.is_empty() {
        document.set(&**first, value);
        return;
    }
    if !matches!(document.get(first), Some(Value::Document(_))) {
        document.set(&**first, Document::new());
    }
    if let Some(Value::Document(inner)) = document.get_mut(first) {
        set(inner, rest, value);
    }
}

/// Removes what the path leads to.
pub(super) fn remove(document: &mut Document, parts: &[Box<str>]) {
    match parts {
        [] => {}
        [last] => {
            document.remove(last);
        }
        [first, rest @ ..] => {
            if let Some(Value::Document(inner)) = document.get_mut(first) {
                remove(inner, rest);
            }
        }
    }
}
