//! The limits of documents on their way, one constant each.

use crate::error::{Result, failed};
use value::{Document, Value};

/// The bytes of a document, and of a text that is made: a larger one could not be stored.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 16 << 20;
/// What is put into a document before it is measured again.
pub(crate) const UNMEASURED_BYTES_MAX: usize = 1 << 20;
/// The processors that one document goes through, those of pipelines within pipelines and of lists included.
pub(crate) const STEPS_MAX: usize = 1_000_000;

/// Refuses what no document could hold.
pub(crate) fn fits(bytes: usize) -> Result<()> {
    match bytes > DOCUMENT_BYTES_MAX {
        true => failed(format!(
            "the document has grown to more than {DOCUMENT_BYTES_MAX} bytes, which is the limit"
        )),
        false => Ok(()),
    }
}

/// About the bytes that a document takes.
pub(crate) fn document_bytes(document: &Document) -> usize {
    let member = |(name, value): (&str, &Value)| size_of::<String>() + name.len() + value_bytes(value);
    document.iter().map(member).sum()
}

/// About the bytes that a value takes.
pub(crate) fn value_bytes(value: &Value) -> usize {
    let own = size_of::<Value>();
    match value {
        Value::String(text) => own + text.len(),
        Value::Document(inner) => own + document_bytes(inner),
        Value::Array(list) => own + list.iter().map(value_bytes).sum::<usize>(),
        _ => own,
    }
}

/// Values that are made one after another, as long as a document could hold them all.
pub(crate) fn collected(values: impl Iterator<Item = Result<Value>>) -> Result<Vec<Value>> {
    let mut bytes = 0;
    let counted = values.map(|value| {
        let value = value?;
        bytes += value_bytes(&value);
        fits(bytes).map(|()| value)
    });
    counted.collect()
}
