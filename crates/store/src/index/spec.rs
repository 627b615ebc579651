//! The description of an index as clients give and see it.

use std::fmt::Debug;
use std::sync::Arc;
use value::{Document, DocumentRef};

/// A compiled filter on documents.
pub trait DocumentFilter: Send + Sync + Debug {
    /// Whether the document is one of those meant.
    fn matches(&self, document: DocumentRef<'_>) -> bool;
}

/// Compiles a `partialFilterExpression`; the query language is above the store.
pub type FilterCompiler = fn(&Document) -> Result<Arc<dyn DocumentFilter>, String>;

/// The description of an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexSpec {
    /// Its name.
    pub name: String,
    /// The key pattern as given: `{a: 1, b: -1}`, `{a: "hashed"}`.
    pub key: Document,
    /// No two documents with the same key.
    pub unique: bool,
    /// Documents that have none of the fields are left out.
    pub sparse: bool,
    /// Kept, but not used by queries.
    pub hidden: bool,
    /// Only documents that match are entered.
    pub partial_filter: Option<Document>,
    /// Documents are deleted so long after the date in the field.
    pub expire_after_seconds: Option<f64>,
    /// Every other option as given (`v`, `background`, …).
    pub kept: Document,
}

impl IndexSpec {
    /// An index of this name and key pattern without options.
    pub fn new(name: impl Into<String>, key: Document) -> IndexSpec {
        IndexSpec {
            name: name.into(),
            key,
            ..IndexSpec::default()
        }
    }

    /// The form of `listIndexes`.
    pub fn to_document(&self) -> Document {
        todo!("store")
    }
}
