//! The limits of the protocols, one constant each.

use std::time::Duration;

/// The bytes of a value that a document can hold; a larger one is a file.
pub(crate) const VALUE_BYTES_MAX: usize = 15 * 1024 * 1024;

/// The bytes of one message: a value with what belongs to it. Larger values come by HTTP.
pub(crate) const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The bytes of a message that is taken off the connection to be refused; a larger one ends the connection.
pub(crate) const SKIPPED_BYTES_MAX: usize = 256 * 1024 * 1024;

/// The bytes of a message of a client who has to log in first.
pub(crate) const STRANGER_BYTES_MAX: usize = 64 * 1024;

/// The bytes of a key or of a bucket's name (Riak's limit of keys).
pub(crate) const NAME_BYTES_MAX: usize = 32 * 1024;

/// The bytes of the values that pipelined puts may replace in one commit; a put that would exceed them is written by itself.
pub(crate) const REPLACED_BYTES_TOGETHER_MAX: usize = 4 * 1024 * 1024;

/// The siblings of one object by default; a put that would make more is refused (Riak's `max_siblings`).
pub(crate) const SIBLINGS_MAX: usize = 100;

/// The bytes of JSON that is read as loosely as Riak reads it: a copy that is strict takes up to six times as many.
pub(crate) const LOOSE_JSON_BYTES_MAX: usize = 1024 * 1024;

/// How long clients are told that an object was deleted, unless a setting says otherwise (Riak's `delete_mode`).
pub(crate) const DELETIONS_TOLD: Duration = Duration::from_secs(3);

/// The elements and fields that one change of a data type names: each takes a hundred times its bytes while it is worked on.
pub(crate) const CHANGE_ELEMENTS_MAX: usize = 50_000;

/// The entries of a vector clock that a client sends.
pub(crate) const CLOCK_ENTRIES_MAX: usize = 1_000;

/// How often a write is tried that finds the document changed meanwhile by another protocol.
pub(crate) const RETRIES_MAX: usize = 100;

/// The keys of one message or chunk of a listing.
pub(crate) const LISTED_AT_ONCE: usize = 500;

/// The bytes of documents that are read at once while keys are listed.
pub(crate) const PAGE_BYTES: usize = 1024 * 1024;

/// The bytes of a regular expression that terms have to match.
pub(crate) const PATTERN_BYTES_MAX: usize = 4 * 1024;

/// How many revisions of a branch a new bucket remembers.
pub(crate) const REVISIONS_KEPT: u32 = 1_000;
