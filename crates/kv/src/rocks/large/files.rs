//! The files of the folder `values`. They are appended to, read at any place, and have holes where values were freed.

use super::file::{Room, ValueFile, Written};
use super::pack::{pack, unpack};
use super::pointer::{Extent, Pointer};
use crate::Error;
use crate::rocks::descriptors::descriptors_max;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The folder within the data folder.
pub(in crate::rocks) const FOLDER: &str = "values";

/// A file of this size gets no further values.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// The size on a file system without holes, where space is freed only when a whole file is removed.
const WHOLE_FILE_BYTES_MAX: u64 = 64 << 20;

/// Values begin at multiples of this, so that a hole frees all blocks of a value.
const ALIGNMENT_BYTES: u64 = 4096;

/// Files kept open for reading; an eighth of the process's descriptors where that is less.
const OPEN_FILES_MAX: usize = 128;

#[derive(Debug)]
pub(in crate::rocks) struct ValueFiles {
    folder: PathBuf,
    table: Mutex<Table>,
    /// Whether the file system has refused to make a hole.
    knows_no_holes: AtomicBool,
}

#[derive(Debug, Default)]
struct Table {
    open: HashMap<u64, Arc<ValueFile>>,
    /// The number of the file that is appended to, and the place of its next value. Each process begins a new file.
    current: Option<(u64, u64)>,
    /// The number of the next file.
    next: u64,
    /// How many files are kept open.
    open_max: usize,
}

/// Where values go that are not written yet.
struct Place {
    file: Arc<ValueFile>,
    offset: u64,
}

/// Values that were written and not flushed.
pub(super) struct WrittenValues {
    /// The file that all of them are in.
    pub(super) file: Arc<ValueFile>,
    /// Where each of them is.
    pub(super) pointers: Vec<Pointer>,
    /// The last write among those of the file.
    pub(super) last: Written,
}

impl ValueFiles {
    pub(super) fn open(data: &Path) -> Result<ValueFiles, Error> {
        let folder = data.join(FOLDER);
        std::fs::create_dir_all(&folder)
            .and_then(|()| File::open(data)?.sync_all())
            .map_err(failed("making the folder of large values"))?;
        let mut table = Table {
            open_max: OPEN_FILES_MAX.min(descriptors_max() / 8),
            ..Table::default()
        };
        for file in std::fs::read_dir(&folder).map_err(failed("listing the large values"))? {
            let file = file.map_err(failed("listing the large values"))?;
            if let Some(number) = file.file_name().to_str().and_then(number_of) {
                table.next = table.next.max(number + 1);
            }
        }
        Ok(ValueFiles {
            folder,
            table: Mutex::new(table),
            knows_no_holes: AtomicBool::new(false),
        })
    }

    /// Gives each value a place in one file, calls `placed` with the places, and writes the values without a flush.
    /// `placed` notes the places as free first, so that a crash in the middle loses no space. `room` goes with the
    /// first value and is held until the file is flushed.
    pub(super) fn write(
        &self,
        values: &[&[u8]],
        mut room: Option<Room>,
        placed: impl FnOnce(&[Pointer]) -> Result<(), Error>,
    ) -> Result<WrittenValues, Error> {
        let stored: Vec<_> = values.iter().map(|value| pack(value)).collect();
        let bytes = stored.iter().map(|stored| aligned(stored.len() as u64)).sum();
        let place = self.reserve(bytes)?;
        let mut offset = place.offset;
        let pointers: Vec<Pointer> = values
            .iter()
            .zip(&stored)
            .map(|(value, stored)| {
                let extent = Extent {
                    file: place.file.number,
                    offset,
                    stored_bytes: stored.len() as u32,
                };
                offset += aligned(stored.len() as u64);
                Pointer {
                    extent,
                    value_bytes: value.len() as u32,
                    checksum: crc32c::crc32c(stored),
                }
            })
            .collect();
        placed(&pointers)?;
        let mut written = Written::default();
        for (stored, pointer) in stored.iter().zip(&pointers) {
            written = place
                .file
                .write(stored, pointer.extent.offset, room.take())
                .map_err(failed("writing a large value"))?;
        }
        Ok(WrittenValues {
            file: place.file,
            pointers,
            last: written,
        })
    }

