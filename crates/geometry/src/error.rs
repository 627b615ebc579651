//! What is wrong with a geometry.

use code::Code;

/// Why a value is no geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryError {
    /// MongoDB's code.
    pub code: Code,
    /// The same in words.
    pub message: String,
}

impl GeometryError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> GeometryError {
        GeometryError {
            code,
            message: message.into(),
        }
    }
}

impl std::fmt::Display for GeometryError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for GeometryError {}

pub(crate) type Result<T> = std::result::Result<T, GeometryError>;

/// The commonest error: a bad value.
pub(crate) fn wrong<T>(message: impl Into<String>) -> Result<T> {
    Err(GeometryError::new(Code::BAD_VALUE, message))
}
