//! About how many bytes values take, for limits on memory.

use value::{ArrayRef, DocumentRef, ValueRef};

/// About the bytes that the value takes in memory: its BSON and the overhead of a decoded value.
pub fn size_bytes(value: ValueRef<'_>) -> usize {
    const OVERHEAD: usize = 16;
    OVERHEAD
        + match value {
            ValueRef::String(text) | ValueRef::JavaScript(text) | ValueRef::Symbol(text) => text.len(),
            ValueRef::Binary { bytes, .. } => bytes.len(),
            ValueRef::Document(document) => document_bytes(document),
            ValueRef::Array(ArrayRef::Raw(array)) => array.as_bytes().len(),
            ValueRef::Array(ArrayRef::Tree(values)) => {
                values.iter().map(|value| size_bytes(value.as_ref())).sum()
            }
            _ => 16,
        }
}

/// As [`size_bytes`] for a document.
pub fn document_bytes(document: DocumentRef<'_>) -> usize {
    match document {
        DocumentRef::Raw(raw) => raw.as_bytes().len(),
        DocumentRef::Tree(tree) => tree
            .iter()
            .map(|(name, value)| name.len() + size_bytes(value.as_ref()))
            .sum(),
    }
}

/// About how many bytes there are to go through, without looking into the elements of decoded values: at once.
pub(super) fn shallow_bytes(value: ValueRef<'_>) -> usize {
    const ELEMENT: usize = 32;
    match value {
        ValueRef::Array(ArrayRef::Tree(values)) => values.len() * ELEMENT,
        ValueRef::Document(DocumentRef::Tree(tree)) => tree.len() * ELEMENT,
        ValueRef::Array(_) | ValueRef::Document(_) | ValueRef::String(_) | ValueRef::Binary { .. } => {
            size_bytes(value)
        }
        _ => 0,
    }
}
