//! MongoDB Extended JSON v2, relaxed and canonical, both ways.
//!
//! Format: MongoDB specification "Extended JSON" v2. Text becomes a [`Value`] in one pass; an object whose first
//! name is one of the specification's (`$oid`, `$date` …) becomes the value that it stands for, all other names
//! that begin with `$` stay what they are. Field order is kept, and so are repeated names.

mod date;
mod lexer;
mod parse;
mod wrapper;
mod write;

pub use lexer::{Lexer, Number};

use crate::{Document, DocumentRef, Value, ValueRef};
use std::borrow::Cow;

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

/// An `_id` as protocols over HTTP name it: a string as it is, an ObjectId by its digits, anything else in relaxed form.
pub fn id_text(id: ValueRef<'_>) -> Cow<'_, str> {
    match id {
        ValueRef::String(text) => Cow::Borrowed(text),
        ValueRef::ObjectId(id) => Cow::Owned(id.to_string()),
        other => {
            let mut text = String::new();
            write(other, Mode::Relaxed, &mut text);
            Cow::Owned(text)
        }
    }
}

/// Reads one value; both forms are understood whichever it is.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    parse::whole(text)
}

/// Reads one document.
pub fn parse_document(text: &str) -> Result<Document, JsonError> {
    match parse(text)? {
        Value::Document(document) => Ok(document),
        other => {
            let what = format!(
                "a document {{…}} is expected here, not a value of type {}",
                other.type_of().alias()
            );
            Err(JsonError { offset: 0, what })
        }
    }
}

/// Appends the value's text.
pub fn write(value: ValueRef<'_>, mode: Mode, out: &mut String) {
    write::value(value, mode, out);
}

/// The value as a reader of plain JSON sees its relaxed form: a typed value is the object that stands for it.
pub fn plain(value: ValueRef<'_>) -> Value {
    let mut text = String::new();
    write(value, Mode::Relaxed, &mut text);
    // What was just written is JSON; only its depth may be more than a text may have.
    parse::plain(&text).unwrap_or(Value::Null)
}

/// The document's text.
pub fn to_string(document: DocumentRef<'_>, mode: Mode) -> String {
    let mut out = String::with_capacity(128);
    write(ValueRef::Document(document), mode, &mut out);
    out
}
