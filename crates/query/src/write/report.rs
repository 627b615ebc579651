//! What a transformation tells beside its outcome: of an error, the committer hands on only code and words.

use super::WriteError;
use super::error::refused;
use crate::Code;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::StoreError;
use value::{Document, DocumentBuf};

#[derive(Debug, Default)]
struct Told {
    upserted: Option<DocumentBuf>,
    invalid: Option<Box<Document>>,
}

/// Both ends of what a transformation tells.
#[derive(Clone, Debug, Default)]
pub(super) struct Report(Arc<Mutex<Told>>);

impl Report {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what an earlier run of the same transformation told.
    pub(super) fn clear(&self) {
        *self.told() = Told::default();
    }

    pub(super) fn tell_upserted(&self, document: DocumentBuf) {
        self.told().upserted = Some(document);
    }

    /// The document that was made by an upsert.
    pub(super) fn upserted(&self) -> Option<DocumentBuf> {
        self.told().upserted.clone()
    }

    /// The error in the form that goes through the committer; what has no place in it is told.
    pub(super) fn refuse(&self, error: WriteError) -> StoreError {
        match error {
            WriteError::Language(error) => refused(error),
            WriteError::Store(error) => error,
            WriteError::Validation(details) => {
                self.told().invalid = Some(details);
                refused(language::Error::new(
                    Code::DOCUMENT_VALIDATION_FAILURE,
                    "Document failed validation",
                ))
            }
        }
    }

    /// The error as it was before it went through the committer.
    pub(super) fn error(&self, error: StoreError) -> WriteError {
        match (error, self.told().invalid.take()) {
            (
                StoreError::Refused {
                    code: Code::DOCUMENT_VALIDATION_FAILURE,
                    ..
                },
                Some(details),
            ) => WriteError::Validation(details),
            (error, _) => error.into(),
        }
    }
}
