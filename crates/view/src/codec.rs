//! Reading and writing the parts of pages and heads.

use bytes::{Buf, Bytes};

/// Appends a number, seven bits a byte, lowest first.
pub(crate) fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends bytes behind their size.
pub(crate) fn put_sized(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Takes parts off the front; none where they are not there.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    bytes: Bytes,
}

impl Reader {
    pub(crate) fn new(bytes: Bytes) -> Reader {
        Reader { bytes }
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.first()?;
        self.bytes.advance(1);
        Some(byte)
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn number(&mut self) -> Option<u32> {
        self.varint()?.try_into().ok()
    }

    /// A number of entries or bytes still to come, each of which takes at least one byte here or in a column before.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.varint()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub(crate) fn bytes(&mut self, size: usize) -> Option<Bytes> {
        (size <= self.bytes.len()).then(|| self.bytes.split_to(size))
    }

    pub(crate) fn sized(&mut self) -> Option<Bytes> {
        let size = self.count()?;
        self.bytes(size)
    }

    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }
}
