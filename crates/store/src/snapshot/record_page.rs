//! A page of records.

use crate::record::Header;
use crate::{Record, RecordId, keys};
use kv::Page;
use value::{DocumentBuf, RawDocument};

/// Records in natural order, or backward.
#[derive(Clone, Debug, Default)]
pub struct RecordPage {
    page: Page,
    records: Vec<(RecordId, Header)>,
}

impl RecordPage {
    /// Checks every record of a page.
    pub(super) fn new(page: Page) -> Result<RecordPage, &'static str> {
        let read = |(key, value): (&[u8], &[u8])| {
            let id = keys::record_id(key).ok_or("a record whose key is none")?;
            Ok((id, Header::read(id, value)?))
        };
        let records = page.iter().map(read).collect::<Result<_, &'static str>>()?;
        Ok(RecordPage { page, records })
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The record id at a place.
    pub fn id(&self, at: usize) -> RecordId {
        self.records[at].0
    }

    /// The document at a place, borrowed.
    pub fn raw(&self, at: usize) -> RawDocument<'_> {
        self.records[at].1.raw(self.page.value(at))
    }

    /// The document at a place, sharing the page's memory.
    pub fn document(&self, at: usize) -> DocumentBuf {
        let document = self.page.value_bytes(at).slice(self.records[at].1.document..);
        DocumentBuf::from_validated(document)
    }

    /// The whole record at a place.
    pub fn record(&self, at: usize) -> Record {
        let (id, header) = &self.records[at];
        header.record(*id, &self.page.value_bytes(at))
    }

    /// The whole records in order.
    pub fn iter(&self) -> impl Iterator<Item = Record> {
        (0..self.len()).map(|at| self.record(at))
    }

    /// Whether the record at a place was changed after its insertion.
    fn is_changed(&self, at: usize) -> bool {
        let (id, header) = &self.records[at];
        header.sequence != id.0
    }

    /// Whether the record at a place is its own entry in the change log.
    pub(crate) fn is_logged(&self, at: usize) -> bool {
        let (_, header) = &self.records[at];
        !self.is_changed(at) && !header.repeats_id
    }

    /// Whether nothing follows this page.
    pub fn exhausted(&self) -> bool {
        self.page.exhausted()
    }
}
