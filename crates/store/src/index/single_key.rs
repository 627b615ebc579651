//! The key of a document that has only one in an index, as most have.

use value::collation::{Collation, has_text};
use value::key::{self, TypeBits};
use value::path::extract::IndexPath;
use value::{DocumentRef, RawDocument, ValueRef};

/// Appends the key. Returns false if a path passes or ends in an array, or if a sparse index may not have the document; what was
/// appended is then to be dropped.
pub(super) fn put_single_key(
    document: RawDocument<'_>,
    paths: &[IndexPath],
    sparse: bool,
    collation: Option<&Collation>,
    out: &mut Vec<u8>,
    bits: &mut TypeBits,
) -> bool {
    for index in paths {
        let value = match reached(document.into(), index.path.parts()) {
            Reached::Array => return false,
            Reached::Nothing if sparse => return false,
            Reached::Nothing => ValueRef::Null,
            Reached::Value(value) => value,
        };
        match collation.filter(|_| has_text(value)) {
            None => key::encode_with_bits(value, index.direction, out, bits),
            Some(collation) => {
                let value = collation.key_value(value);
                key::encode_with_bits(value.as_ref(), index.direction, out, bits);
            }
        }
    }
    bits.trim();
    true
}

/// Where a path leads.
enum Reached<'d> {
    Value(ValueRef<'d>),
    Nothing,
    /// Through an array, or to one.
    Array,
}

fn reached<'d>(document: DocumentRef<'d>, parts: &[Box<str>]) -> Reached<'d> {
    let mut value = ValueRef::Document(document);
    for part in parts {
        let ValueRef::Document(inner) = value else {
            return Reached::Nothing;
        };
        match inner.get(part) {
            Some(ValueRef::Array(_)) => return Reached::Array,
            Some(next) => value = next,
            None => return Reached::Nothing,
        }
    }
    Reached::Value(value)
}
