//! Why a statement was not executed.

use crate::{Code, QueryError};
use store::StoreError;
use value::Document;

/// A statement that failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriteError {
    /// The statement is wrong, or cannot be applied to the document.
    #[error(transparent)]
    Query(#[from] QueryError),
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
            StoreError::Refused { code, message } => WriteError::Query(QueryError::new(Code(code), message)),
            other => WriteError::Store(other),
        }
    }
}

/// The form in which a query's error goes through the committer.
pub(super) fn refused(error: QueryError) -> StoreError {
    StoreError::Refused {
        code: error.code.0,
        message: error.message,
    }
}
