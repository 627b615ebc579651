//! Limits of indices.

/// How often a write is tried again that others came before.
pub(crate) const RETRIES_MAX: usize = 100;
/// The bytes of a document's id at most.
pub(crate) const ID_BYTES_MAX: usize = 512;
/// Changes that are read together where a mapping follows its documents.
pub(crate) const CHANGES_PAGE: usize = 1000;
