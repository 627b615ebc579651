//! The conditions of partial indexes: MongoDB's filters, and the selectors of CouchDB's indexes.

use language::filter::Filter;
use mango::Selector;
use std::sync::Arc;
use value::collation::Collation;
use value::{Document, DocumentFilter, Value};

/// The only name in a condition that is a CouchDB selector; MongoDB's clients cannot use it.
pub(crate) const SELECTOR: &str = "$selector";

/// Compiles `partialFilterExpression`, or a [`SELECTOR`], for the store. Errors have the language's messages. The
/// collation is the index's.
pub(crate) fn compile(
    condition: &Document,
    collation: Option<&Collation>,
) -> Result<Arc<dyn DocumentFilter>, String> {
    if let Some(Value::Document(selector)) = condition.get(SELECTOR) {
        return match Selector::parse(selector) {
            Ok(selector) => Ok(Arc::new(selector)),
            Err(error) => Err(error.to_string()),
        };
    }
    match Filter::parse_partial(condition, collation) {
        Ok(filter) => Ok(Arc::new(filter)),
        Err(error) => Err(error.message),
    }
}