    /// `head` followed by the value that a pointer names.
    pub(in crate::rocks) fn read(&self, pointer: &Pointer, head: &[u8]) -> Result<Vec<u8>, Error> {
        let file = self.file(pointer.extent.file)?;
        let (value_bytes, stored_bytes) =
            (pointer.value_bytes as usize, pointer.extent.stored_bytes as usize);
        let mut value = Vec::with_capacity(head.len() + value_bytes.max(stored_bytes));
        value.extend_from_slice(head);
        let Extent {
            file: number, offset, ..
        } = pointer.extent;
        let damaged = |how: &str| {
            let file = self.path(number);
            Error::Corrupt(format!(
                "the large value at offset {offset} of {} {how}",
                file.display()
            ))
        };
        match read_behind(&file.file, &mut value, stored_bytes, offset) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(damaged("is behind the end of the file"));
            }
            read => read.map_err(failed("reading a large value"))?,
        }
        if crc32c::crc32c(&value[head.len()..]) != pointer.checksum {
            return Err(damaged("fails its checksum"));
        }
        if stored_bytes != value_bytes {
            let unpacked = unpack(&value[head.len()..], value_bytes)
                .map_err(|error| damaged(&format!("cannot be unpacked: {error}")))?;
            value.truncate(head.len());
            value.extend_from_slice(&unpacked);
        }
        Ok(value)
    }

    /// Gives the blocks of an extent back to the disk. Returns false if the file system has no holes.
    pub(super) fn punch(&self, extent: &Extent) -> Result<bool, Error> {
        let file = match self.file(extent.file) {
            // The whole file was removed before.
            Err(_) if !self.path(extent.file).exists() => return Ok(true),
            found => found?,
        };
        match punch_hole(&file.file, extent.offset, extent.disk_bytes()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                if !self.knows_no_holes.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        folder = %self.folder.display(),
                        "this file system knows no holes (fallocate): the space of large values comes back a file at a time"
                    );
                }
                Ok(false)
            }
            Err(error) => Err(failed("freeing the space of a large value")(error)),
        }
    }

    /// Removes a file in which nothing is left but holes, or `free_bytes` that nobody needs. Returns whether it was
    /// removed.
    pub(super) fn remove_if_empty(&self, number: u64, free_bytes: u64) -> Result<bool, Error> {
        let mut table = self.table.lock();
        // The current file may have a place that is given out and not written yet.
        if table.current.is_some_and(|(current, _)| current == number) {
            return Ok(false);
        }
        // A file that is full may still be written to, at places given out before, or read.
        let is_used = table
            .open
            .get(&number)
            .is_some_and(|file| Arc::strong_count(file) > 1);
        let path = self.path(number);
        let is_empty = std::fs::metadata(&path)
            .is_ok_and(|file| aligned(file.len()) <= free_bytes || (file.blocks() == 0 && is_a_hole(&path)));
        if is_used || !is_empty {
            return Ok(false);
        }
        table.open.remove(&number);
        std::fs::remove_file(&path).map_err(failed("removing an empty file of large values"))?;
        Ok(true)
    }

    /// Bytes that the files take on the disk.
    pub(in crate::rocks) fn disk_bytes(&self) -> u64 {
        let Ok(files) = std::fs::read_dir(&self.folder) else {
            return 0;
        };
        // A block of `st_blocks` has 512 bytes, whatever the file system's have.
        files
            .flatten()
            .filter_map(|file| file.metadata().ok())
            .map(|file| file.blocks() * 512)
            .sum()
    }

    fn reserve(&self, bytes: u64) -> Result<Place, Error> {
        let mut table = self.table.lock();
        let (number, offset) = match table.current {
            Some((number, offset)) if offset < self.file_bytes_max() => (number, offset),
            _ => self.begin(&mut table)?,
        };
        table.current = Some((number, offset + bytes));
        let file = table.open.get(&number).cloned();
        Ok(Place {
            file: file.ok_or(Error::Closed)?,
            offset,
        })
    }

    fn file_bytes_max(&self) -> u64 {
        match self.knows_no_holes.load(Ordering::Relaxed) {
            true => WHOLE_FILE_BYTES_MAX,
            false => FILE_BYTES_MAX,
        }
    }

    /// Begins a file: its number, and where its first value goes.
    fn begin(&self, table: &mut Table) -> Result<(u64, u64), Error> {
        let number = table.next;
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create_new(true)
            .open(self.path(number));
        let file = file.map_err(failed("making a file of large values"))?;
        // The folder's entry is to be as safe as what will be in the file.
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(failed("flushing the folder of large values"))?;
        table.next += 1;
        table.open.insert(number, Arc::new(ValueFile::new(number, file)));
        Ok((number, 0))
    }

    fn file(&self, number: u64) -> Result<Arc<ValueFile>, Error> {
        let mut table = self.table.lock();
        if let Some(file) = table.open.get(&number) {
            return Ok(file.clone());
        }
        if table.open.len() >= table.open_max {
            let current = table.current.map(|(number, _)| number);
            table
                .open
                .retain(|number, file| Some(*number) == current || Arc::strong_count(file) > 1);
        }
        let file = OpenOptions::new().read(true).write(true).open(self.path(number));
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let file = self.path(number);
                Error::Corrupt(format!("the file {} of large values is missing", file.display()))
            }
            _ => failed("opening a file of large values")(error),
        })?;
        let file = Arc::new(ValueFile::new(number, file));
        table.open.insert(number, file.clone());
        Ok(file)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(name_of(number))
    }
}

