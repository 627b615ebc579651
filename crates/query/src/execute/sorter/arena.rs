//! Items kept as bytes with their sort keys, without a limit on their number.

use crate::Result;
use crate::spill::Spilled;
use language::interruption::steps;
use std::cmp::Ordering;
use std::ops::Range;

/// The bytes of the first chunk; each next one is twice as large, up to [`CHUNK_BYTES_MAX`].
const CHUNK_BYTES_FIRST: usize = 4 << 10;
const CHUNK_BYTES_MAX: usize = 1 << 20;

/// The number of items that are sorted at once, which takes some milliseconds. More items are merged from such parts as they are
/// returned.
const PART_ITEMS: usize = 64 << 10;

/// Keys and items one after the other in chunks: an item costs no allocation of its own, and the bytes that all of them
/// take are known.
#[derive(Debug, Default)]
pub(super) struct Arena {
    chunks: Vec<Vec<u8>>,
    places: Vec<Place>,
    bytes: usize,
    /// An item's bytes before they are put into a chunk.
    item: Vec<u8>,
    /// After sorting: the rest of each part, and which part has the first item of all.
    parts: Vec<Range<usize>>,
    first: usize,
}

/// The place of a key; its item follows it.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first eight bytes of the key, which decide most comparisons.
    prefix: u64,
    chunk: u32,
    begin: u32,
    key_bytes: u32,
    item_bytes: u32,
}

impl Arena {
    /// Adds an item.
    pub(super) fn push(&mut self, key: &[u8], item: &impl Spilled) {
        self.item.clear();
        item.save(&mut self.item);
        let wanted = key.len() + self.item.len();
        let fits = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= wanted;
        if !self.chunks.last().is_some_and(fits) {
            let doubled = CHUNK_BYTES_FIRST << self.chunks.len().min(8);
            let capacity = doubled.min(CHUNK_BYTES_MAX).max(wanted);
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let at = self.chunks.len() - 1;
        let chunk = &mut self.chunks[at];
        // The casts lose nothing: a chunk holds at most 1 MiB or one item, and the sort's memory bounds their number.
        self.places.push(Place {
            prefix: prefix(key),
            chunk: at as u32,
            begin: chunk.len() as u32,
            key_bytes: key.len() as u32,
            item_bytes: self.item.len() as u32,
        });
        chunk.extend_from_slice(key);
        chunk.extend_from_slice(&self.item);
        self.bytes += wanted + size_of::<Place>();
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The bytes of all items.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sorts the items; equal keys stay in the order in which they came.
    pub(super) fn sort(&mut self) -> Result<()> {
        let chunks = &self.chunks;
        for part in self.places.chunks_mut(PART_ITEMS) {
            steps(part.len())?;
            part.sort_unstable_by(|left, right| left.compare(right, chunks));
        }
        let (items, begins) = (self.places.len(), (0..self.places.len()).step_by(PART_ITEMS));
        self.parts = begins.map(|begin| begin..items.min(begin + PART_ITEMS)).collect();
        self.choose();
        Ok(())
    }

    /// Finds the part with the first item of all; there are few parts.
    fn choose(&mut self) {
        let begins = self.parts.iter().map(|part| &self.places[part.start]);
        let first = begins
            .enumerate()
            .min_by(|(_, left), (_, right)| left.compare(right, &self.chunks));
        self.first = first.map_or(0, |(at, _)| at);
    }

    /// The key and the item of the next to be returned.
    pub(super) fn peek(&self) -> Option<(&[u8], &[u8])> {
        let place = self.places.get(self.parts.get(self.first)?.start)?;
        Some((place.key(&self.chunks), place.item(&self.chunks)))
    }

    /// Steps past what [`Arena::peek`] returns.
    pub(super) fn advance(&mut self) {
        let Some(part) = self.parts.get_mut(self.first) else {
            return;
        };
        part.start += 1;
        if part.start >= part.end {
            self.parts.remove(self.first);
        }
        if self.parts.len() > 1 {
            self.choose();
        } else {
            self.first = 0;
        }
    }
}

impl Place {
    fn compare(&self, other: &Place, chunks: &[Vec<u8>]) -> Ordering {
        let by_prefix = self.prefix.cmp(&other.prefix);
        let by_key = by_prefix.then_with(|| self.key(chunks).cmp(other.key(chunks)));
        by_key.then_with(|| self.arrival().cmp(&other.arrival()))
    }

    fn key<'c>(&self, chunks: &'c [Vec<u8>]) -> &'c [u8] {
        let begin = self.begin as usize;
        &chunks[self.chunk as usize][begin..begin + self.key_bytes as usize]
    }

    fn item<'c>(&self, chunks: &'c [Vec<u8>]) -> &'c [u8] {
        let begin = self.begin as usize + self.key_bytes as usize;
        &chunks[self.chunk as usize][begin..begin + self.item_bytes as usize]
    }

    /// The order of arrival: later items are at higher positions. Two items share a position only if the first has no bytes,
    /// key included.
    fn arrival(&self) -> (u32, u32) {
        (self.chunk, self.begin)
    }
}

/// The first eight bytes as a number with the same order; shorter keys are padded with zeros.
fn prefix(key: &[u8]) -> u64 {
    match key.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut first = [0; 8];
            first[..key.len()].copy_from_slice(key);
            u64::from_be_bytes(first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ordered(left: &[u8], right: &[u8]) -> bool {
        prefix(left) <= prefix(right)
    }

    #[test]
    fn prefixes_never_contradict_the_keys() {
        assert!(is_ordered(b"", b"\0") && is_ordered(b"\0", b"\0\0") && is_ordered(b"a", b"ab"));
        assert!(is_ordered(b"abcdefgh", b"abcdefghi") && !is_ordered(b"b", b"abcdefghi"));
    }
}
