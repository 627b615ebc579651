//! Limits of the protocol's endpoints.

/// The operations of one `_bulk` that are committed together.
pub(crate) const BULK_COMMIT_MAX: usize = 1000;
/// Documents of one `_mget` at most.
pub(crate) const MGET_DOCUMENTS_MAX: usize = 10_000;
/// The searches of one `_msearch` at most.
pub(crate) const SEARCHES_MAX: usize = 1000;
/// The documents from which on a collection has a full-text index.
pub(crate) const INDEXED_DOCUMENTS_MIN: u64 = 1000;
/// How long a scroll or a point in time is kept at most, where the setting `search.max_keep_alive` says nothing.
pub(crate) const KEEP_ALIVE_MAX: std::time::Duration = std::time::Duration::from_secs(24 * 3600);
