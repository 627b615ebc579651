//! Long items, each written once and read once. Records that are sorted and merged contain their names, so that they are not copied
//! again and again.

use super::file::{Temporary, damaged, too_large};
use super::folder::io_error;
use super::quota::Quota;
use crate::Result;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The bytes of a name: the item's place in the file (8, little-endian), its length (4), its CRC-32C (4).
pub(crate) const NAME_BYTES: usize = 16;

/// A temporary file of items.
#[derive(Debug)]
pub(crate) struct LongItems(Temporary);

impl LongItems {
    pub(super) fn create(path: PathBuf, quota: Arc<Quota>) -> io::Result<LongItems> {
        Temporary::create(path, quota).map(LongItems)
    }

    /// Writes an item, and returns its name.
    pub(crate) fn push(&mut self, item: &[u8]) -> Result<[u8; NAME_BYTES]> {
        let length = u32::try_from(item.len()).map_err(|_| too_large())?;
        let begin = self.0.grow(u64::from(length))?;
        let written = self.0.file().and_then(|file| {
            file.seek(SeekFrom::Start(begin))?;
            file.write_all(item)
        });
        written.map_err(|error| io_error(&error))?;
        let mut name = [0; NAME_BYTES];
        name[..8].copy_from_slice(&begin.to_le_bytes());
        name[8..12].copy_from_slice(&length.to_le_bytes());
        name[12..].copy_from_slice(&crc32c::crc32c(item).to_le_bytes());
        Ok(name)
    }

    /// The item with this name.
    pub(crate) fn read(&mut self, name: &[u8]) -> Result<Vec<u8>> {
        let (begin, rest) = name.split_first_chunk().ok_or_else(damaged)?;
        let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let checksum = rest.try_into().map_err(|_| damaged())?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| damaged())?;
        let mut item = vec![0; length];
        let read = self.0.file().and_then(|file| {
            file.seek(SeekFrom::Start(u64::from_le_bytes(*begin)))?;
            file.read_exact(&mut item)
        });
        read.map_err(|error| io_error(&error))?;
        match crc32c::crc32c(&item) == u32::from_le_bytes(checksum) {
            true => Ok(item),
            false => Err(damaged()),
        }
    }

    /// To be called before a pause: closes the file until it is read again.
    pub(crate) fn rest(&mut self) {
        self.0.rest();
    }
}
