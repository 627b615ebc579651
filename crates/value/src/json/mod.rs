//! MongoDB Extended JSON v2, relaxed and canonical, both ways.
//!
//! Format: MongoDB specification "Extended JSON" v2.

use crate::{Document, DocumentRef, Value, ValueRef};

/// Which of the two forms is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Plain JSON where JSON has the type.
    Relaxed,
    /// Every number says its type.
    Canonical,
}

/// Why a text is not Extended JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid JSON at byte {offset}: {what}")]
pub struct JsonError {
    /// Where in the text.
    pub offset: usize,
    /// What is wrong, with what would be right.
    pub what: String,
}

/// Reads one value; both forms are understood whichever it is.
pub fn parse(_text: &str) -> Result<Value, JsonError> {
    todo!("value helper")
}

/// Reads one document.
pub fn parse_document(_text: &str) -> Result<Document, JsonError> {
    todo!("value helper")
}

/// Appends the value's text.
pub fn write(_value: ValueRef<'_>, _mode: Mode, _out: &mut String) {
    todo!("value helper")
}

/// The document's text.
pub fn to_string(_document: DocumentRef<'_>, _mode: Mode) -> String {
    todo!("value helper")
}
