//! Visitors: they are shown documents one by one, each only for a moment.

use crate::Result;
use language::filter::Filter;
use value::RawDocument;

/// Something that is shown documents one by one.
pub trait Visitor: Send {
    /// Takes a document if it matches the filter, where there is one; whether it did.
    fn visit(&mut self, document: RawDocument<'_>, filter: Option<&Filter>) -> Result<bool>;
}
