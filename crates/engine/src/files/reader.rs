//! Reading a file, or a part of it, as a stream of chunks.

use super::access::{chunk_key, index_on};
use super::chunk::Chunk;
use super::digest::Digester;
use super::entry::id_text;
use super::{Bucket, DigestKind, FileCache, FileEntry, FileError, Files, cache};
use crate::context::Context;
use crate::engine::Engine;
use crate::error::Error;
use crate::reading::find::FindRequest;
use bytes::Bytes;
use code::Code;
use std::collections::VecDeque;
use std::ops::{Bound, Range};
use std::sync::Arc;
use store::{Collection, Index, KeyRange, Order, PageLimit, Snapshot};
use value::{Value, doc, key};

/// The bytes that a reader reads from the store at once; a larger chunk is read alone.
const PAGE_BYTES: u64 = 1024 * 1024;

/// The bytes of a range of a file, read on demand.
///
/// Pieces are checked as they are read: each chunk's checksum if it comes from the disk, and the chunks' numbers and
/// lengths. If a whole file is read that is not verified yet, so is its digest, before the last piece is returned.
#[derive(Debug)]
pub struct FileReader {
    engine: Engine,
    bucket: Bucket,
    entry: Arc<FileEntry>,
    chunks: Arc<Collection>,
    /// The file's id as a key.
    file: Arc<[u8]>,
    /// The range that is still to be read.
    rest: Range<u64>,
    ready: VecDeque<Bytes>,
    check: Option<Check>,
}

/// The digest of what was read so far.
#[derive(Debug)]
struct Check {
    digester: Digester,
    /// The `rewrites` of the chunks at the first page.
    rewrites: u64,
}

impl Files {
    /// Opens a file for reading a range of bytes, which is cut at the end of the file.
    pub fn open(&self, entry: &Arc<FileEntry>, range: Range<u64>) -> Result<FileReader, FileError> {
        let Some(chunks) = self.chunks() else {
            return Err(match self.engine.store().collection(&self.bucket.files()) {
                None => FileError::Deleted(id_text(&entry.id)),
                Some(_) => {
                    let what = "the bucket has no collection of chunks".to_owned();
                    entry.damaged(&self.bucket, what)
                }
            });
        };
        let end = range.end.min(entry.length);
        let rest = range.start.min(end)..end;
        let mut file = Vec::new();
        key::encode(entry.id.as_ref(), key::Direction::Ascending, &mut file);
        let rewrites = chunks.rewrites();
        let whole = rest == (0..entry.length) && entry.digests.get(DigestKind::Blake3).is_some();
        let check = (whole && !entry.is_verified(rewrites)).then(|| Check {
            digester: Digester::new(&[]),
            rewrites,
        });
        Ok(FileReader {
            engine: self.engine.clone(),
            bucket: self.bucket.clone(),
            entry: entry.clone(),
            chunks,
            file: file.into(),
            rest,
            ready: VecDeque::new(),
            check,
        })
    }
}

impl FileReader {
    /// The next bytes; `None` at the end. After an error the rest cannot be read.
    pub async fn next(&mut self) -> Result<Option<Bytes>, FileError> {
        if let Some(piece) = self.ready.pop_front() {
            return Ok(Some(piece));
        }
        if self.rest.is_empty() {
            return Ok(None);
        }
        if let Err(error) = self.fill().await {
            return Err(self.explained(error).await);
        }
        Ok(self.ready.pop_front())
    }

    /// The reason why the file could not be read. A reader has no snapshot, so another client may have deleted the file meanwhile.
    async fn explained(&self, error: FileError) -> FileError {
        if !matches!(error, FileError::Damaged { .. }) {
            return error;
        }
        let files = self.engine.files(self.bucket.clone());
        match files.find_id(&self.entry.id).await {
            Ok(None) => FileError::Deleted(id_text(&self.entry.id)),
            Ok(Some(_)) => {
                tracing::error!(%error, "a file could not be read");
                error
            }
            Err(other) => other,
        }
    }

    /// The next bytes if they are in memory and checked. `None` does not mean that the end is reached.
    pub fn next_in_memory(&mut self) -> Option<Bytes> {
        if self.ready.is_empty() && self.check.is_none() {
            let number = self.number();
            let kept = self.cache().chunk(&self.chunks, &self.file, number);
            if let Some(chunk) = kept.filter(|_| !self.rest.is_empty()) {
                self.push(number, &chunk);
            }
        }
        self.ready.pop_front()
    }

    /// The bytes that were not returned yet.
    pub fn remaining(&self) -> u64 {
        let ready: usize = self.ready.iter().map(Bytes::len).sum();
        self.rest.end - self.rest.start + ready as u64
    }

    fn cache(&self) -> &FileCache {
        self.engine.file_cache()
    }

    /// The number of the chunk that holds the next byte.
    fn number(&self) -> u64 {
        self.rest.start / u64::from(self.entry.chunk_bytes)
    }

    /// Reads the next chunks: those in memory, or else a page from the store.
    async fn fill(&mut self) -> Result<(), FileError> {
        while !self.rest.is_empty() && self.remaining_ready() < PAGE_BYTES {
            let number = self.number();
            match self.cache().chunk(&self.chunks, &self.file, number) {
                Some(chunk) => self.take(number, &chunk)?,
                None if self.ready.is_empty() => return self.read_page(number).await,
                None => break,
            }
        }
        Ok(())
    }

    fn remaining_ready(&self) -> u64 {
        self.ready.iter().map(|piece| piece.len() as u64).sum()
    }

