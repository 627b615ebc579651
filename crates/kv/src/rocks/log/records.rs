//! The records of a file in the engine's log format: its logs, and its manifests.
//!
//! A file is a sequence of blocks. A record is one fragment or several; a fragment has a header (checksum, length, kind, and in
//! logs the number of the log) and never crosses the end of a block. A log file may have been used before: after
//! its last record follow those of the earlier log, which have that log's number.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const BLOCK_BYTES: usize = 32 << 10;

/// Checksum, length, kind.
const HEADER_BYTES: usize = 7;

/// Checksum, length, kind, number of the log.
const NUMBERED_HEADER_BYTES: usize = HEADER_BYTES + 4;

/// Kinds from here on have the number of the log in their header.
const NUMBERED_KINDS: std::ops::RangeInclusive<u8> = 5..=8;

/// The engine adds this to a checksum, so that checksums of data that contains checksums are not weak.
const CHECKSUM_DELTA: u32 = 0xA282_EAD8;

/// Reads a file record by record, and finds records after a place that is damaged.
pub(super) struct Records {
    file: File,
    /// The number that fragments of a log bear; `None` for a file without.
    number: Option<u32>,
    block: Vec<u8>,
    /// Where the block begins in the file.
    block_start: u64,
    /// Where the next record begins: an offset of the file.
    position: u64,
    /// The place at which reading stopped, because no valid fragment begins there.
    stopped_at: u64,
}

/// A part of a record that is whole.
struct Fragment {
    part: Part,
    /// Where its bytes lie in the block.
    data: std::ops::Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Full,
    First,
    Middle,
    Last,
}

impl Records {
    /// Reads from the beginning of a file.
    pub(super) fn new(file: File, number: Option<u64>) -> io::Result<Records> {
        let mut records = Records {
            file,
            // The engine keeps the lower half.
            number: number.map(|number| number as u32),
            block: Vec::new(),
            block_start: 0,
            position: 0,
            stopped_at: 0,
        };
        records.load(0)?;
        Ok(records)
    }

    /// The place of the next record, or of the damage.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Reads the next record into `record`. Returns false at the end, or if something is damaged; the position then stays where
    /// the record should begin.
    pub(super) fn next(&mut self, record: &mut Vec<u8>) -> io::Result<bool> {
        record.clear();
        let (start, mut at, mut is_begun) = (self.position, self.position, false);
        loop {
            at = self.skip_trailer(at);
            let Some(fragment) = self.fragment(at)? else {
                break;
            };
            let is_expected = matches!(fragment.part, Part::Full | Part::First) != is_begun;
            if !is_expected {
                break;
            }
            record.extend_from_slice(&self.block[fragment.data.clone()]);
            at = self.block_start + fragment.data.end as u64;
            is_begun = true;
            if matches!(fragment.part, Part::Full | Part::Last) {
                self.position = at;
                return Ok(true);
            }
        }
        record.clear();
        self.position = start;
        self.stopped_at = at;
        Ok(false)
    }

    /// Whether reading has stopped at what would be a part of a log that is written again and again.
    pub(super) fn stopped_at_numbered(&mut self) -> io::Result<bool> {
        let at = self.stopped_at;
        if self.load(at)? == 0 {
            return Ok(false);
        }
        let start = (at - self.block_start) as usize;
        let kind = self.block[start..].get(HEADER_BYTES - 1);
        Ok(kind.is_some_and(|kind| NUMBERED_KINDS.contains(kind)))
    }

    /// Moves to the first place after the present one where a record of this log begins. False if there is none.
    pub(super) fn seek_behind(&mut self) -> io::Result<bool> {
        let Some(number) = self.number.map(u32::to_le_bytes) else {
            return Ok(false);
        };
        let mut at = self.position + 1;
        while self.load(at)? > 0 {
            let start = (at - self.block_start) as usize;
            // Most of what lies after a log belongs to another one, which its number shows without a checksum.
            let headers = self.block[start..].windows(NUMBERED_HEADER_BYTES);
            let may_begin = |header: &[u8]| NUMBERED_KINDS.contains(&header[6]) && header[7..] == number;
            match headers.into_iter().position(may_begin) {
                None => at = self.block_start + BLOCK_BYTES as u64,
                Some(ahead) => {
                    at += ahead as u64;
                    let fragment = self.fragment(at)?;
                    if fragment.is_some_and(|fragment| matches!(fragment.part, Part::Full | Part::First)) {
                        self.position = at;
                        return Ok(true);
                    }
                    at += 1;
                }
            }
        }
        Ok(false)
    }

    /// Where the next fragment may begin: no header begins so near the end of a block that it does not fit.
    fn skip_trailer(&self, at: u64) -> u64 {
        let left = BLOCK_BYTES as u64 - at % BLOCK_BYTES as u64;
        let header = match self.number {
            Some(_) => NUMBERED_HEADER_BYTES,
            None => HEADER_BYTES,
        };
        if left < header as u64 { at + left } else { at }
    }

    /// The fragment that begins at a place of the file, if it is whole and of this log.
    fn fragment(&mut self, at: u64) -> io::Result<Option<Fragment>> {
        if self.load(at)? == 0 {
            return Ok(None);
        }
        let start = (at - self.block_start) as usize;
        let Some((header, rest)) = self.block[start..].split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let [c0, c1, c2, c3, l0, l1, kind] = *header;
        let is_numbered = NUMBERED_KINDS.contains(&kind);
        let Some(part) = part_of(kind) else {
            return Ok(None);
        };
        if is_numbered {
            let number = rest.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
            if number.is_none() || number != self.number {
                return Ok(None);
            }
        }
        let header_bytes = if is_numbered {
            NUMBERED_HEADER_BYTES
        } else {
            HEADER_BYTES
        };
        let length = usize::from(u16::from_le_bytes([l0, l1]));
        let end = start + header_bytes + length;
        // The checksum covers the kind and all after it.
        let Some(covered) = self.block.get(start + HEADER_BYTES - 1..end) else {
            return Ok(None);
        };
        let checksum = crc32c::crc32c(covered)
            .rotate_right(15)
            .wrapping_add(CHECKSUM_DELTA);
        if checksum != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Ok(None);
        }
        let data = start + header_bytes..end;
        Ok(Some(Fragment { part, data }))
    }

    /// Reads the block with a place of the file, unless it is there. Returns how many bytes of the block lie at the place
    /// and after it.
    fn load(&mut self, at: u64) -> io::Result<usize> {
        let block_start = at - at % BLOCK_BYTES as u64;
        if block_start != self.block_start || self.block.is_empty() {
            self.block.resize(BLOCK_BYTES, 0);
            let mut filled = 0;
            while filled < BLOCK_BYTES {
                match self
                    .file
                    .read_at(&mut self.block[filled..], block_start + filled as u64)
                {
                    Ok(0) => break,
                    Ok(bytes) => filled += bytes,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            self.block.truncate(filled);
            self.block_start = block_start;
        }
        Ok(self.block.len().saturating_sub((at - block_start) as usize))
    }
}

fn part_of(kind: u8) -> Option<Part> {
    match kind {
        1 | 5 => Some(Part::Full),
        2 | 6 => Some(Part::First),
        3 | 7 => Some(Part::Middle),
        4 | 8 => Some(Part::Last),
        _ => None,
    }
}
