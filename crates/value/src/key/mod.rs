//! Byte strings whose order is the order of values.
//!
//! `encode(a) < encode(b)` exactly when `compare(a, b)` is less, and equal when it is equal (int 1, long 1,
//! double 1.0 and decimal 1.00 are one key). No encoding is a prefix of another: each has a fixed size after its tag,
//! or says its length first, or has a terminator that content cannot be taken for. So two encodings differ within the
//! shorter one, the parts of a compound key are simply concatenated, and a descending part is the same bytes with all
//! bits inverted. What equality forgets (the number's type, a decimal's trailing zeros, -0.0, symbol or string) is kept
//! in [`TypeBits`], so that a covered query can give the value back as it was. Only a NaN's payload is lost.
//!
//! Every encoding starts with a byte between 0x01 and 0xFE: a key followed by 0x00 is below, and followed by 0xFF
//! above, all compound keys that go on from it.
//!
//! | value | ascending bytes |
//! |---|---|
//! | MinKey, undefined, null, false, true, MaxKey | tag |
//! | number | see `key/number` |
//! | string, symbol, code | tag, text with 0x00 as 01 01 and 0x01 as 01 02, 00 |
//! | document | tag; for each field the tag of the value's class, name as a string, value; 00 |
//! | array | tag, values, 00 |
//! | binary | tag, length as on the wire, subtype, bytes; lengths of 255 and more are FF and four bytes |
//! | ObjectId | tag, 12 bytes |
//! | date | tag, 8 bytes, big-endian, sign inverted |
//! | timestamp | tag, seconds, increment, big-endian |
//! | regex | tag, pattern and options as strings |
//! | DBPointer | tag, length, namespace, id |
//! | code with scope | tag, code as a string, the scope's fields, 00 |

mod decode;
mod encode;
mod hash;
mod number;
mod reader;
mod skip;
mod tag;

pub use hash::hash_of_value;

use crate::{Type, Value, ValueRef};

/// The direction of one part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

impl Direction {
    /// What each byte of the ascending encoding is combined with by exclusive or.
    fn mask(self) -> u8 {
        match self {
            Direction::Ascending => 0x00,
            Direction::Descending => 0xFF,
        }
    }
}

/// What the key's bytes do not say about its values; empty for most keys.
///
/// One code for each number and each text, in order; those missing at the end are 0, the usual type for the key
/// (int where an integer fits one, else long; double for fractions; string for text).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeBits(pub Vec<u8>);

impl TypeBits {
    /// Drops the zeros at the end, which decoding assumes: to be done when the whole key is encoded.
    pub fn trim(&mut self) {
        let used = self
            .0
            .iter()
            .rposition(|&code| code != 0)
            .map_or(0, |last| last + 1);
        self.0.truncate(used);
    }
}

/// Appends the value's key to `key`.
pub fn encode(value: ValueRef<'_>, direction: Direction, key: &mut Vec<u8>) {
    encode::directed(value, direction, key, None);
}

/// Appends the value's key to `key` and what it forgets to `bits`.
pub fn encode_with_bits(value: ValueRef<'_>, direction: Direction, key: &mut Vec<u8>, bits: &mut TypeBits) {
    encode::directed(value, direction, key, Some(&mut bits.0));
}

/// Takes one value off the front of `key` and `bits`; `None` if the bytes are not a key.
pub fn decode(key: &mut &[u8], bits: &mut &[u8], direction: Direction) -> Option<Value> {
    decode::directed(key, bits, direction)
}

/// As [`decode`] where a string is next that stands in the key as it is; `None` for anything else, of which nothing is taken.
pub fn borrow_text<'k>(key: &mut &'k [u8], bits: &[u8], direction: Direction) -> Option<&'k str> {
    // Without bits left it is a string, not a symbol.
    if direction != Direction::Ascending || !bits.is_empty() {
        return None;
    }
    let (text, rest) = decode::plain_text(key)?;
    *key = rest;
    Some(text)
}

/// The number of bytes that one value takes at the front of `key`; `None` if the bytes are not a key.
pub fn skip(key: &[u8], direction: Direction) -> Option<usize> {
    let mut reader = reader::Reader::new(key, direction.mask());
    skip::value(&mut reader, crate::raw::MESSAGE_DEPTH_MAX)?;
    Some(key.len() - reader.rest().len())
}

/// The range `[low, high)` of keys that holds every value comparable with `kind` (all numbers for a number
/// type, strings and symbols for string …), for bounds that stay within a type.
pub fn type_range(kind: Type, direction: Direction) -> (Vec<u8>, Vec<u8>) {
    let (first, last) = tag::range(kind);
    match direction {
        Direction::Ascending => (vec![first], vec![last + 1]),
        Direction::Descending => (vec![!last], vec![!first + 1]),
    }
}
