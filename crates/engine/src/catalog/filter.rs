//! Matching documents that are not in a collection, such as listings.

use crate::context::Context;
use crate::error::Result;
use crate::reading::find::{parse_filter, variables};
use language::filter::Filter;
use std::sync::Arc;
use value::Document;

/// A filter for documents that a protocol makes itself.
#[derive(Clone, Debug)]
pub struct DocumentFilter(Arc<Filter>);

impl DocumentFilter {
    /// Reads a filter in MongoDB's form.
    pub fn parse(filter: &Document) -> Result<DocumentFilter> {
        Ok(DocumentFilter(parse_filter(
            filter,
            &variables(&Context::default(), &Document::new(), None)?.without_clock(),
        )?))
    }

    /// Whether a document matches.
    pub fn matches(&self, document: &Document) -> Result<bool> {
        Ok(self.0.matches(document.into())?)
    }
}
