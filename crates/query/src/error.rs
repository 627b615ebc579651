//! Why a query failed: the language refused it, or the store could not read or write.

use crate::Code;
use std::borrow::Cow;
use store::StoreError;

/// A query that is wrong, or that failed on a document or on the store.
#[derive(Clone, Debug, thiserror::Error)]
pub enum QueryError {
    /// The query is wrong, or failed on a document.
    #[error(transparent)]
    Language(#[from] language::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<memory::Full> for QueryError {
    fn from(full: memory::Full) -> QueryError {
        QueryError::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string())
    }
}

/// The result of planning or executing.
pub type Result<T, E = QueryError> = std::result::Result<T, E>;

impl QueryError {
    /// An error of the language with this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> QueryError {
        QueryError::Language(language::Error::new(code, message))
    }

    /// A value that is not allowed, the commonest error.
    pub fn bad_value(message: impl Into<String>) -> QueryError {
        QueryError::Language(language::Error::bad_value(message))
    }

    /// A value of another type than the one required.
    pub fn type_mismatch(message: impl Into<String>) -> QueryError {
        QueryError::Language(language::Error::type_mismatch(message))
    }

    /// Text or a document that does not have the required form.
    pub fn failed_to_parse(message: impl Into<String>) -> QueryError {
        QueryError::Language(language::Error::failed_to_parse(message))
    }

    /// MongoDB's error code.
    pub fn code(&self) -> Code {
        match self {
            QueryError::Language(error) => error.code,
            QueryError::Store(error) => error.code(),
        }
    }

    /// What was wrong, in words.
    pub fn message(&self) -> Cow<'_, str> {
        match self {
            QueryError::Language(error) => Cow::Borrowed(&error.message),
            QueryError::Store(error) => Cow::Owned(error.to_string()),
        }
    }

    /// Whether the plan needs more memory than it may take. Another plan of the same query may need less.
    pub fn is_out_of_memory(&self) -> bool {
        self.code() == Code::QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED
    }
}
