//! The hash part of a revision: Larder's are digests, those of other stores may be any text.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;
use value::varint;

/// A hash, which distinguishes revisions of the same generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RevisionHash {
    /// 128 bits, written as 32 hexadecimal digits.
    Digest([u8; 16]),
    /// Any other text, from a store that replicates to this one.
    Text(Arc<str>),
}

impl RevisionHash {
    /// Reads the text after the dash: 32 hexadecimal digits are a digest, anything else is kept as text.
    pub fn parse(text: &str) -> RevisionHash {
        match digest(text) {
            Some(digest) => RevisionHash::Digest(digest),
            None => RevisionHash::Text(text.into()),
        }
    }

    /// The bytes by which hashes are compared.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            RevisionHash::Digest(digest) => digest,
            RevisionHash::Text(text) => text.as_bytes(),
        }
    }

    /// Appends a number made of length and kind, then the bytes.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let bytes = self.as_bytes();
        let is_text = matches!(self, RevisionHash::Text(_));
        varint::put((bytes.len() as u64) << 1 | u64::from(is_text), out);
        out.extend_from_slice(bytes);
    }

    /// Takes one off the front.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<RevisionHash> {
        let head = varint::take(bytes)?;
        let (hash, rest) = bytes.split_at_checked(usize::try_from(head >> 1).ok()?)?;
        *bytes = rest;
        Some(match head & 1 {
            0 => RevisionHash::Digest(hash.try_into().ok()?),
            _ => RevisionHash::Text(std::str::from_utf8(hash).ok()?.into()),
        })
    }
}

fn digest(text: &str) -> Option<[u8; 16]> {
    let digits: &[u8; 32] = text.as_bytes().try_into().ok()?;
    let mut digest = [0; 16];
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        let value = |digit: u8| char::from(digit).to_digit(16);
        *byte = (value(pair[0])? << 4 | value(pair[1])?) as u8;
    }
    Some(digest)
}

impl Ord for RevisionHash {
    /// Compares their bytes, as CouchDB does.
    fn cmp(&self, other: &RevisionHash) -> Ordering {
        let kind = |hash: &RevisionHash| matches!(hash, RevisionHash::Text(_));
        self.as_bytes()
            .cmp(other.as_bytes())
            .then_with(|| kind(self).cmp(&kind(other)))
    }
}

impl PartialOrd for RevisionHash {
    fn partial_cmp(&self, other: &RevisionHash) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

impl fmt::Display for RevisionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RevisionHash::Digest(digest) => {
                // Revisions are in every row and answer, and formatting byte by byte would take longer than everything else about them.
                let mut digits = [0; 32];
                for (pair, byte) in digits.chunks_exact_mut(2).zip(digest) {
                    pair[0] = HEX[usize::from(byte >> 4)];
                    pair[1] = HEX[usize::from(byte & 15)];
                }
                f.write_str(std::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
            }
            RevisionHash::Text(text) => f.write_str(text),
        }
    }
}
