//! The limits of the store, one constant each.

/// The BSON bytes of one document (MongoDB's limit).
pub const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The indexes of one collection, `_id_` counted (MongoDB's limit).
pub const INDEXES_MAX: usize = 64;

/// The fields of one compound index (MongoDB's limit).
pub const INDEX_FIELDS_MAX: usize = 32;

/// The bytes of a database's name (MongoDB's limit).
pub const DATABASE_NAME_BYTES_MAX: usize = 63;

/// The bytes of database and collection name together, the dot counted (MongoDB's limit).
pub const NAMESPACE_BYTES_MAX: usize = 255;

/// The number of earlier revisions that the header of a record or tombstone can name; more than these are in a tree beside
/// it.
pub const REVISION_ANCESTORS_MAX: usize = 20;

/// The revisions of a branch that a collection remembers by default.
pub const REVISIONS_KEPT_DEFAULT: usize = REVISION_ANCESTORS_MAX + 1;

/// The bodies of superseded revisions that a document edited by revisions keeps until it is compacted.
pub const SUPERSEDED_BODIES_MAX: usize = 10;

/// The operations that one group commit takes, beyond which waiting requests go into the next one.
pub const GROUP_OPERATIONS_MAX: usize = 20_000;

/// The bytes of documents that one group commit takes, beyond which waiting requests go into the next one.
pub const GROUP_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How often a group is tried again when another process has committed first.
pub const COMMIT_ATTEMPTS_MAX: usize = 100;

/// The records that one step of an index build reads, so that writers wait only shortly for it.
pub const BUILD_PAGE_RECORDS: usize = 4_000;

/// The bytes of records that one step of an index build reads.
pub const BUILD_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The entries that one step of clearing a dropped index removes.
pub const CLEAR_PAGE_ENTRIES: usize = 5_000;

/// The documents that one commit of the sweep deletes.
pub const SWEEP_PAGE_RECORDS: usize = 1_000;

/// How long a session's executed statements are kept for retries (MongoDB's session lifetime).
pub const STATEMENTS_KEPT_MS: u64 = 30 * 60 * 1000;

/// How long the tombstone of a deleted document is kept.
pub const TOMBSTONES_KEPT_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// The entries that an estimate counts one by one; beyond these it goes by sizes on disk.
pub const ESTIMATE_ENTRIES_MAX: usize = 512;

/// The findings that one validation lists; further ones are only counted.
pub const VALIDATE_FINDINGS_MAX: usize = 100;

/// How often all tombstones of a collection are looked at.
pub const TOMBSTONES_SWEPT_EVERY_MS: u64 = 60 * 60 * 1000;

/// By how much a sequential id rises at most. It rises by half of this on average, so its random part stays for 8,000 calls.
pub const SEQUENTIAL_STEP_MAX: u32 = 0xFFE;

/// The ended branches of a document that are remembered where writers resolve siblings all the time.
pub const ENDED_BRANCHES_MAX: usize = 100;
