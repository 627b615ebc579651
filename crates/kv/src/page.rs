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
        KeyRange {
            low: Bound::Included(prefix.to_vec()),
            high: after_prefix(prefix.to_vec()).map_or(Bound::Unbounded, Bound::Excluded),
        }
    }

    /// Leaves out a key and all that are read before it in this order.
    pub fn begin_after(&mut self, key: Vec<u8>, order: Order) {
        match order {
            Order::Forward => self.low = Bound::Excluded(key),
            Order::Backward => self.high = Bound::Excluded(key),
        }
    }

    /// Leaves out what a page has of the range, which was read in this order. Returns false if nothing is left.
    pub fn go_on_after(&mut self, page: &Page, order: Order) -> bool {
        match page.len().checked_sub(1) {
            Some(last) if !page.exhausted() => {
                self.begin_after(page.key(last).to_vec(), order);
                true
            }
            _ => false,
        }
    }
}

/// The least key that is greater than all that begin with this one; `None` if it has only bytes 0xFF.
pub fn after_prefix(mut prefix: Vec<u8>) -> Option<Vec<u8>> {
    while prefix.last() == Some(&0xFF) {
        prefix.pop();
    }
    *prefix.last_mut()? += 1;
    Some(prefix)
}

/// The direction in which keys are read. Which of two values comes first in a key is another matter (`value::key::Direction`): an
/// index on a descending field, read backward, has the values ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Forward,
    /// Largest key first.
    Backward,
}

/// A page is full when it reaches either limit. It holds at least one entry if there is one.
#[derive(Clone, Copy, Debug)]
pub struct PageLimit {
    /// The maximum number of entries.
    pub entries: usize,
    /// The page ends once its keys and values take this many bytes.
    pub bytes: usize,
}

impl Default for PageLimit {
    fn default() -> PageLimit {
        PageLimit {
            entries: 1024,
            bytes: 1 << 20,
        }
    }
}

/// Entries of a range, in the requested order and in one flat buffer.
#[derive(Clone, Debug, Default)]
pub struct Page {
    buffer: bytes::Bytes,
    entries: Vec<Entry>,
    exhausted: bool,
}

/// The place of an entry in the buffer: its key, directly followed by its value.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u32,
    value: u32,
    end: u32,
}

impl Page {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entries. If so, the range is exhausted.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the range has nothing after this page. If it has, continue after the last key.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// The key of an entry.
    pub fn key(&self, at: usize) -> &[u8] {
        let Entry { key, value, .. } = self.entries[at];
        &self.buffer[key as usize..value as usize]
    }

    /// The value of an entry.
    pub fn value(&self, at: usize) -> &[u8] {
        let Entry { value, end, .. } = self.entries[at];
        &self.buffer[value as usize..end as usize]
    }

    /// The value of an entry, sharing the page's memory.
    pub fn value_bytes(&self, at: usize) -> bytes::Bytes {
        let Entry { value, end, .. } = self.entries[at];
        self.buffer.slice(value as usize..end as usize)
    }

    /// The memory that the entries share.
    pub fn buffer(&self) -> &bytes::Bytes {
        &self.buffer
    }

    /// The place of an entry's value in the buffer.
    pub fn value_range(&self, at: usize) -> std::ops::Range<usize> {
        let Entry { value, end, .. } = self.entries[at];
        value as usize..end as usize
    }

    /// The bytes of memory that it takes when it is [compact](Page::compact).
    pub fn bytes(&self) -> usize {
        self.buffer.len() + self.entries.len() * size_of::<Entry>()
    }

    /// In a forward page, the first place whose key is not before the one searched for.
    pub fn partition_point(&self, is_before: impl Fn(&[u8]) -> bool) -> usize {
        let key = |entry: &Entry| &self.buffer[entry.key as usize..entry.value as usize];
        self.entries.partition_point(|entry| is_before(key(entry)))
    }

    /// A copy of a page that was read in this order, with its entries in forward order and in memory of exactly their size.
    pub fn compact(&self, order: Order) -> Page {
        let mut entries = Vec::with_capacity(self.entries.len());
        match order {
            Order::Forward => entries.extend_from_slice(&self.entries),
            Order::Backward => entries.extend(self.entries.iter().rev()),
        }
        Page {
            buffer: bytes::Bytes::copy_from_slice(&self.buffer),
            entries,
            exhausted: self.exhausted,
        }
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> {
        (0..self.len()).map(|at| (self.key(at), self.value(at)))
    }
}

/// A page without the entries that cannot be read.
#[derive(Clone, Debug, Default)]
pub struct Salvage {
    /// The readable entries.
    pub page: Page,
    /// The parts that cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// The key from which to continue; `None` if nothing is left.
    pub next: Option<Vec<u8>>,
}

/// Keys that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The last key before them that could be read, or the first that could not.
    pub from: Vec<u8>,
    /// The first key after them; `None` if none of the shard is.
    pub to: Option<Vec<u8>>,
    /// Why they cannot be read, with file and place if these are known.
    pub what: String,
}

/// No page grows beyond this, so that places in its buffer fit into `u32` even after one more entry.
const PAGE_BYTES_MAX: usize = 1 << 30;

/// The most that is reserved before the first entry. Pages are often nearly empty, and should cost little then.
const RESERVE_BYTES_MAX: usize = 4 << 10;
const RESERVE_ENTRIES_MAX: usize = 128;

/// Fills a page up to its limit.
#[derive(Debug)]
pub(crate) struct PageBuilder {
    limit: PageLimit,
    buffer: Vec<u8>,
    entries: Vec<Entry>,
}

impl PageBuilder {
    pub(crate) fn new(limit: PageLimit) -> PageBuilder {
        let limit = PageLimit {
            entries: limit.entries.max(1),
            bytes: limit.bytes.min(PAGE_BYTES_MAX),
        };
        let buffer = Vec::with_capacity(limit.bytes.min(RESERVE_BYTES_MAX));
        PageBuilder {
            limit,
            buffer,
            entries: Vec::with_capacity(limit.entries.min(RESERVE_ENTRIES_MAX)),
        }
    }

    /// Adds an entry. Returns false, and adds nothing, if the page is full.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> bool {
        if self.is_full() {
            return false;
        }
        let start = self.buffer.len();
        self.buffer.extend_from_slice(key);
        self.buffer.extend_from_slice(value);
        self.entries.push(Entry {
            key: start as u32,
            value: (start + key.len()) as u32,
            end: self.buffer.len() as u32,
        });
        true
    }

    /// Whether no further entry would be added.
    pub(crate) fn is_full(&self) -> bool {
        let full = self.entries.len() >= self.limit.entries || self.buffer.len() >= self.limit.bytes;
        full && !self.entries.is_empty()
    }

    /// The page, after which the range may have more.
    pub(crate) fn into_page(self) -> Page {
        Page {
            buffer: self.buffer.into(),
            entries: self.entries,
            exhausted: false,
        }
    }

    /// The page, after which the range has nothing.
    pub(crate) fn into_last_page(self) -> Page {
        Page {
            exhausted: true,
            ..self.into_page()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_after_a_prefix_is_the_least_beyond_all_that_begin_with_it() {
        assert_eq!(after_prefix(vec![1, 2]), Some(vec![1, 3]));
        assert_eq!(after_prefix(vec![1, 0xFF, 0xFF]), Some(vec![2]));
        assert_eq!(after_prefix(vec![0xFF]), None);
        assert_eq!(KeyRange::prefix(&[]).high, Bound::Unbounded);
    }
}
