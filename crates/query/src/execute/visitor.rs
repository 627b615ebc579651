//! Visitors, which see documents one by one, each only for a moment.

use crate::Result;
use language::filter::Filter;
use value::RawDocument;

/// A consumer that sees documents one by one.
pub trait Visitor: Send {
    /// Takes a document if it matches the filter, if there is one. Returns whether it took it.
    fn visit(&mut self, document: RawDocument<'_>, filter: Option<&Filter>) -> Result<bool>;
}
