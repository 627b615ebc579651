//! The rule that a collection's documents must satisfy.

use super::error::WriteError;
use language::filter::Filter;
use std::sync::Arc;
use value::{Document, DocumentRef, Value, ValueRef};

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

impl Validator {
    /// Fails if a new document must be refused; the error has the details.
    pub fn check_insert(&self, document: DocumentRef<'_>) -> Result<(), WriteError> {
        if self.filter.matches(document).unwrap_or(false) {
            return Ok(());
        }
        self.refuse(document)
    }

    /// As [`Validator::check_insert`], for a document that replaces another.
    pub(super) fn check_update(&self, new: DocumentRef<'_>, old: DocumentRef<'_>) -> Result<(), WriteError> {
        let was_invalid = || !self.filter.matches(old).unwrap_or(false);
        if self.filter.matches(new).unwrap_or(false)
            || (self.level == ValidationLevel::Moderate && was_invalid())
        {
            return Ok(());
        }
        self.refuse(new)
    }

    /// Refuses a document that does not match, or logs it if the action is to warn.
    pub(super) fn refuse(&self, document: DocumentRef<'_>) -> Result<(), WriteError> {
        let id = document.get("_id").map_or(Value::Null, ValueRef::to_value);
        if self.action == ValidationAction::Warn {
            tracing::warn!(?id, "a document does not match its collection's validator");
            return Ok(());
        }
        let details = self.filter.unsatisfied(document);
        Err(WriteError::Validation(Box::new(
            Document::new()
                .with("failingDocumentId", id)
                .with("details", details),
        )))
    }
}
