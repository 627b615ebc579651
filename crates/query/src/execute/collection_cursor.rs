//! Reading all records in natural order.

use crate::Result;
use std::ops::Range;
use std::sync::Arc;
use store::{DocumentPage, Order, PageLimit, RecordId, Snapshot};
use value::DocumentBuf;

/// A position in a scan of a collection. Between pages it can be held without a snapshot.
#[derive(Debug)]
pub struct CollectionCursor {
    order: Order,
    after: Option<RecordId>,
    page: Option<Arc<DocumentPage>>,
    at: usize,
    page_entries: usize,
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
            done: false,
        }
    }

    /// A cursor after a record; `None` for the beginning.
    pub fn after(after: Option<RecordId>, wanted: usize) -> CollectionCursor {
        CollectionCursor {
            after,
            ..CollectionCursor::new(Order::Forward, wanted)
        }
    }

    /// The next document, which reads a page if none is loaded; `None` at the end.
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

    /// The page with the next documents, and where in it they are; `None` at the end.
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

    /// Makes sure that the page has a next document; false at the end.
    async fn load(&mut self, snapshot: &Snapshot) -> Result<bool> {
        while self.page.is_none() {
            if self.done {
                return Ok(false);
            }
            let limit = PageLimit {
                entries: self.page_entries,
                ..PageLimit::default()
            };
            let page = snapshot.document_page(self.after, self.order, limit).await?;
            self.page_entries = (self.page_entries * 2).min(PageLimit::default().entries);
            self.done = page.exhausted();
            self.at = match self.order {
                Order::Forward => page.behind(self.after),
                Order::Backward => 0,
            };
            self.page = Some(page);
            self.drop_given();
        }
        Ok(true)
    }

    /// A page that was given is not kept until the next one is read: it may be of long documents, and others may be waited for.
    fn drop_given(&mut self) {
        self.page.take_if(|page| self.at >= page.len());
    }

    /// Keeps only the position.
    pub fn suspend(&mut self) {
        // What follows its documents that were not given is not done.
        self.done &= self.page.take().is_none();
        self.at = 0;
    }
}
