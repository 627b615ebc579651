//! Keys that the server makes.

use crate::error::Result;
use crate::random::random;

/// A key that no other object has.
pub(crate) fn new_key() -> Result<Vec<u8>> {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut number = u128::from_be_bytes(random()?);
    let mut key = Vec::with_capacity(22);
    while number > 0 {
        key.push(DIGITS[(number % 62) as usize]);
        number /= 62;
    }
    Ok(key)
}
