//! The 12-byte id that MongoDB's clients make where none is given.

use crate::date::since_1970;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Four bytes of seconds, five random bytes of this process, three bytes that count (BSON ObjectId specification).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 12]);

struct Generator {
    process: [u8; 5],
    counter: AtomicU32,
}

static GENERATOR: LazyLock<Generator> = LazyLock::new(|| {
    let mut random = [0u8; 8];
    // Without entropy two processes could share ids, so there is nothing sensible to go on with.
    getrandom::fill(&mut random).expect("the operating system gives random bytes");
    let [a, b, c, d, e, x, y, z] = random;
    Generator {
        process: [a, b, c, d, e],
        counter: AtomicU32::new(u32::from_be_bytes([0, x, y, z])),
    }
});

impl ObjectId {
    /// A new id of this process and second.
    pub fn generate() -> ObjectId {
        let seconds = since_1970().as_secs() as u32;
        let count = GENERATOR.counter.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&seconds.to_be_bytes());
        bytes[4..9].copy_from_slice(&GENERATOR.process);
        bytes[9..].copy_from_slice(&count[1..]);
        ObjectId(bytes)
    }

    /// The id of these bytes.
    pub const fn from_bytes(bytes: [u8; 12]) -> ObjectId {
        ObjectId(bytes)
    }

    /// The id's bytes, whose order is the order of ids.
    pub const fn bytes(&self) -> &[u8; 12] {
        &self.0
    }

    /// The second in which the id was made, since 1970.
    pub fn seconds(&self) -> u32 {
        let [a, b, c, d, ..] = self.0;
        u32::from_be_bytes([a, b, c, d])
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 24];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        // Hexadecimal digits are ASCII.
        f.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

impl FromStr for ObjectId {
    type Err = InvalidObjectId;

    fn from_str(text: &str) -> Result<ObjectId, InvalidObjectId> {
        if text.len() != 24 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(InvalidObjectId);
        }
        let mut bytes = [0; 12];
        for (byte, at) in bytes.iter_mut().zip((0..24).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| InvalidObjectId)?;
        }
        Ok(ObjectId(bytes))
    }
}

/// A text that is not 24 hexadecimal digits.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("an ObjectId is 24 hexadecimal digits")]
pub struct InvalidObjectId;
