//! Shards, heads, and the options with which a store is opened.

use bytes::Bytes;

/// The number of a shard; its keys never mix with those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub u64);

/// A shard's head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of the shard's last change; 0 if there was none.
    pub sequence: u64,
    /// What the caller keeps with it, such as counts and sizes.
    pub state: Bytes,
}

/// When a write is flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Flushed to the disk before the answer.
    Flushed,
    /// Flushed within [`FLUSH_INTERVAL_MS`].
    Soon,
}

/// The longest time that a write with [`Durability::Soon`] waits for its flush.
pub const FLUSH_INTERVAL_MS: u64 = 100;

/// Keys begin with this byte or a greater one. Lower ones belong to the store itself, such as the head.
pub const FIRST_KEY_BYTE: u8 = 0x01;

/// How the embedded engine is opened.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The folder, which is made if it does not exist.
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
    /// The number of flushes of the log, each of which is one flush of the device.
    pub flushes: u64,
    /// The number of commits.
    pub commits: u64,
    /// Bytes of the folder's file system; 0 if that is not known.
    pub volume_bytes: u64,
    /// Bytes in use in that file system, by any files.
    pub volume_used_bytes: u64,
    /// Bytes of it that are kept free.
    pub disk_reserve_bytes: u64,
    /// Whether less than that is free, so that writes that add to the folder are refused.
    pub is_disk_low: bool,
}

/// What a checkpoint does with the archive of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Archiving {
    /// Leaves it as it is, kept or not. It is not part of the checkpoint.
    #[default]
    AsItIs,
    /// Keeps it from now on. What it has so far is part of the checkpoint.
    Keep,
    /// Ends it. What it has so far is part of the checkpoint.
    End,
}

/// A position in the archive of changes, between two of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchivePosition {
    /// The archive's id. Files of different archives are never mixed.
    pub archive: u64,
    /// The number of the file that begins here.
    pub next: u64,
    /// The moment, in milliseconds since 1970.
    pub at_ms: u64,
}

/// The result of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The number of commits and drops that were replayed.
    pub changes: u64,
    /// When the last of them was originally made, in milliseconds since 1970.
    pub last_ms: u64,
}

/// A file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointFile {
    /// Its path within the checkpoint's folder, with slashes.
    pub path: String,
    /// The number of its bytes. The file may have more after them, which are not part of the checkpoint.
    pub bytes: u64,
    /// Identifies the file across checkpoints: files with the same identity begin with the same bytes, though more may have been
    /// added. `None` if the file has no such identity.
    pub identity: Option<String>,
}
