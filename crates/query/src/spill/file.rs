//! One temporary file: written once, then read once.
//!
//! Records are collected into blocks, so that a small record costs no system call. Each block has a checksum, so that a disk
//! that returns wrong bytes causes an error and not a wrong answer. Nothing is flushed, since after a crash a file is of no use
//! to anybody.

use super::folder::io_error;
use super::quota::Quota;
use crate::{Code, QueryError, Result};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// A block is written after this many bytes of records.
const BLOCK_BYTES: usize = 64 * 1024;

/// Bytes of a block's length and checksum.
const HEADER_BYTES: usize = 8;

/// A file that is removed when it is no longer used.
#[derive(Debug)]
pub(super) struct Temporary {
    /// `None` during a pause.
    file: Option<File>,
    path: PathBuf,
    bytes: u64,
    quota: Arc<Quota>,
}

impl Temporary {
    pub(super) fn create(path: PathBuf, quota: Arc<Quota>) -> io::Result<Temporary> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        Ok(Temporary {
            file: Some(file),
            path,
            bytes: 0,
            quota,
        })
    }

    /// The file, open.
    pub(super) fn file(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => OpenOptions::new().read(true).write(true).open(&self.path)?,
        };
        Ok(self.file.insert(file))
    }

    /// Closes the file until it is used again.
    pub(super) fn rest(&mut self) {
        self.file = None;
    }

    /// Reserves room for bytes that are about to be written. Returns where they begin.
    pub(super) fn grow(&mut self, bytes: u64) -> Result<u64> {
        self.quota.take(bytes)?;
        let begin = self.bytes;
        self.bytes += bytes;
        Ok(begin)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A file that cannot be removed now is removed with the folder.
        let _ = std::fs::remove_file(&self.path);
        self.quota.give_back(self.bytes);
    }
}

/// A file to which records are added.
#[derive(Debug)]
pub struct SpillWriter {
    temporary: Temporary,
    block: Vec<u8>,
    /// The bytes of the largest block so far.
    block_bytes_max: usize,
}

impl SpillWriter {
    pub(super) fn create(path: PathBuf, quota: Arc<Quota>) -> io::Result<SpillWriter> {
        Ok(SpillWriter {
            temporary: Temporary::create(path, quota)?,
            block: Vec::with_capacity(BLOCK_BYTES + HEADER_BYTES),
            block_bytes_max: 0,
        })
    }

    /// Adds a record.
    pub fn push(&mut self, key: &[u8], item: &[u8]) -> Result<()> {
        self.push_parts(key, [item, &[]])
    }

    /// Adds a record whose item is in two parts.
    pub(crate) fn push_parts(&mut self, key: &[u8], item: [&[u8]; 2]) -> Result<()> {
        for length in [key.len(), item[0].len() + item[1].len()] {
            let length = u32::try_from(length).map_err(|_| too_large())?;
            self.block.extend(length.to_le_bytes());
        }
        for part in [key, item[0], item[1]] {
            self.block.extend_from_slice(part);
        }
        if self.block.len() >= BLOCK_BYTES {
            self.write_block()?;
        }
        Ok(())
    }

    /// Ends the file. Its records can then be read from the first on.
    pub fn finish(mut self) -> Result<SpillRun> {
        self.write_block()?;
        let rewound = self.temporary.file().and_then(File::rewind);
        rewound.map_err(|error| io_error(&error))?;
        Ok(SpillRun {
            temporary: self.temporary,
            block_bytes_max: self.block_bytes_max,
            block: Vec::new(),
            block_begin: 0,
            next_block: 0,
            at: 0,
            last: 0,
        })
    }

    fn write_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let length = u32::try_from(self.block.len()).map_err(|_| too_large())?;
        let bytes = HEADER_BYTES as u64 + u64::from(length);
        self.temporary.grow(bytes)?;
        self.block_bytes_max = self.block_bytes_max.max(self.block.len());
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&length.to_le_bytes());
        header[4..].copy_from_slice(&crc32c::crc32c(&self.block).to_le_bytes());
        let written = self.temporary.file().and_then(|file| {
            file.write_all(&header)?;
            file.write_all(&self.block)
        });
        written.map_err(|error| io_error(&error))?;
        self.block.clear();
        Ok(())
    }
}

/// A file of records being read.
#[derive(Debug)]
pub struct SpillRun {
    temporary: Temporary,
    block_bytes_max: usize,
    /// The present block; empty before the first record, and during a pause.
    block: Vec<u8>,
    /// The place of the block in the file.
    block_begin: u64,
    /// The place of the next block.
    next_block: u64,
    /// The place of the next record in the block.
    at: usize,
    /// The place of the record that was read last.
    last: usize,
}

