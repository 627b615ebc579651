//! The errors of the engine.

use crate::{Head, LogDamage};

/// The operating system's text for EIO, the only trace of it in RocksDB's errors.
const NOT_READ: &str = "Input/output error";

/// An operation of the engine failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The data folder belongs to another process.
    #[error("the data folder {folder} is in use by another process")]
    Locked {
        /// The folder.
        folder: String,
    },
    /// The data folder holds something else.
    #[error(
        "{folder} is not empty and is not a data folder of Larder: name an empty folder, or one that does not exist"
    )]
    Foreign {
        /// The folder.
        folder: String,
    },
    /// The data folder is of a version that is not known here.
    #[error(
        "the data folder {folder} has format {format}, and this version reads formats up to {known}: use a newer version"
    )]
    OtherFormat {
        /// The folder.
        folder: String,
        /// Its format.
        format: u32,
        /// The latest format that is read.
        known: u32,
    },
    /// A restore or a repair into the folder was cut off, or is under way.
    #[error(
        "a restore or a repair into {folder} was cut off, or is under way: if it was cut off, remove the folder, and begin again"
    )]
    HalfRestored {
        /// The folder.
        folder: String,
    },
    /// The log lacks something that was acknowledged.
    #[error("{0}")]
    LogDamaged(Box<LogDamage>),
    /// A write or flush failed before. Nothing more is written until a restart, which reads what really
    /// is on disk.
    #[error("writes are stopped since a write to disk failed ({cause}); check the disk, then restart")]
    Poisoned {
        /// The failure that stopped the writes.
        cause: String,
    },
    /// The disk is nearly full. Writes that add to it are refused until there is room.
    #[error(
        "the disk is nearly full: {free_bytes} bytes are free and {reserve_bytes} are kept for deletes (--disk-reserve); delete or \
         drop something, or make room on the disk, and writes go on"
    )]
    DiskLow {
        /// What is free.
        free_bytes: u64,
        /// What is kept.
        reserve_bytes: u64,
    },
    /// The disk was full at a write, which was not made. Later writes succeed once there is room.
    #[error(
        "the disk is full ({cause}): this write was not made; make room on the disk, and writes go on by themselves within some seconds"
    )]
    DiskFull {
        /// What the system said.
        cause: String,
    },
    /// The disk was full at a flush. What was written is visible to readers, and is safe as soon as there is room.
    #[error(
        "the disk is full ({cause}): what was written is read, but a crash before there is room takes it back; make room on the \
         disk, and it is kept"
    )]
    DiskFullAtFlush {
        /// What the system said.
        cause: String,
    },
    /// The data folder is gone.
    #[error(
        "the data folder {folder} is gone or was replaced while it was open: nothing is read or written any more; put it back, then restart"
    )]
    FolderGone {
        /// Where it was.
        folder: String,
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

impl Error {
    /// Whether something could not be read: its checksum or form is wrong, or the disk failed to read it.
    pub fn is_damage(&self) -> bool {
        match self {
            Error::Corrupt(_) => true,
            Error::Engine { cause, .. } => cause.contains(NOT_READ),
            _ => false,
        }
    }

    /// Whether there was no room on the disk for a write or for its flush, which can be tried again later.
    pub fn is_disk_full(&self) -> bool {
        matches!(self, Error::DiskFull { .. } | Error::DiskFullAtFlush { .. })
    }
}

/// A commit was not made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// Another commit was first: read the head and try again.
    #[error("the shard's head has moved to {}", .0.sequence)]
    HeadMoved(Head),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] Error),
}
