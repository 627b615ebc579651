//! Finding the documents that a statement changes.

use crate::Result;
use crate::execute::{FindSpec, FoundRecord, Interruption, RecordCursor, find_records};
use crate::plan::{Hint, Ordering};
use language::filter::Filter;
use std::sync::Arc;
use store::Collection;

/// The documents that a statement changes: the parts of a [`FindSpec`] that statements have.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// What documents must match.
    pub filter: Arc<Filter>,
    /// Which of them is the first.
    pub ordering: Ordering,
    /// The index that must be used.
    pub hint: Option<Hint>,
}

impl Lookup {
    /// The documents that match, in any order.
    pub fn new(filter: Arc<Filter>) -> Lookup {
        Lookup {
            filter,
            ordering: Ordering::Any,
            hint: None,
        }
    }

    /// The first document in the requested order.
    pub(super) async fn first(
        &self,
        collection: &Arc<Collection>,
        interruption: &Interruption,
    ) -> Result<Option<FoundRecord>> {
        let spec = FindSpec {
            limit: Some(1),
            ..self.spec(interruption)
        };
        let mut cursor = find_records(collection, spec).await?;
        Ok(cursor.next_page(1).await?.pop())
    }

    /// All documents, page by page, from one snapshot, so that a document that the statement has moved within an index is not
    /// found again.
    pub(super) async fn all(
        &self,
        collection: &Arc<Collection>,
        interruption: &Interruption,
    ) -> Result<RecordCursor> {
        find_records(collection, self.spec(interruption)).await
    }

    fn spec(&self, interruption: &Interruption) -> FindSpec {
        FindSpec {
            ordering: self.ordering.clone(),
            hint: self.hint.clone(),
            interruption: interruption.clone(),
            ..FindSpec::new(self.filter.clone())
        }
    }
}
