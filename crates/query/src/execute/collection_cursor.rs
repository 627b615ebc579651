//! Reading all records in natural order.

use crate::Result;
use std::ops::Range;
use std::sync::Arc;
use store::{DocumentPage, Order, PageAhead, PageLimit, RecordId, Snapshot};
use value::DocumentBuf;

/// After this many pages of full length the next is read while one is worked on. A scan that ends earlier, as most that are limited
/// do, would have read one in vain.
const PAGES_BEFORE_AHEAD: usize = 4;

/// A position in a scan of a collection. Between pages it can be held without a snapshot.
#[derive(Debug)]
pub struct CollectionCursor {
    order: Order,
    after: Option<RecordId>,
    page: Option<Arc<DocumentPage>>,
    at: usize,
    page_entries: usize,
    /// The number of pages of full length since the cursor got its snapshot.
    full_pages: usize,
    /// The page after the present one.
    ahead: Option<PageAhead>,
    /// Whether nothing follows the page.
    done: bool,
}

impl CollectionCursor {
    /// A cursor at one end of the collection. About `wanted` documents are needed, which sizes the first page.
    pub fn new(order: Order, wanted: usize) -> CollectionCursor {
        let page_entries = wanted.clamp(1, PageLimit::default().entries);
        CollectionCursor {
            order,
            after: None,
            page: None,
            at: 0,
            page_entries,
            full_pages: 0,
            ahead: None,
            done: false,
        }
    }

    /// A cursor after a record; at the beginning if it is `None`.
    pub fn after(after: Option<RecordId>, wanted: usize) -> CollectionCursor {
        CollectionCursor {
            after,
            ..CollectionCursor::new(Order::Forward, wanted)
        }
    }

    /// The next document; `None` at the end. Reads a page if none is loaded.
    pub async fn next(&mut self, snapshot: &Snapshot) -> Result<Option<(RecordId, DocumentBuf)>> {
        if !self.load(snapshot).await? {
            return Ok(None);
        }
        let next = self.page.as_ref().map(|page| {
            let id = page.id(self.at);
            let document = page.document(self.at);
            self.at += 1;
            self.after = Some(id);
            (id, document)
        });
        self.drop_given();
        Ok(next)
    }

    /// The page with the next documents, and their places in it; `None` at the end.
    pub async fn next_page(
        &mut self,
        snapshot: &Snapshot,
    ) -> Result<Option<(Arc<DocumentPage>, Range<usize>)>> {
        if !self.load(snapshot).await? {
            return Ok(None);
        }
        Ok(self.page.take().map(|page| {
            let places = self.at..page.len();
            self.after = Some(page.id(places.end - 1));
            (page, places)
        }))
    }

    /// Reads a page unless the present one has a next document. Returns false at the end.
    async fn load(&mut self, snapshot: &Snapshot) -> Result<bool> {
        while self.page.is_none() {
            if self.done {
                return Ok(false);
            }
            let limit = PageLimit {
                entries: self.page_entries,
                ..PageLimit::default()
            };
            let page = self.read(snapshot, limit).await?;
            self.page_entries = (self.page_entries * 2).min(PageLimit::default().entries);
            self.done = page.exhausted();
            self.full_pages += usize::from(limit.entries == PageLimit::default().entries);
            self.read_ahead(snapshot, &page);
            self.at = match self.order {
                Order::Forward => page.first_after(self.after),
                Order::Backward => 0,
            };
            self.page = Some(page);
            self.drop_given();
        }
        Ok(true)
    }

    /// The page with the next documents: the one that was read ahead, if there is one.
    async fn read(&mut self, snapshot: &Snapshot, limit: PageLimit) -> Result<Arc<DocumentPage>> {
        let ahead = match self.ahead.take() {
            Some(ahead) => ahead.page(self.after, snapshot).await,
            None => None,
        };
        Ok(match ahead {
            Some(page) => page?,
            None => snapshot.document_page(self.after, self.order, limit).await?,
        })
    }

    /// Begins to read the page after this one.
    fn read_ahead(&mut self, snapshot: &Snapshot, page: &DocumentPage) {
        if self.order == Order::Forward && self.full_pages >= PAGES_BEFORE_AHEAD && !self.done {
            let last = page.len().checked_sub(1).map(|at| page.id(at));
            self.ahead = last.and_then(|last| snapshot.read_ahead(last));
        }
    }

    /// The bytes of the page whose documents are being returned.
    pub fn page_bytes(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.bytes())
    }

    /// Drops a page once all of its documents were returned. They may be long, and it may be some time before the next page is read.
    fn drop_given(&mut self) {
        self.page.take_if(|page| self.at >= page.len());
    }

    /// Keeps only the position.
    pub fn suspend(&mut self) {
        // The documents of the page that were not returned have to be read again.
        self.done &= self.page.take().is_none();
        self.at = 0;
        // It holds a snapshot, and another cursor can use the thread.
        self.ahead = None;
        self.full_pages = 0;
    }
}
