//! Walking the elements of BSON bytes.

use super::{RawArray, RawDocument};
use crate::{ArrayRef, Decimal128, DocumentRef, ObjectId, Timestamp, Type, ValueRef, name};

/// The elements of one document in order. Over bytes that were not validated it ends early, it never panics.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a [u8],
}

impl<'a> Elements<'a> {
    /// Over the bytes of a whole document, length and terminator included.
    pub(crate) fn new(document: &'a [u8]) -> Elements<'a> {
        Elements {
            rest: document.get(4..).unwrap_or_default(),
        }
    }

    /// The value of the first element of this name; values before it are skipped, not decoded.
    pub(crate) fn find_name(mut self, wanted: &str) -> Option<ValueRef<'a>> {
        let wanted = wanted.as_bytes();
        loop {
            let (&byte, named) = self.rest.split_first()?;
            let kind = Type::from_byte(byte)?;
            // Most names differ in length: the end of the name is looked for in any case, its bytes are compared seldom.
            let end = name_end(named)?;
            let after = named.get(end + 1..)?;
            let size = value_size(kind, after)?;
            if end == wanted.len() && named.starts_with(wanted) {
                return decode(kind, after.get(..size)?);
            }
            self.rest = after.get(size..)?;
        }
    }

    /// See [`RawDocument::pick`].
    pub(crate) fn pick(mut self, names: &[Box<str>], values: &mut [Option<ValueRef<'a>>]) {
        let mut missing = names.len();
        while missing > 0 {
            let Some((kind, name, after)) = header(self.rest) else {
                return;
            };
            let Some(size) = value_size(kind, after) else {
                return;
            };
            let Some((value, rest)) = after.split_at_checked(size) else {
                return;
            };
            self.rest = rest;
            let wanted = names.iter().zip(values.iter_mut());
            for (known, place) in wanted {
                if place.is_none() && name::is_same(known.as_bytes(), name) {
                    *place = decode(kind, value);
                    missing -= 1;
                }
            }
        }
    }

    /// The bytes of the next element whole (type, name, value), with its name and value.
    pub fn next_element(&mut self) -> Option<(&'a [u8], &'a str, ValueRef<'a>)> {
        let start = self.rest;
        let (name, value) = self.next()?;
        Some((start.get(..start.len() - self.rest.len())?, name, value))
    }

    /// The bytes of the next element whole, and its name; nothing of it is decoded.
    pub fn next_raw(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let (kind, name, after) = header(self.rest)?;
        let size = (self.rest.len() - after.len()).checked_add(value_size(kind, after)?)?;
        let (element, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        Some((element, name))
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = (&'a str, ValueRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, name, after) = header(self.rest)?;
        let size = value_size(kind, after)?;
        let value = decode(kind, after.get(..size)?)?;
        self.rest = after.get(size..)?;
        Some((std::str::from_utf8(name).ok()?, value))
    }
}

/// The type, the name and what follows it; `None` at the terminator.
fn header(rest: &[u8]) -> Option<(Type, &[u8], &[u8])> {
    let (&kind, rest) = rest.split_first()?;
    let kind = Type::from_byte(kind)?;
    let end = name_end(rest)?;
    Some((kind, rest.get(..end)?, rest.get(end + 1..)?))
}

/// Where the name ends with which the bytes begin. Names are short: eight bytes at a time beat a search that is made for long
/// texts.
fn name_end(bytes: &[u8]) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let mut start = 0;
    while let Some(eight) = bytes.get(start..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*eight);
        // The lowest bit that is set is in the first byte that is zero.
        let zeros = word.wrapping_sub(LOW) & !word & HIGH;
        if zeros != 0 {
            return Some(start + zeros.trailing_zeros() as usize / 8);
        }
        start += 8;
    }
    let rest = bytes.get(start..)?;
    rest.iter().position(|&byte| byte == 0).map(|end| start + end)
}

/// The bytes of the element that `bytes` begin with: type, name and value.
pub(super) fn element_size(bytes: &[u8]) -> Option<usize> {
    let (kind, _, after) = header(bytes)?;
    (bytes.len() - after.len()).checked_add(value_size(kind, after)?)
}

/// Whether the document nests deeper than `levels`; values that hold no document are skipped, not decoded.
pub(super) fn is_deeper_than(document: &[u8], levels: usize) -> bool {
    let Some(inner_levels) = levels.checked_sub(1) else {
        return true;
    };
    let mut rest = document.get(4..).unwrap_or_default();
    while let Some((kind, _, after)) = header(rest) {
        let Some(size) = value_size(kind, after) else {
            break;
        };
        let value = after.get(..size).unwrap_or_default();
        let inner = match kind {
            Type::Document | Type::Array => Some(value),
            Type::JavaScriptWithScope => value
                .get(4..)
                .and_then(|code| code.get(length(code)?.checked_add(4)?..)),
            _ => None,
        };
        if inner.is_some_and(|inner| is_deeper_than(inner, inner_levels)) {
            return true;
        }
        rest = after.get(size..).unwrap_or_default();
    }
    false
}

fn length(bytes: &[u8]) -> Option<usize> {
    let bytes = bytes.get(..4)?.try_into().ok()?;
    usize::try_from(i32::from_le_bytes(bytes)).ok()
}

/// The size in bytes of the value of this type that `rest` starts with.
pub(super) fn value_size(kind: Type, rest: &[u8]) -> Option<usize> {
    Some(match kind {
        Type::Undefined | Type::Null | Type::MinKey | Type::MaxKey => 0,
        Type::Bool => 1,
        Type::Int32 => 4,
        Type::Double | Type::DateTime | Type::Timestamp | Type::Int64 => 8,
        Type::ObjectId => 12,
        Type::Decimal128 => 16,
        Type::String | Type::JavaScript | Type::Symbol => length(rest)?.checked_add(4)?,
        Type::Document | Type::Array | Type::JavaScriptWithScope => length(rest)?,
        Type::Binary => length(rest)?.checked_add(5)?,
        Type::DbPointer => length(rest)?.checked_add(16)?,
        Type::Regex => {
            let pattern = memchr::memchr(0, rest)?;
            pattern + memchr::memchr(0, rest.get(pattern + 1..)?)? + 2
        }
    })
}

fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.get(..N)?.try_into().ok()
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The text of a length-prefixed string, without its terminator.
fn string(bytes: &[u8]) -> Option<&str> {
    text(bytes.get(4..bytes.len().checked_sub(1)?)?)
}

/// Decodes a value out of exactly its bytes.
fn decode(kind: Type, bytes: &[u8]) -> Option<ValueRef<'_>> {
    Some(match kind {
        Type::Double => ValueRef::Double(f64::from_le_bytes(array(bytes)?)),
        Type::String => ValueRef::String(string(bytes)?),
        Type::Document => ValueRef::Document(DocumentRef::Raw(RawDocument::from_validated(bytes))),
        Type::Array => ValueRef::Array(ArrayRef::Raw(RawArray::from_validated(bytes))),
        Type::Binary => {
            let subtype = *bytes.get(4)?;
            // The old generic subtype repeats its length inside.
            let start = if subtype == 2 { 9 } else { 5 };
            ValueRef::Binary {
                subtype,
                bytes: bytes.get(start..)?,
            }
        }
        Type::Undefined => ValueRef::Undefined,
        Type::ObjectId => ValueRef::ObjectId(ObjectId::from_bytes(array(bytes)?)),
        Type::Bool => ValueRef::Bool(*bytes.first()? != 0),
        Type::DateTime => ValueRef::DateTime(i64::from_le_bytes(array(bytes)?)),
        Type::Null => ValueRef::Null,
        Type::Regex => {
            let end = memchr::memchr(0, bytes)?;
            ValueRef::Regex {
                pattern: text(bytes.get(..end)?)?,
                options: text(bytes.get(end + 1..bytes.len() - 1)?)?,
            }
        }
        Type::DbPointer => {
            let split = bytes.len().checked_sub(12)?;
            ValueRef::DbPointer {
                namespace: string(bytes.get(..split)?)?,
                id: ObjectId::from_bytes(array(bytes.get(split..)?)?),
            }
        }
        Type::JavaScript => ValueRef::JavaScript(string(bytes)?),
        Type::Symbol => ValueRef::Symbol(string(bytes)?),
        Type::JavaScriptWithScope => {
            let rest = bytes.get(4..)?;
            let split = length(rest)?.checked_add(4)?;
            ValueRef::JavaScriptWithScope {
                code: string(rest.get(..split)?)?,
                scope: DocumentRef::Raw(RawDocument::from_validated(rest.get(split..)?)),
            }
        }
        Type::Int32 => ValueRef::Int32(i32::from_le_bytes(array(bytes)?)),
        Type::Timestamp => {
            let raw = u64::from_le_bytes(array(bytes)?);
            ValueRef::Timestamp(Timestamp {
                seconds: (raw >> 32) as u32,
                increment: raw as u32,
            })
        }
        Type::Int64 => ValueRef::Int64(i64::from_le_bytes(array(bytes)?)),
        Type::Decimal128 => ValueRef::Decimal128(Decimal128::from_bytes(array(bytes)?)),
        Type::MinKey => ValueRef::MinKey,
        Type::MaxKey => ValueRef::MaxKey,
    })
}
