//! Keeping integers as wide as they were. Edits by revisions come as JSON, which has only one kind of integer.

use crate::Record;
use std::collections::HashMap;
use value::raw::DocumentWriter;
use value::{ArrayRef, DocumentBuf, DocumentRef, RawDocument, ValueRef};

/// The document, with each 32-bit integer widened to 64 bits where `present` has a 64-bit integer.
pub(super) fn with_widths_of(document: &DocumentBuf, present: Option<&Record>) -> DocumentBuf {
    let wide = present.map(|record| record.document.as_raw());
    match wide.filter(|present| has_wide(*present)) {
        Some(present) => widened(document, present),
        None => document.clone(),
    }
}

fn widened(document: &DocumentBuf, present: RawDocument<'_>) -> DocumentBuf {
    let mut bytes = Vec::with_capacity(document.bytes().len() + 16);
    let mut writer = DocumentWriter::new(&mut bytes);
    write(document.as_raw(), present, &mut writer);
    writer.finish();
    DocumentBuf::from_validated(bytes.into())
}

/// Writes the fields of a document, or the elements of an array, whose names are their places.
fn write(document: RawDocument<'_>, present: RawDocument<'_>, writer: &mut DocumentWriter<'_>) {
    // A table by name, since looking up each field would read the document once for each.
    let wide: HashMap<&str, ValueRef<'_>> = present.iter().filter(|(_, value)| is_wide(*value)).collect();
    let mut elements = document.iter();
    while let Some((element, name, value)) = elements.next_element() {
        let before = wide.get(name).copied();
        match (value, before, before.and_then(inside)) {
            (ValueRef::Int32(int), Some(ValueRef::Int64(_)), _) => {
                writer.put(name, ValueRef::Int64(i64::from(int)));
            }
            (ValueRef::Document(DocumentRef::Raw(inner)), Some(ValueRef::Document(_)), Some(before)) => {
                writer.put_document(name, |writer| write(inner, before, writer));
            }
            (ValueRef::Array(ArrayRef::Raw(inner)), Some(ValueRef::Array(_)), Some(before)) => {
                let inner = RawDocument::from_validated(inner.as_bytes());
                writer.put_array(name, |writer| write(inner, before, writer));
            }
            _ => writer.put_element(element),
        }
    }
}

/// Whether a document holds an integer of 64 bits anywhere.
fn has_wide(document: RawDocument<'_>) -> bool {
    document.iter().any(|(_, value)| is_wide(value))
}

fn is_wide(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Int64(_)) || inside(value).is_some_and(has_wide)
}

/// The fields of an embedded document, or the elements of an array.
fn inside(value: ValueRef<'_>) -> Option<RawDocument<'_>> {
    match value {
        ValueRef::Document(DocumentRef::Raw(inner)) => Some(inner),
        ValueRef::Array(ArrayRef::Raw(inner)) => Some(RawDocument::from_validated(inner.as_bytes())),
        _ => None,
    }
}
