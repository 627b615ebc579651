//! What is wrong with a search, or with a document for an index.

use code::Code;

/// An error with MongoDB's code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    /// The code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
}

impl TextError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> TextError {
        TextError {
            code,
            message: message.into(),
        }
    }
}