impl SpillRun {
    /// The most bytes that reading takes: a block, and a record of it.
    pub(crate) fn reading_bytes(&self) -> usize {
        2 * self.block_bytes_max
    }

    /// To be called before a pause: closes the file and drops the block. Reading continues where it was.
    pub fn rest(&mut self) {
        self.temporary.rest();
        if !self.block.is_empty() {
            self.block = Vec::new();
            self.next_block = self.block_begin;
        }
    }

    /// Makes the record that was read last the next one again.
    pub(crate) fn unread(&mut self) {
        self.at = self.last;
    }

    /// Reads the next record's key and item into the buffers, which are overwritten. Returns false at the end.
    pub fn next(&mut self, key: &mut Vec<u8>, item: &mut Vec<u8>) -> Result<bool> {
        if self.block.is_empty() && self.at > 0 {
            let at = self.at;
            if !self.read_block()? {
                return Err(damaged());
            }
            self.at = at;
        }
        if self.at >= self.block.len() && !self.read_block()? {
            return Ok(false);
        }
        self.last = self.at;
        let (key_length, item_length) = (self.read_length()?, self.read_length()?);
        for (length, part) in [(key_length, key), (item_length, item)] {
            part.clear();
            part.extend_from_slice(self.take(length)?);
        }
        Ok(true)
    }

    fn take(&mut self, length: usize) -> Result<&[u8]> {
        let begin = self.at;
        let end = begin.checked_add(length).ok_or_else(damaged)?;
        self.at = end;
        self.block.get(begin..end).ok_or_else(damaged)
    }

    fn read_length(&mut self) -> Result<usize> {
        let bytes: [u8; 4] = self.take(4)?.try_into().map_err(|_| damaged())?;
        usize::try_from(u32::from_le_bytes(bytes)).map_err(|_| damaged())
    }

    /// Reads the next block. Returns false at the end of the file.
    fn read_block(&mut self) -> Result<bool> {
        let mut header = [0; HEADER_BYTES];
        let begin = self.next_block;
        let file = self.temporary.file().map_err(|error| io_error(&error))?;
        file.seek(io::SeekFrom::Start(begin))
            .map_err(|error| io_error(&error))?;
        match file.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read.map_err(|error| io_error(&error))?,
        }
        let [l0, l1, l2, l3, c0, c1, c2, c3] = header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        self.block
            .resize(usize::try_from(length).map_err(|_| damaged())?, 0);
        self.at = 0;
        file.read_exact(&mut self.block)
            .map_err(|error| io_error(&error))?;
        self.block_begin = begin;
        self.next_block = begin + HEADER_BYTES as u64 + u64::from(length);
        if crc32c::crc32c(&self.block) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(damaged());
        }
        Ok(true)
    }
}

pub(super) fn too_large() -> QueryError {
    QueryError::new(
        Code::BSON_OBJECT_TOO_LARGE,
        "a document is too large for a temporary file",
    )
}

/// The error that a file does not hold what was written.
pub fn damaged() -> QueryError {
    QueryError::new(Code::INTERNAL_ERROR, "a temporary file was damaged")
}

#[cfg(test)]
mod tests {
    use super::super::SpillFolder;

    #[test]
    fn records_come_back_in_order_and_the_file_goes() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        let mut writer = folder.create().unwrap();
        for number in 0..10_000u32 {
            writer.push(&number.to_be_bytes(), b"item").unwrap();
        }
        let mut run = writer.finish().unwrap();
        let (mut key, mut item) = (Vec::new(), Vec::new());
        for number in 0..10_000u32 {
            assert!(run.next(&mut key, &mut item).unwrap());
            assert_eq!(
                (key.as_slice(), item.as_slice()),
                (&number.to_be_bytes()[..], &b"item"[..])
            );
        }
        assert!(!run.next(&mut key, &mut item).unwrap());
        drop(run);
        assert_eq!(
            std::fs::read_dir(scratch.path().join("spill")).unwrap().count(),
            0
        );
    }

    #[test]
    fn a_folder_is_emptied_when_it_is_opened_and_removed_at_the_end() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("spill");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("old.spill"), b"left behind").unwrap();
        let folder = SpillFolder::open(&path).unwrap();
        assert!(!path.exists());
        drop(folder.create().unwrap());
        drop(folder);
        assert!(!path.exists());
    }
}
