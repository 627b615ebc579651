//! Limits of indices.

/// How often a write is tried again after other writes of its document came first.
pub(crate) const RETRIES_MAX: usize = 100;
/// How long a document's id may be, in bytes.
pub(crate) const ID_BYTES_MAX: usize = 512;
/// How many changes are read at a time while a mapping follows its documents.
pub(crate) const CHANGES_PAGE: usize = 1000;
