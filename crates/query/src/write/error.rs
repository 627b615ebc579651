//! Why a statement was not executed.

use crate::QueryError;
use store::StoreError;
use value::Document;

/// A statement that failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriteError {
    /// The statement is wrong, or cannot be applied to the document.
    #[error(transparent)]
    Language(#[from] language::Error),
    /// The store refused the change.
    #[error(transparent)]
    Store(StoreError),
    /// The document does not satisfy the collection's validator; what MongoDB calls `errInfo`.
    #[error("Document failed validation")]
    Validation(Box<Document>),
}

/// The statements that failed, by their position.
pub type Failures = Vec<(usize, WriteError)>;

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> WriteError {
        match error {
            StoreError::Refused { code, message } => {
                WriteError::Language(language::Error::new(code, message))
            }
            other => WriteError::Store(other),
        }
    }
}

impl From<QueryError> for WriteError {
    fn from(error: QueryError) -> WriteError {
        match error {
            QueryError::Language(error) => WriteError::Language(error),
            QueryError::Store(error) => WriteError::Store(error),
        }
    }
}

/// The form in which an error of the language passes through the committer.
pub(super) fn refused(error: language::Error) -> StoreError {
    StoreError::Refused {
        code: error.code,
        message: error.message,
    }
}
