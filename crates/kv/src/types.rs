//! Shards, heads and how a store is opened.

use bytes::Bytes;

/// The number of a shard; its keys never mix with those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub u64);

/// A shard's head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of the shard's last change; 0 if there was none.
    pub sequence: u64,
    /// What the caller keeps with it (counts, sizes).
    pub state: Bytes,
}

/// When a write is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Flushed to the disk before the answer.
    Flushed,
    /// Flushed within [`FLUSH_INTERVAL_MS`].
    Soon,
}

/// How long a write with [`Durability::Soon`] waits for its flush at most.
pub const FLUSH_INTERVAL_MS: u64 = 100;

/// Keys begin with this byte or a greater one; what is below belongs to the store itself (the head).
pub const FIRST_KEY_BYTE: u8 = 0x01;

/// How the embedded engine is opened.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The folder, made where it does not exist.
    pub folder: std::path::PathBuf,
    /// Bytes for block cache and write buffers together.
    pub memory_bytes: usize,
}

/// What the engine holds and uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineStats {
    /// Bytes of live files on disk, logs included.
    pub disk_bytes: u64,
    /// Bytes of block cache, write buffers and table readers in memory.
    pub memory_bytes: u64,
    /// Flushes of the log that were made (each one device flush).
    pub flushes: u64,
    /// Commits that were made.
    pub commits: u64,
    /// Bytes of the file system that the folder lies in; 0 if there is none, or it cannot be asked.
    pub volume_bytes: u64,
    /// Those of them that are in use, by whatever files.
    pub volume_used_bytes: u64,
    /// Bytes of it that are kept free.
    pub disk_reserve_bytes: u64,
    /// Whether less is free, so that what adds to the folder is refused.
    pub is_disk_low: bool,
}

/// What becomes of the archive of changes at a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Archiving {
    /// It is kept on if it is kept, and is not in the checkpoint.
    #[default]
    AsItIs,
    /// It is kept from now on; what it has until now is in the checkpoint.
    Keep,
    /// What it has until now is in the checkpoint, and nothing is kept any more.
    End,
}

/// A place in the archive of changes: between two of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchivePosition {
    /// The number of the archive: files of two are never mixed.
    pub archive: u64,
    /// The number of the file that goes on from here.
    pub next: u64,
    /// The moment, in milliseconds since 1970.
    pub at_ms: u64,
}

/// What a replay came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Commits and drops that were made again.
    pub changes: u64,
    /// When the last of them was made at first, in milliseconds since 1970.
    pub last_ms: u64,
}

/// A file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointFile {
    /// Its path within the checkpoint's folder, with slashes.
    pub path: String,
    /// Its bytes. It may have more after them, which are not part of the checkpoint.
    pub bytes: u64,
    /// What it is known by, if its bytes stay what they are in all checkpoints in which it is known by the same, though
    /// more may be added after them.
    pub identity: Option<String>,
}
