//! Limits of the protocol.

/// The bytes of a request's body at most, decompressed.
pub(crate) const BODY_BYTES_MAX: usize = 100 << 20;
/// The bytes of an index's name at most.
pub(crate) const NAME_BYTES_MAX: usize = 255;
/// The revisions of a document that an index remembers, as databases of CouchDB do.
pub(crate) const REVISIONS_KEPT: u32 = 1000;
/// The operations of one `_bulk` that are committed together.
pub(crate) const BULK_COMMIT_MAX: usize = 1000;
/// Documents of one `_mget` at most.
pub(crate) const MGET_DOCUMENTS_MAX: usize = 10_000;
/// Templates, pipelines and the like at most.
pub(crate) const KEPT_MAX: usize = 10_000;
/// The searches of one `_msearch` at most.
pub(crate) const SEARCHES_MAX: usize = 1000;
/// The documents from which on a collection has a full-text index.
pub(crate) const INDEXED_DOCUMENTS_MIN: u64 = 1000;
/// Scrolls and points in time at most.
pub(crate) const CONTEXTS_MAX: usize = 500;
/// How long a scroll or a point in time is kept at most, where the setting `search.max_keep_alive` says nothing.
pub(crate) const KEEP_ALIVE_MAX: std::time::Duration = std::time::Duration::from_secs(24 * 3600);
