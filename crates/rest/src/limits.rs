//! Limits of what all requests share.

/// The bytes of a request's body at most, decompressed.
pub const BODY_BYTES_MAX: usize = 100 << 20;
/// The bytes of an index's name at most.
pub(crate) const NAME_BYTES_MAX: usize = 255;
/// The revisions of a document that an index remembers, as databases of CouchDB do.
pub(crate) const REVISIONS_KEPT: u32 = 1000;
/// Templates, pipelines and the like at most.
pub(crate) const KEPT_MAX: usize = 10_000;
/// Scrolls and points in time at most.
pub(crate) const CONTEXTS_MAX: usize = 500;
