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
    size_within(value, usize::MAX).unwrap_or(usize::MAX)
}

/// The same; `None` where documents and arrays are nested more than `levels` deep. BSON, whose depth was checked when it was read, is
/// one level.
pub fn size_within(value: ValueRef<'_>, levels: usize) -> Option<usize> {
    Some(size_of::<Value>() + inner_within(value, levels)?)
}

/// What a value has besides its place.
fn inner_within(value: ValueRef<'_>, levels: usize) -> Option<usize> {
    Some(match value {
        ValueRef::String(text) | ValueRef::JavaScript(text) | ValueRef::Symbol(text) => allocated(text.len()),
        ValueRef::Binary { bytes, .. } => allocated(bytes.len()),
        ValueRef::Document(DocumentRef::Raw(raw)) => raw.as_bytes().len() * DECODED_FACTOR,
        ValueRef::Document(document) => document_within(document, levels)?,
        ValueRef::Array(ArrayRef::Raw(array)) => array.as_bytes().len() * DECODED_FACTOR,
        ValueRef::Array(ArrayRef::Tree(values)) => {
            let levels = levels.checked_sub(1)?;
            let sizes = values.iter().map(|value| size_within(value.as_ref(), levels));
            sizes.sum::<Option<usize>>()?
        }
        _ => 0,
    })
}

/// About the bytes of a document as it is: its BSON, or what its fields take.
pub fn document_bytes(document: DocumentRef<'_>) -> usize {
    document_within(document, usize::MAX).unwrap_or(usize::MAX)
}

fn document_within(document: DocumentRef<'_>, levels: usize) -> Option<usize> {
    if let DocumentRef::Raw(raw) = document {
        return Some(raw.as_bytes().len());
    }
    let levels = levels.checked_sub(1)?;
    let field = |name: &str, value: ValueRef<'_>| {
        Some(FIELD_BYTES + allocated(name.len()) + inner_within(value, levels)?)
    };
    match document {
        DocumentRef::Tree(tree) => tree.iter().map(|(name, value)| field(name, value.as_ref())).sum(),
        other => other.iter().map(|(name, value)| field(name, value)).sum(),
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
