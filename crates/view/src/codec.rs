//! Reading and writing the parts of pages and heads.

use bytes::{Buf, Bytes};
use store::Sequence;
use value::varint;

/// Appends the size of the bytes, then the bytes.
pub(crate) fn put_sized(bytes: &[u8], out: &mut Vec<u8>) {
    varint::put(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Takes parts off the front. Its functions return `None` if the bytes end early or have another form.
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
        self.take(varint::take)
    }

    pub(crate) fn sequence(&mut self) -> Option<Sequence> {
        self.take(Sequence::decode)
    }

    /// What a function takes off the front.
    pub(crate) fn take<T>(&mut self, take: impl FnOnce(&mut &[u8]) -> Option<T>) -> Option<T> {
        let mut rest = &self.bytes[..];
        let taken = take(&mut rest)?;
        self.bytes.advance(self.bytes.len() - rest.len());
        Some(taken)
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
