//! The rule that a collection's documents must satisfy.

use crate::filter::Filter;
use std::sync::Arc;
use value::Document;

/// A collection's compiled validator.
#[derive(Clone, Debug)]
pub struct Validator {
    /// What documents must match.
    pub filter: Arc<Filter>,
    /// The rule as it was given, for error details.
    pub source: Document,
    /// Which writes are checked.
    pub level: ValidationLevel,
    /// What happens to a document that does not match.
    pub action: ValidationAction,
}

/// Which writes a validator checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationLevel {
    /// All inserts and updates.
    Strict,
    /// Inserts, and updates of documents that matched before.
    Moderate,
}

/// What happens to a document that does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationAction {
    /// It is refused with `DocumentValidationFailure`.
    Refuse,
    /// It is logged and written.
    Warn,
}
