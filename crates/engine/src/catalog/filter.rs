//! Matching documents that are not in a collection, such as listings.

use crate::context::Context;
use crate::error::Result;
use crate::reading::find::variables;
use language::filter::{Filter, FilterPlace, FilterScope};
use std::sync::Arc;
use value::Document;

/// A filter for documents that a protocol makes itself.
#[derive(Clone, Debug)]
pub struct DocumentFilter(Arc<Filter>);

impl DocumentFilter {
    /// Reads a filter in MongoDB's form.
    pub fn parse(filter: &Document) -> Result<DocumentFilter> {
        let variables = variables(&Context::default(), &Document::new(), None)?.without_clock();
        let scope = FilterScope {
            place: FilterPlace::Listing,
            variables: Some(&variables),
        };
        Ok(DocumentFilter(Arc::new(Filter::parse(filter, &scope)?)))
    }

    /// Whether a document matches.
    pub fn matches(&self, document: &Document) -> Result<bool> {
        Ok(self.0.matches(document.into())?)
    }
}
