//! Byte strings whose order is the order of values.
//!
//! `encode(a) < encode(b)` exactly when `compare(a, b)` is less, and equal when it is equal (int 1, long 1,
//! double 1.0 and decimal 1.00 are one key). No encoding is a prefix of another, so the parts of a compound key
//! are simply set one behind the other; a descending part has all its bits inverted.
//! What equality forgets (the number's type, a decimal's trailing zeros, -0.0, symbol or string) is kept in
//! [`TypeBits`], so that a covered query can give the value back as it was.

use crate::{Value, ValueRef};

/// The direction of one part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// What the key's bytes do not tell of the values in it; empty for most types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeBits(pub Vec<u8>);

/// Appends the value's key to `key`.
pub fn encode(_value: ValueRef<'_>, _direction: Direction, _key: &mut Vec<u8>) {
    todo!("value helper")
}

/// Appends the value's key to `key` and what it forgets to `bits`.
pub fn encode_with_bits(
    _value: ValueRef<'_>,
    _direction: Direction,
    _key: &mut Vec<u8>,
    _bits: &mut TypeBits,
) {
    todo!("value helper")
}

/// Takes one value off the front of `key` and `bits`; none where the bytes are not a key.
pub fn decode(_key: &mut &[u8], _bits: &mut &[u8], _direction: Direction) -> Option<Value> {
    todo!("value helper")
}

/// The bytes that one value takes at the front of `key`; none where the bytes are not a key.
pub fn skip(_key: &[u8], _direction: Direction) -> Option<usize> {
    todo!("value helper")
}

/// The range `[low, high)` of keys that holds every value comparable with `kind` (all numbers for a number
/// type, strings and symbols for string …), for bounds that stay within a type.
pub fn type_range(_kind: crate::Type, _direction: Direction) -> (Vec<u8>, Vec<u8>) {
    todo!("value helper")
}
