//! The hash under which a hashed index keeps a value.

use super::{Direction, encode};
use crate::ValueRef;

/// The number under which a hashed index keeps a value. Values that are equal have the same, whatever their types:
/// it is the hash of their key.
pub fn hash_of_value(value: ValueRef<'_>) -> i64 {
    let mut encoded = Vec::with_capacity(32);
    encode(value, Direction::Ascending, &mut encoded);
    let mut hash = [0; 8];
    blake3::Hasher::new()
        .update(&encoded)
        .finalize_xof()
        .fill(&mut hash);
    i64::from_le_bytes(hash)
}
