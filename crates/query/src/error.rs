//! What is wrong with a query, in MongoDB's code and words.

use crate::Code;

/// A query, update or expression that is wrong, or that failed on a document.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// MongoDB's error code.
    pub code: Code,
    /// MongoDB's message.
    pub message: String,
}

/// What the query language gives back.
pub type Result<T, E = QueryError> = std::result::Result<T, E>;

impl QueryError {
    /// An error of this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> QueryError {
        QueryError {
            code,
            message: message.into(),
        }
    }

    /// Code 2, the commonest.
    pub fn bad_value(message: impl Into<String>) -> QueryError {
        QueryError::new(Code::BAD_VALUE, message)
    }

    /// Code 14.
    pub fn type_mismatch(message: impl Into<String>) -> QueryError {
        QueryError::new(Code::TYPE_MISMATCH, message)
    }

    /// Code 9.
    pub fn failed_to_parse(message: impl Into<String>) -> QueryError {
        QueryError::new(Code::FAILED_TO_PARSE, message)
    }
}

impl From<store::StoreError> for QueryError {
    fn from(error: store::StoreError) -> QueryError {
        let (code, message) = crate::code::of_store_error(&error);
        QueryError { code, message }
    }
}
