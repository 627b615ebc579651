//! About how many bytes values take, for limits on memory.

use crate::{ArrayRef, DocumentRef, Value, ValueRef};

/// A field of a decoded document: its name and its value.
const FIELD_BYTES: usize = size_of::<(String, Value)>();
/// The least that the allocator gives for a name or a short text.
const ALLOCATION_BYTES: usize = 16;
/// BSON becomes this many times as large where it is decoded: short fields are mostly names and numbers.
const DECODED_FACTOR: usize = 4;

/// About the bytes that the value takes in memory once it is decoded.
pub fn size_bytes(value: ValueRef<'_>) -> usize {
    size_of::<Value>() + inner_bytes(value)
}

/// What a value has besides its place.
fn inner_bytes(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::String(text) | ValueRef::JavaScript(text) | ValueRef::Symbol(text) => allocated(text.len()),
        ValueRef::Binary { bytes, .. } => allocated(bytes.len()),
        ValueRef::Document(DocumentRef::Raw(raw)) => raw.as_bytes().len() * DECODED_FACTOR,
        ValueRef::Document(document) => document_bytes(document),
        ValueRef::Array(ArrayRef::Raw(array)) => array.as_bytes().len() * DECODED_FACTOR,
        ValueRef::Array(ArrayRef::Tree(values)) => {
            values.iter().map(|value| size_bytes(value.as_ref())).sum()
        }
        _ => 0,
    }
}

/// Whether documents and arrays are nested more than `levels` deep. BSON, whose depth was checked when it was read, is one level.
pub fn is_deeper_than(value: ValueRef<'_>, levels: usize) -> bool {
    let inner_levels = levels.saturating_sub(1);
    match value {
        ValueRef::Document(_) | ValueRef::Array(_) if levels == 0 => true,
        ValueRef::Document(DocumentRef::Raw(_)) | ValueRef::Array(ArrayRef::Raw(_)) => false,
        ValueRef::Document(document) => document
            .iter()
            .any(|(_, value)| is_deeper_than(value, inner_levels)),
        ValueRef::Array(ArrayRef::Tree(values)) => values
            .iter()
            .any(|value| is_deeper_than(value.as_ref(), inner_levels)),
        _ => false,
    }
}

/// About the bytes of a document as it is: its BSON, or what its fields take.
pub fn document_bytes(document: DocumentRef<'_>) -> usize {
    match document {
        DocumentRef::Raw(raw) => raw.as_bytes().len(),
        DocumentRef::Tree(tree) => tree
            .iter()
            .map(|(name, value)| FIELD_BYTES + allocated(name.len()) + inner_bytes(value.as_ref()))
            .sum(),
        picked @ DocumentRef::Picked(_) => picked
            .iter()
            .map(|(name, value)| FIELD_BYTES + allocated(name.len()) + inner_bytes(value))
            .sum(),
    }
}

fn allocated(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        _ => bytes.max(ALLOCATION_BYTES),
    }
}

/// About how many bytes there are to go through, without looking into the elements of decoded values: at once.
pub fn shallow_bytes(value: ValueRef<'_>) -> usize {
    const ELEMENT: usize = 32;
    match value {
        ValueRef::Array(ArrayRef::Tree(values)) => values.len() * ELEMENT,
        ValueRef::Document(DocumentRef::Tree(tree)) => tree.len() * ELEMENT,
        ValueRef::Array(ArrayRef::Raw(array)) => array.as_bytes().len(),
        ValueRef::Document(DocumentRef::Raw(raw)) => raw.as_bytes().len(),
        ValueRef::String(text) => text.len(),
        ValueRef::Binary { bytes, .. } => bytes.len(),
        _ => 0,
    }
}
