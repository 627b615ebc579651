//! Pages of documents for scans, without the other parts of records.

use super::Snapshot;
use crate::record::Header;
use crate::scan_cache::Scanned;
use crate::{Order, PageLimit, RecordId, StoreError, keys};
use bytes::Bytes;
use kv::Page;
use std::ops::Bound;
use std::sync::Arc;
use value::{DocumentBuf, RawDocument};

/// Pages with fewer documents are not kept: their scan is short anyway.
const KEPT_ENTRIES_MIN: usize = 64;

/// Documents in natural order, or backward, in one buffer.
#[derive(Debug, Default)]
pub struct DocumentPage {
    buffer: Bytes,
    places: Vec<Place>,
    exhausted: bool,
}

/// A record, and the place of its document in the buffer.
#[derive(Clone, Copy, Debug)]
struct Place {
    record: RecordId,
    start: u32,
    end: u32,
}

impl DocumentPage {
    /// Checks every record of a page.
    fn new(page: &Page) -> Result<DocumentPage, &'static str> {
        let place = |at: usize| {
            let record = keys::record_id(page.key(at)).ok_or("a record whose key is none")?;
            let header = Header::read(record, page.value(at))?;
            let value = page.value_range(at);
            Ok(Place {
                record,
                start: (value.start + header.document) as u32,
                end: value.end as u32,
            })
        };
        Ok(DocumentPage {
            places: (0..page.len()).map(place).collect::<Result<_, &'static str>>()?,
            buffer: page.buffer().clone(),
            exhausted: page.exhausted(),
        })
    }

    /// The empty page after the last document.
    fn end() -> DocumentPage {
        DocumentPage {
            exhausted: true,
            ..DocumentPage::default()
        }
    }

    /// A copy in its own memory, of exactly its size.
    fn copied(&self) -> DocumentPage {
        let mut places = Vec::with_capacity(self.places.len());
        places.extend_from_slice(&self.places);
        DocumentPage {
            buffer: Bytes::copy_from_slice(&self.buffer),
            places,
            exhausted: false,
        }
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of::<DocumentPage>() + self.buffer.len() + self.places.len() * size_of::<Place>()
    }

    /// The last record.
    pub(crate) fn last(&self) -> Option<RecordId> {
        self.places.last().map(|place| place.record)
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether it is known that nothing follows this page.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// The first place after a record, in a forward page.
    pub fn first_after(&self, after: Option<RecordId>) -> usize {
        after.map_or(0, |after| {
            self.places.partition_point(|place| place.record <= after)
        })
    }

    /// The record at a place.
    pub fn id(&self, at: usize) -> RecordId {
        self.places[at].record
    }

    /// The document at a place, borrowed.
    pub fn raw(&self, at: usize) -> RawDocument<'_> {
        let Place { start, end, .. } = self.places[at];
        RawDocument::from_validated(&self.buffer[start as usize..end as usize])
    }

    /// The document at a place, sharing the page's memory.
    pub fn document(&self, at: usize) -> DocumentBuf {
        let Place { start, end, .. } = self.places[at];
        DocumentBuf::from_validated(self.buffer.slice(start as usize..end as usize))
    }
}

impl Snapshot {
    /// A page with the documents of the records after `after` in natural order, or before it if backward. A forward page may begin
    /// before them: see [`DocumentPage::first_after`].
    pub async fn document_page(
        &self,
        after: Option<RecordId>,
        order: Order,
        limit: PageLimit,
    ) -> Result<Arc<DocumentPage>, StoreError> {
        if order == Order::Backward {
            return self
                .read_document_page(after, order, limit, None)
                .await
                .map(Arc::new);
        }
        let scans = &self.cached;
        let mut after = after;
        let (number, page) = loop {
            // No record has a larger number than the last change.
            let number = after.map_or(0, |after| after.0);
            if number >= self.sequence {
                return Ok(Arc::new(DocumentPage::end()));
            }
            let next = match scans.scanned(number, self.sequence) {
                Scanned::Page(page) => return Ok(page),
                Scanned::UpTo(next) => next,
            };
            let page = self.read_document_page(after, order, limit, next).await?;
            if page.is_empty() && next.is_some() {
                // All records before the next page that is kept were deleted.
                after = next;
                continue;
            }
            break (number, page);
        };
        if limit.entries < KEPT_ENTRIES_MIN || page.is_empty() || !self.keeps_pages() {
            return Ok(Arc::new(page));
        }
        let exhausted = page.exhausted;
        let kept = Arc::new(page.copied());
        scans.keep_scanned(number, &kept, self.sequence);
        match exhausted {
            // A kept page does not note that it is the last, since other snapshots see what was inserted after it.
            true => Ok(Arc::new(page)),
            false => Ok(kept),
        }
    }

    /// Whether pages of scans of the collection are kept in memory.
    pub(super) fn keeps_pages(&self) -> bool {
        let places = self.count() as usize * size_of::<Place>();
        let whole = (self.data_bytes() as usize).saturating_add(places);
        self.cached.keeps_scans(whole)
    }

    /// Reads a page from the engine; a forward one ends at a record.
    async fn read_document_page(
        &self,
        after: Option<RecordId>,
        order: Order,
        limit: PageLimit,
        up_to: Option<RecordId>,
    ) -> Result<DocumentPage, StoreError> {
        let mut range = keys::records_after(after, order);
        if let Some(up_to) = up_to {
            range.high = Bound::Included(keys::record(up_to).to_vec());
        }
        let page = self.snapshot.page(&range, order, limit).await?;
        let mut page = DocumentPage::new(&page).map_err(|what| self.corrupt(what))?;
        page.exhausted &= up_to.is_none();
        Ok(page)
    }
}
