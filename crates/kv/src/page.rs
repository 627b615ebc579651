//! Pages of reads.

use std::ops::Bound;

/// Keys between two bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Where it begins.
    pub low: Bound<Vec<u8>>,
    /// Where it ends.
    pub high: Bound<Vec<u8>>,
}

impl KeyRange {
    /// All keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> KeyRange {
        let mut end = prefix.to_vec();
        while end.last() == Some(&0xFF) {
            end.pop();
        }
        let high = match end.last_mut() {
            Some(last) => {
                *last += 1;
                Bound::Excluded(end)
            }
            None => Bound::Unbounded,
        };
        KeyRange { low: Bound::Included(prefix.to_vec()), high }
    }
}

/// Which way a range is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Forward,
    /// Largest key first.
    Backward,
}

/// When a page is full: whichever comes first; a page holds at least one entry if there is one.
#[derive(Clone, Copy, Debug)]
pub struct PageLimit {
    /// At most so many entries.
    pub entries: usize,
    /// No further entry once keys and values take so many bytes.
    pub bytes: usize,
}

impl Default for PageLimit {
    fn default() -> PageLimit {
        PageLimit { entries: 1024, bytes: 1 << 20 }
    }
}

/// Entries of a range in the order asked for. One flat buffer.
#[derive(Clone, Debug, Default)]
pub struct Page {
    buffer: bytes::Bytes,
    entries: Vec<(u32, u32, u32)>,
    exhausted: bool,
}

impl Page {
    pub(crate) fn new(buffer: Vec<u8>, entries: Vec<(u32, u32, u32)>, exhausted: bool) -> Page {
        Page { buffer: buffer.into(), entries, exhausted }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds nothing (then the range is exhausted).
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the range holds nothing behind this page. Otherwise go on behind the last key.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// The key of an entry.
    pub fn key(&self, at: usize) -> &[u8] {
        let (start, middle, _) = self.entries[at];
        &self.buffer[start as usize..middle as usize]
    }

    /// The value of an entry.
    pub fn value(&self, at: usize) -> &[u8] {
        let (_, middle, end) = self.entries[at];
        &self.buffer[middle as usize..end as usize]
    }

    /// The value of an entry, sharing the page's memory.
    pub fn value_bytes(&self, at: usize) -> bytes::Bytes {
        let (_, middle, end) = self.entries[at];
        self.buffer.slice(middle as usize..end as usize)
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> {
        (0..self.len()).map(|at| (self.key(at), self.value(at)))
    }
}
