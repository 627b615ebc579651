//! What can go wrong with an index.

/// What has gone wrong.
#[derive(Debug, thiserror::Error)]
pub enum FulltextError {
    /// The engine of the index says so.
    #[error("the full-text index: {0}")]
    Engine(#[from] tantivy::TantivyError),
    /// A file cannot be read or written.
    #[error("the folder of a full-text index: {0}")]
    File(#[from] std::io::Error),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, FulltextError>;
