//! Finding the documents that a statement changes.

use crate::Result;
use crate::execute::{FindSpec, Found, Interruption, RecordCursor, find_records};
use crate::plan::{Hint, Ordering};
use language::filter::Filter;
use std::sync::Arc;
use store::Collection;

/// Which documents are looked for.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub(super) filter: Arc<Filter>,
    pub(super) ordering: Ordering,
    pub(super) hint: Option<Hint>,
    pub(super) interruption: Interruption,
}

impl Lookup {
    /// The first document in the order asked for.
    pub(super) async fn first(&self, collection: &Arc<Collection>) -> Result<Option<Found>> {
        let spec = FindSpec {
            limit: Some(1),
            ..self.spec()
        };
        let mut cursor = find_records(collection, spec).await?;
        Ok(cursor.next_page(1).await?.pop())
    }

    /// All of them, page by page, from one snapshot: a document that the statement has moved within an index is not
    /// found again.
    pub(super) async fn all(&self, collection: &Arc<Collection>) -> Result<RecordCursor> {
        find_records(collection, self.spec()).await
    }

    fn spec(&self) -> FindSpec {
        FindSpec {
            ordering: self.ordering.clone(),
            hint: self.hint.clone(),
            interruption: self.interruption.clone(),
            ..FindSpec::new(self.filter.clone())
        }
    }
}
