//! Terms of secondary indexes: under what an object is found.

use crate::error::{Result, RiakError};
use value::{Value, ValueRef};

/// The term that a client writes for an index, as it is kept; `_bin` terms are ordered by their bytes, `_int` ones by number.
pub(crate) fn term_of_key(index: &[u8], term: &[u8]) -> Result<Value> {
    if is_named(index, b"_bin") {
        // A character a byte, so that the order of texts is that of the bytes.
        return Ok(Value::String(term.iter().map(|&byte| char::from(byte)).collect()));
    }
    let shown = || String::from_utf8_lossy(index).into_owned();
    if is_named(index, b"_int") {
        let number = std::str::from_utf8(term)
            .ok()
            .and_then(|text| text.trim().parse().ok());
        return number.map(Value::Int64).ok_or_else(|| {
            let term = String::from_utf8_lossy(term);
            RiakError::bad(format!(
                "Could not parse field '{}', value '{term}': integers have 64 bits",
                shown()
            ))
        });
    }
    Err(RiakError::bad(format!(
        "Unknown field type for field: '{}'. Names of indexes end with _bin or _int",
        shown()
    )))
}

/// Whether an index has a name before the ending that says what its terms are.
fn is_named(index: &[u8], ending: &[u8]) -> bool {
    index.len() > ending.len() && index.ends_with(ending)
}

/// The bytes that clients see of a term.
pub(crate) fn bytes_of_term(term: ValueRef<'_>) -> Vec<u8> {
    match term {
        ValueRef::String(text) => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
        ValueRef::Int64(number) => number.to_string().into_bytes(),
        ValueRef::Int32(number) => number.to_string().into_bytes(),
        _ => Vec::new(),
    }
}
