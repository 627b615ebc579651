//! A page of index entries.

use crate::entry_cache::FoundEntries;
use crate::index::split_entry;
use crate::{Index, IndexEntry, Order, keys};
use kv::Page;
use std::ops::Range;
use std::sync::Arc;

/// Entries of an index in its order, or backward.
#[derive(Clone, Debug, Default)]
pub struct IndexPage {
    /// The page that holds the entries. It may hold others too, and be shared with the cache.
    page: Arc<Page>,
    places: Range<usize>,
    /// Whether the entries are read from the last place to the first.
    from_behind: bool,
    exhausted: bool,
    prefix_bytes: usize,
    unique: bool,
}

impl IndexPage {
    /// A page that was read; `None` if an entry does not have the form of an index entry.
    pub(super) fn new(page: Page, index: &Index) -> Option<IndexPage> {
        let page = IndexPage {
            places: 0..page.len(),
            from_behind: false,
            exhausted: page.exhausted(),
            page: Arc::new(page),
            prefix_bytes: keys::index_prefix_bytes(index.id()),
            unique: index.has_record_in_value(),
        };
        (0..page.len()).all(|at| page.read(at).is_some()).then_some(page)
    }

    /// A part of a cached page of an index, in this order.
    pub(super) fn found(found: FoundEntries, order: Order, index: &Index) -> IndexPage {
        IndexPage {
            page: found.page,
            places: found.places,
            from_behind: order == Order::Backward,
            exhausted: found.exhausted,
            prefix_bytes: keys::index_prefix_bytes(index.id()),
            unique: index.has_record_in_value(),
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The entry at a place.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn entry(&self, at: usize) -> IndexEntry<'_> {
        self.read(at)
            .expect("every entry was read when the page was made")
    }

    fn read(&self, at: usize) -> Option<IndexEntry<'_>> {
        let place = self.place(at);
        let key = self.page.key(place).get(self.prefix_bytes..)?;
        split_entry(self.unique, key, self.page.value(place))
    }

    fn place(&self, at: usize) -> usize {
        match self.from_behind {
            false => self.places.start + at,
            true => self.places.end - 1 - at,
        }
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        (0..self.len()).map(|at| self.entry(at))
    }

    /// Whether nothing follows this page.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// The position of an entry, from which a read can continue (as an excluded bound) in this or another snapshot.
    pub fn position(&self, at: usize) -> Vec<u8> {
        self.page
            .key(self.place(at))
            .get(self.prefix_bytes..)
            .unwrap_or_default()
            .to_vec()
    }

    /// The position of the last entry; `None` if the page is empty.
    pub fn last_position(&self) -> Option<Vec<u8>> {
        self.len().checked_sub(1).map(|last| self.position(last))
    }
}
