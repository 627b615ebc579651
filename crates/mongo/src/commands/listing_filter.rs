//! Filters of listings: `listCollections`, `listDatabases`, `currentOp`.

use crate::error::{CommandError, Result};
use value::Document;

/// A filter over documents that are made for a listing.
#[derive(Debug)]
pub(super) struct ListingFilter(engine::DocumentFilter);

impl ListingFilter {
    pub(super) fn parse(filter: &Document) -> Result<ListingFilter> {
        Ok(ListingFilter(
            engine::DocumentFilter::parse(filter).map_err(CommandError::from)?,
        ))
    }

    pub(super) fn matches(&self, document: &Document) -> Result<bool> {
        Ok(self.0.matches(document)?)
    }
}
