//! A page of index entries.

use crate::index::split_entry;
use crate::{Index, IndexEntry, keys};
use kv::Page;

/// Entries of an index in its order, or backward.
#[derive(Clone, Debug, Default)]
pub struct IndexPage {
    page: Page,
    prefix_bytes: usize,
    unique: bool,
}

impl IndexPage {
    /// `None` if an entry does not have the form of an index entry.
    pub(super) fn new(page: Page, index: &Index) -> Option<IndexPage> {
        let prefix_bytes = keys::index_prefix(index.id()).len();
        let page = IndexPage {
            page,
            prefix_bytes,
            unique: index.has_record_in_value(),
        };
        (0..page.len()).all(|at| page.read(at).is_some()).then_some(page)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.page.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.page.is_empty()
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
        let key = self.page.key(at).get(self.prefix_bytes..)?;
        split_entry(self.unique, key, self.page.value(at))
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        (0..self.len()).map(|at| self.entry(at))
    }

    /// Whether nothing follows this page.
    pub fn exhausted(&self) -> bool {
        self.page.exhausted()
    }

    /// The place of an entry, to go on from as an excluded bound, in this or another snapshot.
    pub fn position(&self, at: usize) -> Vec<u8> {
        self.page
            .key(at)
            .get(self.prefix_bytes..)
            .unwrap_or_default()
            .to_vec()
    }

    /// The place of the last entry; `None` if the page is empty.
    pub fn last_position(&self) -> Option<Vec<u8>> {
        self.len().checked_sub(1).map(|last| self.position(last))
    }
}
