//! Errors of filters, updates and expressions, with MongoDB's codes and messages.

use crate::Code;

/// A filter, update or expression that is wrong, or that failed on a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// MongoDB's error code.
    pub code: Code,
    /// MongoDB's message.
    pub message: String,
    /// Whether a number was divided by zero, which MongoDB reports under another code in groups.
    pub is_division_by_zero: bool,
}

/// The result of parsing or evaluating.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<calendar::Error> for Error {
    fn from(error: calendar::Error) -> Error {
        Error::new(error.code, error.message)
    }
}

impl Error {
    /// An error of this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
            is_division_by_zero: false,
        }
    }

    /// A division of a number by zero.
    pub fn division_by_zero(message: impl Into<String>) -> Error {
        Error {
            is_division_by_zero: true,
            ..Error::bad_value(message)
        }
    }

    /// A value that is not allowed, the commonest error.
    pub fn bad_value(message: impl Into<String>) -> Error {
        Error::new(Code::BAD_VALUE, message)
    }

    /// A value of another type than the one required.
    pub fn type_mismatch(message: impl Into<String>) -> Error {
        Error::new(Code::TYPE_MISMATCH, message)
    }

    /// Text or a document that does not have the required form.
    pub fn failed_to_parse(message: impl Into<String>) -> Error {
        Error::new(Code::FAILED_TO_PARSE, message)
    }
}
