//! Errors in zones, units and formats, with MongoDB's codes and messages.

use code::Code;

/// A zone, unit, amount or format that is wrong, or a date that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// MongoDB's error code.
    pub code: Code,
    /// MongoDB's message.
    pub message: String,
}

/// The result of reading, writing or computing with dates.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
        }
    }
}
