//! What a compiled filter is to those who only apply it.

use crate::DocumentRef;
use std::fmt::Debug;

/// A compiled filter on documents, in whichever language it was written.
pub trait DocumentFilter: Send + Sync + Debug {
    /// Whether the document matches.
    fn matches(&self, document: DocumentRef<'_>) -> bool;
}
