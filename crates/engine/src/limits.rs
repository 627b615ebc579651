//! Named limits of the engine; going past one is an error that names it.

// The store keeps these; protocols name them in their errors.
pub use store::{INDEX_FIELDS_MAX, INDEXES_MAX, NAMESPACE_BYTES_MAX};

/// The most cursors that may be open at once.
pub const OPEN_CURSORS_MAX: usize = 100_000;

/// The most cursors of clients at one address that may be open at once.
pub const CURSORS_OF_CLIENT_MAX: usize = 20_000;

/// The approximate memory of an idle cursor, besides the results that it keeps.
pub const CURSOR_BYTES: usize = 4 * 1024;

/// A cursor that is not used for this long is closed, unless it was opened with `noCursorTimeout`.
pub const CURSOR_IDLE_MS_MAX: u64 = 600_000;

/// The most sessions that are remembered at once, however much memory there is (MongoDB's `maxSessions`).
pub const SESSIONS_MAX: usize = 1_000_000;

/// There may be one session for each of this many bytes of the budget. A session takes about 150 bytes, which anybody can have it take.
pub const SESSION_BYTES: usize = 4 << 10;

/// A session that is not used for this long is forgotten, together with what its retries need.
pub const SESSION_IDLE_MINUTES_MAX: u64 = 30;

/// The number of documents in a first batch if the client gives no size.
pub const FIRST_BATCH_DOCUMENTS_DEFAULT: u64 = 101;

/// Bytes of documents in one batch; a larger document makes a batch of its own.
pub const BATCH_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Statements in one write command.
pub const WRITE_BATCH_MAX: usize = 100_000;

/// How long an awaiting tailable cursor waits for data if the client gives no time.
pub const AWAIT_DATA_MS_DEFAULT: u64 = 1_000;

/// How long reads that continue in any case wait for the answers of others to be sent: late is better than never.
pub const PATIENCE_MS_MAX: u64 = 5_000;

/// How often expired documents, sessions and cursors are looked for.
pub const SWEEP_INTERVAL_MS: u64 = 60_000;

/// The most moments that are kept for snapshot reads; the oldest is dropped first.
pub const MOMENTS_MAX: usize = 256;

/// How long a moment is kept for snapshot reads, as long as MongoDB does by default.
pub const MOMENT_MS_MAX: u64 = 300_000;
