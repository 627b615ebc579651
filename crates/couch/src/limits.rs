//! The limits of the protocol, one constant each.

/// The bytes of a request's body, where it is no attachment (CouchDB's `max_http_request_size` is far more; a batch of
/// documents is kept in memory until it is written).
pub const BODY_BYTES_MAX: usize = 128 * 1024 * 1024;

/// The bytes of the attachments that are given within a document's JSON, which has to be in memory for that.
pub const INLINE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// The documents or rows that are read at once while an answer is made.
pub const PAGE_ROWS: usize = 1_000;

/// The most rows that a query may ask for where no setting says less, as in CouchDB.
pub const ROWS_MAX: u64 = 1 << 28;

/// The bytes of documents past which a partition takes none that let it grow, where `[couchdb] max_partition_size` says nothing:
/// CouchDB's 10 GiB.
pub const PARTITION_BYTES_MAX: i64 = 10 << 30;

/// The documents before a start key that `_all_docs` counts to tell an offset; after more of them it is `null`.
pub const OFFSET_COUNTED_MAX: u64 = 1_000;

/// The changes after those of an answer that are counted one by one; of more, the numbers are counted.
pub const PENDING_COUNTED_MAX: u64 = 1_000;

/// The bytes of documents that are read for that.
pub const PENDING_BYTES_MAX: usize = 1024 * 1024;

/// The bytes of an answer that are gathered before they are sent, and the bytes of documents that are read ahead, where its client
/// does not take all at once.
pub const CHUNK_BYTES: usize = 8 * 1024;

/// The bytes of an answer past which they are sent in several pieces.
pub const PIECES_BYTES: usize = 64 * 1024;

/// The bytes of documents that are read at once, where their client takes all at once; the last one may go beyond.
pub const PAGE_BYTES: usize = 1024 * 1024;

/// The ids that `_uuids` makes at once (CouchDB's `max_count`).
pub const UUIDS_MAX: usize = 1_000;

/// The databases that one `_dbs_info` may name (CouchDB's `max_db_number_for_dbs_info_req`).
pub const DBS_INFO_MAX: usize = 100;

/// The revisions of a branch that a new database remembers (CouchDB's `revs_limit`).
pub const REVISIONS_KEPT_DEFAULT: u32 = 1_000;

/// How long a feed waits at most, for a change or before it sends a sign of life, in milliseconds, where no setting says otherwise
/// (CouchDB's `changes_timeout`).
pub const CHANGES_TIMEOUT_MS: u64 = 60_000;

/// The same whatever the setting says: a day.
pub const CHANGES_TIMEOUT_MS_MAX: u64 = 24 * 60 * 60 * 1_000;

/// The feeds that may have a page of changes in memory at once: one change wakes all of them, and there may be thousands.
pub const FEED_PAGES_MAX: usize = 128;

/// The dropped databases that `_db_updates` remembers.
pub const DATABASES_DROPPED_KEPT_MAX: usize = 10_000;

/// The replications that run or wait at once.
pub const REPLICATIONS_MAX: usize = 1_000;