    async fn read_page(&mut self, first: u64) -> Result<(), FileError> {
        let last = (self.rest.end - 1) / u64::from(self.entry.chunk_bytes);
        let count = (last - first + 1).min(PAGE_BYTES.div_ceil(self.entry.chunk_bytes.into()));
        let (found, rewrites) = self.read(first, count).await?;
        let is_kept = self.entry.length <= cache::CACHED_FILE_BYTES_MAX;
        for (number, chunk) in (first..first + count).zip(found) {
            let expected = self.entry.chunk_length(number);
            if chunk.number != number as i64 {
                return Err(self.damaged(format!("its chunk {number} is missing")));
            }
            if chunk.data.len() as u64 != expected {
                let what = format!(
                    "its chunk {number} has {} bytes, not {expected}",
                    chunk.data.len()
                );
                return Err(self.damaged(what));
            }
            if is_kept {
                let kept = chunk.data.clone();
                self.cache()
                    .keep_chunk(&self.chunks, &self.file, number, rewrites, kept);
            }
            self.take(number, &chunk.data)?;
        }
        if is_kept {
            self.engine.store().give_back_memory();
        }
        if self.ready.is_empty() {
            return Err(self.damaged(format!("its chunk {first} is missing")));
        }
        Ok(())
    }

    /// Up to this many chunks from a number on, and the collection's `rewrites` when they were read.
    async fn read(&self, first: u64, count: u64) -> Result<(Vec<Chunk>, u64), FileError> {
        let Some(index) = index_on(&self.chunks, &chunk_key()) else {
            return self.read_without_index(first, count).await;
        };
        let snapshot = self.chunks.snapshot().await?;
        let chunks = read_by_index(&snapshot, &index, &self.file, first, count).await?;
        let chunks = chunks.ok_or_else(|| self.damaged("a document among its chunks is none".to_owned()))?;
        Ok((chunks, snapshot.rewrites()))
    }

    /// As [`FileReader::read`], for a bucket without the drivers' index: its files are slow to read, but not lost.
    async fn read_without_index(&self, first: u64, count: u64) -> Result<(Vec<Chunk>, u64), FileError> {
        let rewrites = self.chunks.rewrites();
        let numbers = doc! {"$gte": first as i64, "$lt": (first + count) as i64};
        let request = FindRequest {
            filter: doc! {"files_id": doc! {"$eq": self.entry.id.clone()}, "n": numbers},
            sort: doc! {"n": 1},
            limit: Some(count),
            single_batch: true,
            ..FindRequest::default()
        };
        let context = Context::default();
        let reply = self
            .engine
            .find(&context, &self.bucket.chunks(), &request)
            .await?;
        let chunks: Option<Vec<Chunk>> = reply.batch.iter().map(Chunk::read).collect();
        let chunks = chunks.ok_or_else(|| self.damaged("a document among its chunks is none".to_owned()))?;
        Ok((chunks, rewrites))
    }

    /// Checks a whole chunk, and makes the part of it that is in the range ready.
    fn take(&mut self, number: u64, chunk: &Bytes) -> Result<(), FileError> {
        if let Some(check) = &mut self.check {
            check.digester.update(chunk);
            if number + 1 >= self.entry.chunks() {
                self.finish_check()?;
            }
        }
        self.push(number, chunk);
        Ok(())
    }

    /// Makes the part of a chunk that is in the range ready.
    fn push(&mut self, number: u64, chunk: &Bytes) {
        let start = number * u64::from(self.entry.chunk_bytes);
        let from = (self.rest.start - start) as usize;
        let to = (self.rest.end - start).min(chunk.len() as u64) as usize;
        self.ready.push_back(chunk.slice(from.min(to)..to));
        self.rest.start = (start + to as u64).min(self.rest.end);
    }

    /// Compares the digest of all that was read with the entry's.
    fn finish_check(&mut self) -> Result<(), FileError> {
        let Some(check) = self.check.take() else {
            return Ok(());
        };
        let found = check.digester.finish();
        if let Some(kind) = found.difference(&self.entry.digests) {
            self.ready.clear();
            return Err(self.damaged(format!("its bytes do not have its {kind} digest")));
        }
        if self.chunks.rewrites() == check.rewrites {
            self.entry.set_verified(check.rewrites);
        }
        Ok(())
    }

    fn damaged(&self, what: String) -> FileError {
        self.entry.damaged(&self.bucket, what)
    }
}

/// Up to this many chunks of a file from a number on. `None` if a document is no chunk.
pub(super) async fn read_by_index(
    snapshot: &Snapshot,
    index: &Index,
    file: &[u8],
    first: u64,
    count: u64,
) -> Result<Option<Vec<Chunk>>, FileError> {
    let bound = |number: u64| {
        let mut bound = file.to_vec();
        let number = Value::Int64(number as i64);
        key::encode(number.as_ref(), key::Direction::Ascending, &mut bound);
        bound
    };
    let range = KeyRange {
        low: Bound::Included(bound(first)),
        high: Bound::Included(bound(first + count - 1)),
    };
    let limit = PageLimit {
        entries: count as usize,
        ..PageLimit::default()
    };
    let page = snapshot.entries(index, &range, Order::Forward, limit).await?;
    let records: Vec<_> = page.iter().map(|entry| entry.record).collect();
    let found = snapshot.by_records(&records).await?;
    let missing = || Error::new(Code::INTERNAL_ERROR, "an index names a chunk that does not exist");
    let documents: Vec<_> = found
        .into_iter()
        .map(|record| record.map(|record| record.document).ok_or_else(missing))
        .collect::<Result<_, _>>()?;
    Ok(documents.iter().map(Chunk::read).collect())
}
