//! Pages of documents that are read while the ones before them are worked on, on another processor if one is idle.

use super::Snapshot;
use crate::{DocumentPage, Order, PageLimit, RecordId, StoreError};
use kv::Aside;
use std::sync::Arc;

/// The number of documents of a page that is read ahead, unless its bytes end it before. Each page wakes a thread twice, which takes as
/// long as reading some hundreds of short documents.
const ENTRIES_MAX: usize = 8 * 1024;

/// A page that is being read.
#[derive(Debug)]
pub struct PageAhead {
    after: RecordId,
    sequence: u64,
    page: Aside<Result<Arc<DocumentPage>, StoreError>>,
}

impl Snapshot {
    /// Begins to read the forward page after a record. `None` if no thread is idle, or if pages of the collection are kept in memory:
    /// fetching one there takes less than waking a thread.
    pub fn read_ahead(&self, after: RecordId) -> Option<PageAhead> {
        if after.0 >= self.sequence || self.keeps_pages() {
            return None;
        }
        let limit = PageLimit {
            entries: ENTRIES_MAX,
            ..PageLimit::default()
        };
        let snapshot = self.clone();
        let read = async move { snapshot.document_page(Some(after), Order::Forward, limit).await };
        Some(PageAhead {
            after,
            sequence: self.sequence,
            page: self.snapshot.aside(read)?,
        })
    }
}

impl PageAhead {
    /// The page, if it is the one after this record and shows what the snapshot does; `None` if it has to be read again.
    pub async fn page(
        self,
        after: Option<RecordId>,
        snapshot: &Snapshot,
    ) -> Option<Result<Arc<DocumentPage>, StoreError>> {
        if after != Some(self.after) || snapshot.sequence != self.sequence {
            return None;
        }
        self.page.result().await
    }
}
