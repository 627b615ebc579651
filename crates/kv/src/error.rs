//! What can go wrong.

use crate::Head;

/// An operation of the engine failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The data folder belongs to another process.
    #[error("the data folder {folder} is in use by another process")]
    Locked {
        /// The folder.
        folder: String,
    },
    /// A write or flush failed before; nothing is written any more until a restart, which reads what really
    /// is on disk.
    #[error("writes are stopped since a write to disk failed ({cause}); check the disk, then restart")]
    Poisoned {
        /// The failure that stopped the writes.
        cause: String,
    },
    /// The store was closed (or, simulated, has crashed).
    #[error("the store is closed")]
    Closed,
    /// What was read does not match its checksum or form.
    #[error("corrupt data: {0}")]
    Corrupt(String),
    /// The engine's own words for anything else.
    #[error("{doing}: {cause}")]
    Engine {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        cause: String,
    },
}

/// A commit was not made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// Somebody else committed first: read again and try again.
    #[error("the shard's head has moved to {}", .0.sequence)]
    HeadMoved(Head),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] Error),
}
