//! The file that says how far the log is flushed.
//!
//! The log alone cannot show that its end is missing. So after each flush of the log the sequence number that it reaches
//! is written here, without another flush. After a kill the number is exact; after a power failure it may be some seconds
//! old, which then demands less than was acknowledged, and never more.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The file within the data folder.
const NAME: &str = "LARDER.synced";

/// Three numbers and their CRC-32C.
const BYTES: usize = 28;

/// The contents of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::rocks) struct Reached {
    /// The manifest of that time: another one was begun by somebody who does not keep this file.
    pub(in crate::rocks) manifest: u64,
    /// All up to this sequence number was in tables when the store was opened or closed last.
    pub(in crate::rocks) in_tables: u64,
    /// All up to this sequence number is on the disk, in tables or in the log.
    pub(in crate::rocks) on_disk: u64,
}

/// The file, open for writing.
#[derive(Debug)]
pub(in crate::rocks) struct Synced {
    file: File,
    has_failed: AtomicBool,
}

impl Synced {
    /// Reads the file of a folder; `None` if there is none, or its checksum is wrong.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Reached>> {
        let file = match File::open(folder.join(NAME)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = [0; BYTES];
        match file.read_exact_at(&mut bytes, 0) {
            Ok(()) => Ok(decode(&bytes)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Begins the file with the present state, which must be flushed.
    pub(in crate::rocks) fn start(folder: &Path, reached: Reached) -> io::Result<Synced> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = options.open(folder.join(NAME))?;
        file.write_all_at(&encode(reached), 0)?;
        file.sync_all()?;
        File::open(folder)?.sync_all()?;
        Ok(Synced {
            file,
            has_failed: AtomicBool::new(false),
        })
    }

    /// Notes the state, without a flush. A note that cannot be written matters only if the log is damaged too, so the failure is
    /// ignored.
    pub(in crate::rocks) fn note(&self, reached: Reached) {
        if let Err(error) = self.file.write_all_at(&encode(reached), 0)
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(%error, file = NAME, "how far the log was flushed could not be noted");
        }
    }

    /// Notes what is reached at a stop, flushed.
    pub(in crate::rocks) fn finish(&self, reached: Reached) -> io::Result<()> {
        self.file.write_all_at(&encode(reached), 0)?;
        self.file.sync_data()
    }
}

fn encode(reached: Reached) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let numbers = [reached.manifest, reached.in_tables, reached.on_disk];
    for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    let checksum = crc32c::crc32c(&bytes[..24]);
    bytes[24..].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

fn decode(bytes: &[u8; BYTES]) -> Option<Reached> {
    let (numbers, checksum) = bytes.split_last_chunk::<4>()?;
    let (numbers_read, _) = numbers.as_chunks::<8>();
    let &[manifest, in_tables, on_disk] = numbers_read else {
        return None;
    };
    (u32::from_be_bytes(*checksum) == crc32c::crc32c(numbers)).then_some(Reached {
        manifest: u64::from_be_bytes(manifest),
        in_tables: u64::from_be_bytes(in_tables),
        on_disk: u64::from_be_bytes(on_disk),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_reads_back_and_is_refused_with_a_flipped_bit() {
        let reached = Reached {
            manifest: 5,
            in_tables: 300,
            on_disk: 1 << 40,
        };
        let mut bytes = encode(reached);
        assert_eq!(decode(&bytes), Some(reached));
        bytes[9] ^= 1;
        assert_eq!(decode(&bytes), None);
    }
}