/// Appends `bytes` bytes from an offset of a file, without clearing the memory for them first.
fn read_behind(file: &File, buffer: &mut Vec<u8>, bytes: usize, offset: u64) -> std::io::Result<()> {
    let (start, end) = (buffer.len(), buffer.len() + bytes);
    while buffer.len() < end {
        let at = offset + (buffer.len() - start) as u64;
        match rustix::io::pread(file, rustix::buffer::spare_capacity(buffer), at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    buffer.truncate(end);
    Ok(())
}

pub(super) fn aligned(bytes: u64) -> u64 {
    bytes.next_multiple_of(ALIGNMENT_BYTES)
}

fn name_of(number: u64) -> String {
    format!("{number:08}.values")
}

fn number_of(name: &str) -> Option<u64> {
    name.strip_suffix(".values")?.parse().ok()
}

fn failed(doing: &'static str) -> impl Fn(std::io::Error) -> Error {
    move |error| Error::Engine {
        doing,
        cause: error.to_string(),
    }
}

/// Whether a file is one hole. Block counts do not show that: some file systems count none for any file, or none for a small or a
/// freshly written one. File systems without holes report all of it as data.
#[cfg(target_os = "linux")]
fn is_a_hole(path: &Path) -> bool {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;
    File::open(path).is_ok_and(|file| seek(&file, SeekFrom::Data(0)) == Err(Errno::NXIO))
}

#[cfg(not(target_os = "linux"))]
fn is_a_hole(_: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn punch_hole(file: &File, offset: u64, bytes: u64) -> std::io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(fallocate(file, flags, offset, bytes)?)
}

#[cfg(not(target_os = "linux"))]
fn punch_hole(_: &File, _: u64, _: u64) -> std::io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn only_a_file_without_data_is_a_hole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name_of(1));
        let file = File::create(&path).unwrap();
        assert!(is_a_hole(&path));
        file.write_all_at(&[1; 8192], 4096).unwrap();
        assert!(!is_a_hole(&path));
    }
}
