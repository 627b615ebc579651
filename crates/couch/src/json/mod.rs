//! JSON to BSON and back, so that what a client wrote comes back as it was.
//!
//! Text becomes BSON bytes in one pass ([`Reader`]), without a tree between. Types that JSON lacks are written as relaxed
//! MongoDB Extended JSON; an object that reads exactly so becomes the value that it stands for, and every other object with `$`
//! names stays the object that it is.

mod lexer;
mod read;

pub use read::Reader;
pub(crate) use read::{finish, put_string};

use value::json::Mode;
use value::{RawDocument, ValueRef};

/// Why a text is no JSON that can be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It is not JSON in UTF-8.
    #[error("invalid UTF-8 JSON")]
    Invalid,
    /// It is JSON of another kind than is wanted here.
    #[error("{0}")]
    Unexpected(&'static str),
}

/// Appends a value's text.
pub fn write(value: ValueRef<'_>, out: &mut String) {
    value::json::write(value, Mode::Relaxed, out);
}

/// Appends a text in quotes.
pub fn write_string(text: &str, out: &mut String) {
    write(ValueRef::String(text), out);
}

/// Appends `,"name":value` for each field that `keep` does not refuse.
pub fn write_fields(document: RawDocument<'_>, keep: impl Fn(&str) -> bool, out: &mut String) {
    for (name, value) in document.iter() {
        if keep(name) {
            out.push(',');
            write_string(name, out);
            out.push(':');
            write(value, out);
        }
    }
}
