//! What the store refuses.

use value::Document;

/// An operation that the store refused or that failed below it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A unique key is taken.
    #[error("E11000 duplicate key error collection: {namespace} index: {index} dup key: {}", value::json::to_string(.key.into(), value::json::Mode::Relaxed))]
    DuplicateKey {
        /// The collection's full name.
        namespace: String,
        /// The index's name.
        index: String,
        /// The index's key pattern.
        pattern: Document,
        /// The key that is taken: field names with values.
        key: Document,
    },
    /// The collection exists.
    #[error("Collection {0} already exists.")]
    NamespaceExists(String),
    /// The collection does not exist.
    #[error("ns not found: {0}")]
    NamespaceNotFound(String),
    /// The collection was dropped while the operation waited.
    #[error("collection dropped: {0}")]
    CollectionDropped(String),
    /// A caller's transformation refused the change, in the caller's own code and words.
    #[error("{message}")]
    Refused {
        /// The caller's error code.
        code: i32,
        /// The caller's message.
        message: String,
    },
    /// The key-value store failed.
    #[error(transparent)]
    Kv(#[from] kv::Error),
}
