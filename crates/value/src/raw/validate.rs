//! The one check that bytes are a document.

/// How deep documents and arrays may be nested (MongoDB's limit).
pub const NESTING_DEPTH_MAX: usize = 180;

/// Why bytes are not a valid document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid BSON at byte {offset}: {what}")]
pub struct RawError {
    /// Where in the bytes.
    pub offset: usize,
    /// What is wrong.
    pub what: &'static str,
}

pub(super) fn document(_bytes: &[u8]) -> Result<(), RawError> {
    todo!("value helper")
}
