//! The cache of hot files: their entries, and the chunks of files that are not too long.
//!
//! Nothing here is notified of changes. Each item is kept with a number of the collection that it was read from, and is
//! served only as long as the collection still has that number: for entries the head, since every commit may add a newer
//! version of a name; for chunks [`store::Collection::rewrites`], which uploads of other files do not change.

use super::FileEntry;
use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use store::{Collection, Sequence};

/// Entries kept in memory.
const ENTRIES_MAX: usize = 10_000;

/// Chunks of files longer than this are not kept: they would displace many small files.
pub(super) const CACHED_FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// What a chunk takes besides its bytes.
const CHUNK_OVERHEAD_BYTES: u64 = 128;

/// Entries and chunks of hot files.
pub(crate) struct FileCache {
    entries: Cache<EntryKey, KeptEntry>,
    chunks: Cache<ChunkKey, KeptChunk, ByBytes>,
    bytes_max: u64,
}

/// An entry that is looked up: the key of the entries in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    /// The version of a name.
    Name(String, i64),
    /// The id, encoded.
    Id(Vec<u8>),
}

/// A question about a collection of entries, known by its UUID.
type EntryKey = ([u8; 16], Wanted);

/// A chunk: the UUID of its collection, the encoded id of its file, its number.
type ChunkKey = ([u8; 16], Arc<[u8]>, u64);

#[derive(Clone)]
struct KeptEntry {
    head: Sequence,
    entry: Arc<FileEntry>,
}

#[derive(Clone)]
struct KeptChunk {
    rewrites: u64,
    bytes: Bytes,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<ChunkKey, KeptChunk> for ByBytes {
    fn weight(&self, key: &ChunkKey, chunk: &KeptChunk) -> u64 {
        (key.1.len() + chunk.bytes.len()) as u64 + CHUNK_OVERHEAD_BYTES
    }
}

impl FileCache {
    /// An empty cache for this many bytes of chunks.
    pub(crate) fn new(bytes_max: usize) -> FileCache {
        let chunks_expected = bytes_max / super::CHUNK_BYTES_DEFAULT as usize + 1;
        FileCache {
            entries: Cache::new(ENTRIES_MAX),
            chunks: Cache::with_weighter(chunks_expected, bytes_max as u64, ByBytes),
            bytes_max: bytes_max as u64,
        }
    }

    /// The entry, if nothing was committed since it was read.
    pub(super) fn entry(&self, files: &Collection, wanted: &Wanted) -> Option<Arc<FileEntry>> {
        let kept = self.entries.get(&(files.uuid(), wanted.clone()))?;
        (kept.head == files.head()).then_some(kept.entry)
    }

    /// Keeps an entry that was read when the collection's head was `head`. If it is the same as the one that was kept, that
    /// one stays and is returned, with what is known about its bytes.
    pub(super) fn keep_entry(
        &self,
        files: &Collection,
        wanted: Wanted,
        head: Sequence,
        entry: FileEntry,
    ) -> Arc<FileEntry> {
        let key = (files.uuid(), wanted);
        let kept = self.entries.get(&key).map(|kept| kept.entry);
        let entry = match kept {
            Some(kept) if kept.is_same(&entry) => kept,
            _ => Arc::new(entry),
        };
        let kept = KeptEntry {
            head,
            entry: entry.clone(),
        };
        self.entries.insert(key, kept);
        entry
    }

    /// The bytes of a chunk, if chunks were only added since it was read.
    pub(super) fn chunk(&self, chunks: &Collection, file: &Arc<[u8]>, number: u64) -> Option<Bytes> {
        let kept = self.chunks.get(&(chunks.uuid(), file.clone(), number))?;
        (kept.rewrites == chunks.rewrites()).then_some(kept.bytes)
    }

    /// Keeps a chunk that was read when the collection had this number of rewrites.
    pub(super) fn keep_chunk(
        &self,
        chunks: &Collection,
        file: &Arc<[u8]>,
        number: u64,
        rewrites: u64,
        bytes: Bytes,
    ) {
        let key = (chunks.uuid(), file.clone(), number);
        self.chunks.insert(key, KeptChunk { rewrites, bytes });
    }

    /// The bytes that are left.
    pub(crate) fn idle_bytes(&self) -> usize {
        self.bytes_max.saturating_sub(self.chunk_bytes()) as usize
    }

    /// Bytes of chunks in memory.
    pub(crate) fn chunk_bytes(&self) -> u64 {
        self.chunks.weight()
    }
}

impl std::fmt::Debug for FileCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileCache")
            .field("entries", &self.entries.len())
            .field("chunk_bytes", &self.chunk_bytes())
            .finish()
    }
}
