//! How far a file was read, and how it is known again.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes at the beginning, and before the position, that a file is known by.
const KNOWN_BYTES: u64 = 256;
/// With fewer bytes than this, a file could be any other that begins alike.
const TELLING_BYTES: u64 = 16;

/// A position in a file, and checksums of bytes before it: an inode may be another file's by now, or its content another one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Where the file was.
    pub path: PathBuf,
    /// How far it was read.
    pub offset: u64,
    head: u32,
    tail: u32,
}

impl Mark {
    /// The mark of a file that was read to `offset`.
    pub fn of(file: &File, path: &Path, offset: u64) -> io::Result<Mark> {
        let (head, tail) = checksums(file, offset)?;
        Ok(Mark {
            path: path.to_owned(),
            offset,
            head,
            tail,
        })
    }

    /// Whether what was read is still what the file begins with.
    pub fn matches(&self, file: &File, size: u64) -> bool {
        size >= self.offset && checksums(file, self.offset).is_ok_and(|found| found == (self.head, self.tail))
    }

    /// Whether a file that matches is surely the same, or a copy.
    pub fn is_telling(&self) -> bool {
        self.offset >= TELLING_BYTES
    }
}

fn checksums(file: &File, offset: u64) -> io::Result<(u32, u32)> {
    let mut bytes = [0; KNOWN_BYTES as usize];
    let known = &mut bytes[..offset.min(KNOWN_BYTES) as usize];
    file.read_exact_at(known, 0)?;
    let head = crc32c::crc32c(known);
    file.read_exact_at(known, offset - known.len() as u64)?;
    Ok((head, crc32c::crc32c(known)))
}
