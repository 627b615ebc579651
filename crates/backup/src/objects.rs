//! The objects of a repository: bytes under the name of their BLAKE3.

use crate::{Error, Part};
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder within the repository.
pub(crate) const FOLDER: &str = "objects";

/// What an object is called while it is written.
const UNFINISHED: &str = "unfinished";

/// Bytes that are read or written at a time.
pub(crate) const PIECE_BYTES: usize = 1 << 20;

/// The objects of one repository.
#[derive(Clone, Debug)]
pub(crate) struct Objects {
    folder: PathBuf,
}

/// An object that is being written.
pub(crate) struct Writer {
    objects: Objects,
    unfinished: PathBuf,
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Objects {
    pub(crate) fn new(repository: &Path) -> Objects {
        Objects {
            folder: repository.join(FOLDER),
        }
    }

    /// Where an object lies.
    pub(crate) fn path(&self, blake3: &str) -> PathBuf {
        self.folder.join(blake3.get(..2).unwrap_or_default()).join(blake3)
    }

    /// Whether an object is there, of the size that it should have.
    pub(crate) fn has(&self, part: &Part) -> bool {
        fs::metadata(self.path(&part.blake3)).is_ok_and(|file| file.len() == part.bytes)
    }

    /// Begins an object.
    pub(crate) fn writer(&self) -> Result<Writer, Error> {
        let unfinished = self.folder.join(UNFINISHED);
        let file = File::create(&unfinished).map_err(Error::file("making", &unfinished))?;
        Ok(Writer {
            objects: self.clone(),
            unfinished,
            file,
            hasher: blake3::Hasher::new(),
            bytes: 0,
        })
    }

    /// Reads an object piece by piece, and compares it with its name at the end.
    pub(crate) fn read(
        &self,
        part: &Part,
        mut take: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let path = self.path(&part.blake3);
        let mut file = File::open(&path).map_err(Error::file("opening", &path))?;
        let (mut hasher, mut piece, mut total) = (blake3::Hasher::new(), vec![0; PIECE_BYTES], 0);
        loop {
            let bytes = file.read(&mut piece).map_err(Error::file("reading", &path))?;
            if bytes == 0 {
                break;
            }
            hasher.update(&piece[..bytes]);
            total += bytes as u64;
            take(&piece[..bytes])?;
        }
        let found = hasher.finalize().to_hex();
        if found.as_str() != part.blake3 || total != part.bytes {
            let what = format!("{} bytes should be there, and {total} others are", part.bytes);
            return Err(Error::Corrupt { path, what });
        }
        Ok(())
    }
}

impl Writer {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        written.map_err(Error::file("writing", &self.unfinished))
    }

    /// Flushes it and gives it its name. Returns false with the part if the same bytes were there already.
    pub(crate) fn finish(self) -> Result<(Part, bool), Error> {
        let part = Part {
            blake3: self.hasher.finalize().to_hex().to_string(),
            bytes: self.bytes,
        };
        // An object that was damaged since is written anew.
        if self.objects.has(&part) && self.objects.read(&part, |_| Ok(())).is_ok() {
            return Ok((part, false));
        }
        let path = self.objects.path(&part.blake3);
        self.file
            .sync_all()
            .map_err(Error::file("flushing", &self.unfinished))?;
        let folder = path.parent().unwrap_or(&self.objects.folder);
        fs::create_dir_all(folder).map_err(Error::file("making", folder))?;
        fs::rename(&self.unfinished, &path).map_err(Error::file("naming", &path))?;
        flush_folder(folder)?;
        flush_folder(&self.objects.folder)?;
        Ok((part, true))
    }
}

/// Makes a folder and those that it lies in, for their owner alone. The name of a new one is flushed in its parent, so that what is
/// kept in it is not lost with its name when the power goes.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Error> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    make_folder(parent)?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists || !folder.is_dir() => {
            Err(Error::file("making", folder)(error))
        }
        _ => flush_folder(parent),
    }
}

/// Flushes the entries of a folder.
pub(crate) fn flush_folder(folder: &Path) -> Result<(), Error> {
    let flushed = File::open(folder).and_then(|folder| folder.sync_all());
    flushed.map_err(Error::file("flushing", folder))
}
