//! How large an update makes a document: one that could not be stored is not built first.

use language::{Code, Error, Result};
use value::{Document, Value};

/// The bytes of the largest document that can be stored.
const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The bytes that a document has at least, of what one application of an update put into it. No two operators work on one
/// path, so what one put there stays.
#[derive(Debug)]
pub(crate) struct Growth {
    bytes: usize,
    is_insert: bool,
}

impl Growth {
    /// Of the document of an upsert, or of one that is there.
    pub(crate) fn new(is_insert: bool) -> Growth {
        Growth { bytes: 0, is_insert }
    }

    /// Counts what was put into the document; fails once it is too large.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= DOCUMENT_BYTES_MAX {
            return Ok(());
        }
        Err(too_large(self.is_insert))
    }
}

/// The error of a document that an update makes too large, or that an upsert would insert.
pub fn too_large(is_insert: bool) -> Error {
    let (code, what) = match is_insert {
        true => (17_420, "Document to upsert"),
        false => (17_419, "Resulting document after update"),
    };
    Error::new(
        Code::location(code),
        format!("{what} is larger than {DOCUMENT_BYTES_MAX}"),
    )
}

/// The bytes of BSON that a value takes at least.
pub(crate) fn value_bytes(value: &Value) -> usize {
    match value {
        Value::Document(document) => document_bytes(document),
        Value::Array(elements) => {
            let elements = elements.iter().enumerate();
            elements
                .map(|(at, element)| element_bytes(at) + value_bytes(element))
                .sum()
        }
        Value::String(text) | Value::JavaScript(text) | Value::Symbol(text) => text.len(),
        Value::JavaScriptWithScope(code, scope) => code.len() + document_bytes(scope),
        Value::Binary(binary) => binary.bytes.len(),
        Value::Regex(regex) => regex.pattern.len(),
        Value::Bool(_) => 1,
        Value::Int32(_) => 4,
        Value::Double(_) | Value::DateTime(_) | Value::Int64(_) | Value::Timestamp(_) => 8,
        Value::ObjectId(_) | Value::DbPointer(_) => 12,
        Value::Decimal128(_) => 16,
        Value::Undefined | Value::Null | Value::MinKey | Value::MaxKey => 0,
    }
}

fn document_bytes(document: &Document) -> usize {
    let fields = document.iter();
    fields
        .map(|(name, value)| 2 + name.len() + value_bytes(value))
        .sum()
}

/// What the element at a position takes besides its value: its type, and its position as a name.
pub(crate) fn element_bytes(at: usize) -> usize {
    3 + at.checked_ilog10().unwrap_or(0) as usize
}
