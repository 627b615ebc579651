//! `$toHashedIndexKey`: the number by which MongoDB's hashed indexes know a value.
//!
//! Clients compute from it where MongoDB keeps a document, so it is MongoDB's number, whatever hashed indexes keep here.

use crate::expression::number::{LONG_END, Number};
use md5::{Digest, Md5};
use value::raw::encode_value_into;
use value::{DocumentRef, ValueRef, canonical_type};

/// The seed of all hashed indexes.
const SEED: i32 = 0;

/// What stands at the end of a document: the type of no value.
const END: i32 = 0;

/// The hash of a value: half of an MD5.
pub(super) fn hashed_key(value: ValueRef<'_>) -> i64 {
    let mut bytes = SEED.to_le_bytes().to_vec();
    put(value, None, &mut bytes);
    let digest = Md5::digest(&bytes);
    let half = digest.first_chunk().copied();
    i64::from_le_bytes(half.unwrap_or_default())
}

/// Appends what is hashed of a value: the place of its type among types, its name in a document, and its bytes.
fn put(value: ValueRef<'_>, name: Option<&str>, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&i32::from(canonical_type(value.type_of())).to_le_bytes());
    if let Some(name) = name {
        put_text(name, bytes);
    }
    match value {
        ValueRef::Document(document) => put_elements(document, bytes),
        ValueRef::Array(array) => {
            for (position, element) in array.iter().enumerate() {
                put(element, Some(&position.to_string()), bytes);
            }
            bytes.extend_from_slice(&END.to_le_bytes());
        }
        ValueRef::JavaScriptWithScope { code, scope } => {
            put_text(code, bytes);
            put_elements(scope, bytes);
        }
        other => match Number::of(other) {
            Some(number) => bytes.extend_from_slice(&whole(number).to_le_bytes()),
            None => encode_value_into(bytes, other),
        },
    }
}

fn put_elements(document: DocumentRef<'_>, bytes: &mut Vec<u8>) {
    for (name, element) in document.iter() {
        put(element, Some(name), bytes);
    }
    bytes.extend_from_slice(&END.to_le_bytes());
}

fn put_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
}

/// A number as numbers of all types are hashed, so that equal ones have the same hash: its whole part.
fn whole(number: Number) -> i64 {
    match number {
        // The one number that does not become the nearest: MongoDB keeps what old processors made of it.
        Number::Double(LONG_END) => i64::MIN,
        Number::Double(number) => number as i64,
        other => other.to_i64_saturating(),
    }
}
