//! What a transformation reports besides its outcome: the document of an upsert, and the details of a validation error. The
//! committer passes on only the code and the message of an error.

use super::WriteError;
use super::error::refused;
use crate::Code;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{StoreError, WriteOp};
use value::{Document, DocumentBuf};

/// An operation for the committer, and the report of its transformation.
pub(super) struct Operation {
    pub(super) write: WriteOp,
    pub(super) report: Report,
}

#[derive(Debug, Default)]
struct Reported {
    upserted: Option<DocumentBuf>,
    invalid: Option<Box<Document>>,
}

/// Shared between a transformation, which runs in the committer, and the statement that waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Report(Arc<Mutex<Reported>>);

impl Report {
    fn reported(&self) -> MutexGuard<'_, Reported> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears what an earlier run of the same transformation reported.
    pub(super) fn clear(&self) {
        *self.reported() = Reported::default();
    }

    pub(super) fn tell_upserted(&self, document: DocumentBuf) {
        self.reported().upserted = Some(document);
    }

    /// The document that an upsert made.
    pub(super) fn upserted(&self) -> Option<DocumentBuf> {
        self.reported().upserted.clone()
    }

    /// The error in the form that passes through the committer. Its details are kept here.
    pub(super) fn refuse(&self, error: WriteError) -> StoreError {
        match error {
            WriteError::Language(error) => refused(error),
            WriteError::Store(error) => error,
            WriteError::Validation(details) => {
                self.reported().invalid = Some(details);
                refused(language::Error::new(
                    Code::DOCUMENT_VALIDATION_FAILURE,
                    "Document failed validation",
                ))
            }
        }
    }

    /// The error as it was before it passed through the committer.
    pub(super) fn error(&self, error: StoreError) -> WriteError {
        match (error, self.reported().invalid.take()) {
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
