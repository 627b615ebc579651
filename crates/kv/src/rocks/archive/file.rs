//! The files of an archive.

use super::record::{self, Begin, FRAME_BYTES, Record};
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const SUFFIX: &str = ".changes";

/// The bytes that are read at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// The name of a file.
pub(super) fn name_of(number: u64) -> String {
    format!("{number:010}{SUFFIX}")
}

/// The files of a folder with their numbers, in order.
pub(super) fn list(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(number) = name.strip_suffix(SUFFIX).and_then(|number| number.parse().ok()) {
            files.push((number, path.clone()));
        }
    }
    files.sort();
    Ok(files)
}

/// Appends a record after the complete ones to a file that nobody writes any more, and flushes it.
pub(super) fn append(path: &Path, record: &[u8]) -> io::Result<()> {
    let Some((_, mut records)) = Records::open(path)? else {
        return Ok(());
    };
    while records.next()?.is_some() {}
    let end = records.offset;
    let mut file = File::options().write(true).open(path)?;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    file.write_all(&record::framed(record)?)?;
    file.sync_data()
}

/// Reads a file record by record.
pub(super) struct Records {
    file: BufReader<File>,
    left_bytes: u64,
    /// Where the next record begins.
    pub(super) offset: u64,
    record: Vec<u8>,
}

impl Records {
    /// Opens a file. `None` if its first record is incomplete; nothing was written after it.
    pub(super) fn open(path: &Path) -> io::Result<Option<(Begin, Records)>> {
        let file = File::open(path)?;
        let mut records = Records {
            left_bytes: file.metadata()?.len(),
            file: BufReader::with_capacity(BUFFER_BYTES, file),
            offset: 0,
            record: Vec::new(),
        };
        if !records.advance()? {
            return Ok(None);
        }
        let begin = record::read_begin(&records.record)
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "this is no archive that is known here"))?;
        Ok(Some((begin, records)))
    }

    /// The next record and its place; `None` at the end, or if the record is incomplete.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Record)>> {
        let offset = self.offset;
        if !self.advance()? {
            return Ok(None);
        }
        let read = record::read(&self.record);
        let read =
            read.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "a record is not understood"))?;
        Ok(Some((offset, read)))
    }

    /// Whether all of the file was read.
    pub(super) fn is_at_end(&self) -> bool {
        self.left_bytes == 0
    }

    /// Reads a record's bytes.
    fn advance(&mut self) -> io::Result<bool> {
        if self.left_bytes < FRAME_BYTES as u64 {
            return Ok(false);
        }
        let mut frame = [0; FRAME_BYTES];
        self.file.read_exact(&mut frame)?;
        let [l0, l1, l2, l3, c0, c1, c2, c3] = frame;
        let (length, checksum) = (
            u32::from_be_bytes([l0, l1, l2, l3]),
            u32::from_be_bytes([c0, c1, c2, c3]),
        );
        if u64::from(length) > self.left_bytes - FRAME_BYTES as u64 {
            return Ok(false);
        }
        self.record.resize(length as usize, 0);
        self.file.read_exact(&mut self.record)?;
        if crc32c::crc32c(&self.record) != checksum {
            return Ok(false);
        }
        let bytes = FRAME_BYTES as u64 + u64::from(length);
        self.left_bytes -= bytes;
        self.offset += bytes;
        Ok(true)
    }
}
