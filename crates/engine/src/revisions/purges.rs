//! The purges that a collection remembers.

use super::{RevisionedCollection, RevisionedSnapshot};
use crate::error::Result;
use store::Purge;
use value::Value;

/// The property that says how many purges are shown.
const PURGES_KEPT: &str = "purgesKept";
/// The number of purges if it was never set (CouchDB's default).
const PURGES_KEPT_DEFAULT: usize = 1_000;

impl RevisionedCollection {
    /// How many purges are to be remembered.
    pub fn purges_kept(&self) -> usize {
        match self.collection.options().properties.get(PURGES_KEPT) {
            Some(Value::Int64(kept)) => usize::try_from(*kept).unwrap_or(PURGES_KEPT_DEFAULT),
            _ => PURGES_KEPT_DEFAULT,
        }
    }

    /// Sets how many purges are to be remembered.
    pub async fn set_purges_kept(&self, kept: u32) -> Result<()> {
        self.set_property(PURGES_KEPT, Value::Int64(kept.into())).await
    }
}

impl RevisionedSnapshot {
    /// The newest purges, the newest first.
    pub async fn newest_purges(&self, limit: usize) -> Result<Vec<Purge>> {
        Ok(self.snapshot.newest_purges(limit).await?)
    }
}
