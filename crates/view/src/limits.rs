//! The limits of views, one constant each.

/// How long a function may run for one document, or one reduction (CouchDB's `os_process_timeout`).
pub const SCRIPT_TIME_MS: u64 = 5_000;

/// The memory of one thread of a program, documents at hand included (CouchDB gives its query server as much).
pub const SCRIPT_MEMORY_BYTES: usize = 64 << 20;

/// The memory that a thread of a program has at first; it gets more where that is too little.
pub const SCRIPT_MEMORY_BYTES_FIRST: usize = 4 << 20;

/// The part of the memory for functions of design documents that one list function may have: all of them half, so that those
/// which wait for their readers leave room for other functions.
pub const LIST_PART_OF_MEMORY: usize = 2 * LISTS_MAX;

/// What a list function has where that part is less.
pub const LIST_MEMORY_BYTES_MIN: usize = 1 << 20;

/// How often an idle thread looks whether others want its memory.
pub const SCRIPT_LOOK_MS: u64 = 200;

/// The threads of one program.
pub const SCRIPT_WORKERS_MAX: usize = 4;

/// How long the thread of a program waits for a call before it ends.
pub const SCRIPT_IDLE_MS_MAX: u64 = 10_000;

/// The JSON text of documents in one call of a map function, past which no further document is added.
pub const MAP_BATCH_BYTES: usize = 512 << 10;

/// The documents in one call of a map function.
pub const MAP_BATCH_DOCUMENTS: usize = 1_000;

/// The memory of rows that an update gathers before it writes them.
pub const UPDATE_ROUND_BYTES: usize = 64 << 20;

/// The threads that compress the pages of an update.
pub const PAGE_WORKERS_MAX: usize = 4;

/// What a row that an update gathered takes in memory besides its key, id and value, about.
pub const ROW_OVERHEAD_BYTES: usize = 160;

/// What it takes besides while it is written: a change of its tree.
pub const WRITTEN_ROW_OVERHEAD_BYTES: usize = 160;

/// What a document that an update gathered takes besides its id and rows, about.
pub const DOCUMENT_OVERHEAD_BYTES: usize = 80;

/// What a leaf page of a view holds before it is split, uncompressed.
pub const LEAF_BYTES_MAX: usize = 64 << 10;

/// What an inner page of a view holds before it is split, uncompressed.
pub const INNER_BYTES_MAX: usize = 16 << 10;

/// The size of a reduction that may not be half of its input or more, where nobody says otherwise (CouchDB's
/// `reduce_limit_threshold`).
pub const REDUCE_LIMIT_BYTES: usize = 5_000;

/// By how much a reduction has to be smaller than its input, likewise (CouchDB's `reduce_limit_ratio`).
pub const REDUCE_LIMIT_RATIO: f64 = 2.0;

/// How deep a key may be nested.
pub const KEY_DEPTH_MAX: usize = 128;

/// The list functions that run at once; each has a thread and memory of its own while its answer is read.
pub const LISTS_MAX: usize = 8;

/// What a list function sends before its reader is waited for, rows being there.
pub const LIST_TEXT_BYTES: usize = 16 << 10;

/// What rows of leaves come to, kept for the next grouped reduction: at most this.
pub const RUNS_BYTES: usize = 32 << 20;

/// And at most this part of `--memory`.
pub const RUNS_SHARE_OF_MEMORY: usize = 64;

/// What the runs of a leaf take in memory besides their bytes, about.
pub const RUNS_OVERHEAD_BYTES: usize = 256;

/// Decoded pages of views, kept for the next query: at most this.
pub const PAGES_BYTES: usize = 64 << 20;

/// And at most this part of `--memory`.
pub const PAGES_SHARE_OF_MEMORY: usize = 32;
