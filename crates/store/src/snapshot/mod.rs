//! Reading a collection as it was at one moment, page by page.

use crate::{Index, KeyRange, Order, PageLimit, Record, RecordId, StoreError};
use value::{DocumentBuf, RawDocument, ValueRef};

/// A collection at one moment.
#[derive(Debug)]
pub struct Snapshot {}

/// Records in natural order.
#[derive(Clone, Debug, Default)]
pub struct RecordPage {}

/// Entries of an index in its order.
#[derive(Clone, Debug, Default)]
pub struct IndexPage {}

/// One entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry<'a> {
    /// The encoded values, field by field.
    pub key: &'a [u8],
    /// What the key forgets of the values' types.
    pub bits: &'a [u8],
    /// The record that has them.
    pub record: RecordId,
}

impl Snapshot {
    /// The record of this id.
    pub async fn by_record(&self, _id: RecordId) -> Result<Option<Record>, StoreError> {
        todo!("store")
    }

    /// The records of these ids, in their order.
    pub async fn by_records(&self, _ids: &[RecordId]) -> Result<Vec<Option<Record>>, StoreError> {
        todo!("store")
    }

    /// The record whose document has this `_id`.
    pub async fn by_id(&self, _id: ValueRef<'_>) -> Result<Option<Record>, StoreError> {
        todo!("store")
    }

    /// Records in natural order (or backward), from behind `after` on.
    pub async fn records(
        &self,
        _after: Option<RecordId>,
        _order: Order,
        _limit: PageLimit,
    ) -> Result<RecordPage, StoreError> {
        todo!("store")
    }

    /// Entries of an index. The bounds are whole keys or prefixes of keys, and stand for all keys that begin with them:
    /// an included bound includes them all, an excluded one excludes them all.
    pub async fn entries(
        &self,
        _index: &Index,
        _range: &KeyRange,
        _order: Order,
        _limit: PageLimit,
    ) -> Result<IndexPage, StoreError> {
        todo!("store")
    }

    /// About how many entries the range has; exact where they are few.
    pub async fn approximate_entries(&self, _index: &Index, _range: &KeyRange) -> Result<u64, StoreError> {
        todo!("store")
    }

    /// The number of the last change in it.
    pub fn head(&self) -> u64 {
        todo!("store")
    }

    /// The documents in it.
    pub fn count(&self) -> u64 {
        todo!("store")
    }
}

impl RecordPage {
    /// The number of records.
    pub fn len(&self) -> usize {
        todo!("store")
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The record id at a place.
    pub fn id(&self, _at: usize) -> RecordId {
        todo!("store")
    }

    /// The document at a place, borrowed.
    pub fn raw(&self, _at: usize) -> RawDocument<'_> {
        todo!("store")
    }

    /// The document at a place, sharing the page's memory.
    pub fn document(&self, _at: usize) -> DocumentBuf {
        todo!("store")
    }

    /// The whole record at a place.
    pub fn record(&self, _at: usize) -> Record {
        todo!("store")
    }

    /// Whether there is nothing behind this page.
    pub fn exhausted(&self) -> bool {
        todo!("store")
    }
}

impl IndexPage {
    /// The number of entries.
    pub fn len(&self) -> usize {
        todo!("store")
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at a place.
    pub fn entry(&self, _at: usize) -> IndexEntry<'_> {
        todo!("store")
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        (0..self.len()).map(|at| self.entry(at))
    }

    /// Whether there is nothing behind this page.
    pub fn exhausted(&self) -> bool {
        todo!("store")
    }

    /// The place of an entry, to go on from as an excluded bound, in this or another snapshot.
    pub fn position(&self, _at: usize) -> Vec<u8> {
        todo!("store")
    }

    /// The place of the last entry; none where the page is empty.
    pub fn last_position(&self) -> Option<Vec<u8>> {
        self.len().checked_sub(1).map(|last| self.position(last))
    }
}
