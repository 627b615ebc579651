//! Reading and setting fields by paths that lead only through documents.

use crate::{Code, QueryError, Result};
use language::path_depth::check_path_depth;
use value::path::FieldPath;
use value::raw::DocumentWriter;
use value::{Document, DocumentBuf, DocumentRef, RawDocument, Value, ValueRef};

/// A path that a stage sets. Fails with MongoDB's error if it is invalid.
pub(super) fn checked_path(path: &str) -> Result<FieldPath> {
    if path.is_empty() {
        return Err(QueryError::new(
            Code::location(40_352),
            "FieldPath cannot be constructed with empty string",
        ));
    }
    if path.ends_with('.') {
        return Err(QueryError::new(
            Code::location(40_353),
            "FieldPath must not end with a '.'.",
        ));
    }
    path.split('.')
        .try_for_each(language::expression::check_field_name)?;
    let path = FieldPath::parse(path);
    check_path_depth(path.parts().len())?;
    Ok(path)
}

/// The value at the path.
pub(super) fn reached<'a>(document: DocumentRef<'a>, parts: &[Box<str>]) -> Option<ValueRef<'a>> {
    let (last, front) = parts.split_last()?;
    let mut document = document;
    for part in front {
        document = document.get(part)?.as_document()?;
    }
    document.get(last)
}

/// Sets the value at the path. Values on the way that are not documents are replaced by documents.
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

/// Removes the value at the path.
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

/// A document's bytes around one of its fields, so that the field can be replaced without decoding anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'d> {
    name: &'d str,
    before: &'d [u8],
    behind: &'d [u8],
}

impl<'d> Around<'d> {
    /// The bytes around the first field of this name; if there is none, it will come after all others.
    pub(super) fn of(document: RawDocument<'d>, name: &'d str) -> Around<'d> {
        let bytes = document.as_bytes();
        // Without the length in front and the zero after.
        let all = bytes.get(4..bytes.len().saturating_sub(1)).unwrap_or_default();
        let (mut begin, mut end) = (all.len(), all.len());
        let (mut at, mut elements) = (0, document.iter());
        while let Some((element, known)) = elements.next_raw() {
            if known == name.as_bytes() {
                (begin, end) = (at, at + element.len());
                break;
            }
            at += element.len();
        }
        Around {
            name,
            before: &all[..begin],
            behind: &all[end..],
        }
    }

    /// The document with what `write` puts under the name that it is given; about this many bytes.
    pub(super) fn with(self, bytes: usize, write: impl FnOnce(&mut DocumentWriter<'_>, &str)) -> DocumentBuf {
        let around = self.before.len() + self.behind.len() + self.name.len();
        // Length, type, two terminators.
        let mut out = Vec::with_capacity(around + bytes + 7);
        let mut writer = DocumentWriter::new(&mut out);
        writer.put_element(self.before);
        write(&mut writer, self.name);
        writer.put_element(self.behind);
        writer.finish();
        DocumentBuf::from_validated(out.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    #[test]
    fn a_field_is_replaced_in_its_place_or_added_behind_all() {
        let document = DocumentBuf::from(&doc! {"a": 1, "b": [1, 2], "c": "x"});
        for (name, expected) in [
            ("a", doc! {"a": 7, "b": [1, 2], "c": "x"}),
            ("b", doc! {"a": 1, "b": 7, "c": "x"}),
            ("c", doc! {"a": 1, "b": [1, 2], "c": 7}),
            ("d", doc! {"a": 1, "b": [1, 2], "c": "x", "d": 7}),
        ] {
            let around = Around::of(document.as_raw(), name);
            let replaced = around.with(4, |writer, name| writer.put(name, ValueRef::Int32(7)));
            assert_eq!(replaced.to_document(), expected);
        }
        let empty = DocumentBuf::from(&Document::new());
        let added =
            Around::of(empty.as_raw(), "a").with(4, |writer, name| writer.put(name, ValueRef::Int32(7)));
        assert_eq!(added.to_document(), doc! {"a": 7});
    }
}
