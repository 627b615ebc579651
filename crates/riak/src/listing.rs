//! The keys of a bucket, page by page, on one snapshot.

use crate::error::Result;
use crate::limits::{LISTED_AT_ONCE, PAGE_BYTES};
use crate::names::owned_key;
use engine::{DocumentPosition, PageLimit, RevisionedCollection, RevisionedSnapshot};
use std::ops::Bound;
use value::Value;

/// A listing under way.
#[derive(Debug)]
pub(crate) struct Keys {
    snapshot: RevisionedSnapshot,
    range: (Bound<Value>, Bound<Value>),
    position: Option<DocumentPosition>,
    is_ended: bool,
}

impl Keys {
    /// The keys of all documents.
    pub(crate) async fn all(collection: &RevisionedCollection) -> Result<Keys> {
        Keys::within(collection, (Bound::Unbounded, Bound::Unbounded)).await
    }

    /// The keys of the documents whose `_id`s are in a range.
    pub(crate) async fn within(
        collection: &RevisionedCollection,
        range: (Bound<Value>, Bound<Value>),
    ) -> Result<Keys> {
        Ok(Keys {
            snapshot: collection.snapshot().await?,
            range,
            position: None,
            is_ended: false,
        })
    }

    /// The next keys; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut keys = Vec::new();
        while keys.is_empty() && !self.is_ended {
            let limit = PageLimit {
                entries: LISTED_AT_ONCE,
                bytes: PAGE_BYTES,
            };
            let position = self.position.as_ref();
            let (ids, next) = self.snapshot.ids(self.range.clone(), position, limit).await?;
            engine::steps(ids.len())?;
            keys.extend(ids.into_iter().map(|(id, _)| owned_key(id)));
            self.is_ended = next.is_none();
            self.position = next;
        }
        Ok(keys)
    }
}
