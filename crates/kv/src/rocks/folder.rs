//! The data folder. It is accessible to its owner only, and marked, so that neither another program's folder nor one of a later
//! version is taken for one of ours.

use crate::Error;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// The file that marks a folder.
pub(super) const MARK: &str = "LARDER";

/// The file to which a mark is written before it gets its name.
const UNFINISHED_MARK: &str = "LARDER.new";

/// The text before the number of the format in a mark.
const FORMAT: &str = "larder format ";

/// What to do if the engine cannot open the folder.
const RESTORE: &str = "put it back as it was, or restore a backup (larder restore)";

/// The format of the folder as a whole. Some parts have their own versions besides.
const FORMAT_NUMBER: u32 = 1;

/// What every folder has held since before there were marks: the engine's pointer to its manifest, and the large
/// values.
const UNMARKED: [&str; 2] = ["CURRENT", "values"];

/// The file that a folder has while it is being filled. As long as it exists, the folder cannot be opened otherwise.
const UNFINISHED: &str = "UNFINISHED";

/// What a fresh file system holds, and a folder that is about to be filled.
const EMPTY: [&str; 3] = ["lost+found", UNFINISHED_MARK, UNFINISHED];

/// The file that every folder has after it was first opened.
const CURRENT: &str = "CURRENT";

/// The manifest that the engine writes before the first `CURRENT`, and replaces before anything else is written. A crash in between
/// leaves only this file.
const FIRST_MANIFEST: &str = "MANIFEST-000001";

/// Keeps other processes from opening the folder.
#[derive(Debug)]
pub(super) struct FolderLock {
    _mark: File,
}

/// Makes a folder that does not exist. Fails for one that is not ours, or that another process has open.
pub(super) fn prepare(folder: &Path) -> Result<FolderLock, Error> {
    let is_new = make(folder)?;
    let lock = lock(folder)?;
    if !is_new && !folder.join(CURRENT).exists() && holds_data(folder) {
        // The engine would begin anew, and remove all tables.
        return Err(Error::Corrupt(format!(
            "the file {} is missing, which names the manifest of the data folder; {RESTORE}",
            folder.join(CURRENT).display()
        )));
    }
    Ok(lock)
}

/// Notes that a folder is being filled; it must be empty or not exist.
pub(crate) fn begin_filling(folder: &Path) -> Result<(), Error> {
    create(folder).map_err(not_noted)?;
    if !is_empty(folder).map_err(not_noted)? {
        return Err(Error::Foreign {
            folder: folder.display().to_string(),
        });
    }
    let noted = File::create(folder.join(UNFINISHED)).and_then(|mark| {
        mark.sync_all()?;
        File::open(folder)?.sync_all()
    });
    noted.map_err(not_noted)
}

/// Notes that everything with which the folder was filled is there and flushed.
pub(crate) fn end_filling(folder: &Path) -> Result<(), Error> {
    let ended = fs::remove_file(folder.join(UNFINISHED)).and_then(|()| File::open(folder)?.sync_all());
    ended.map_err(not_noted)
}

/// Whether a folder is being filled, or was when that was interrupted.
pub(crate) fn is_unfinished(folder: &Path) -> bool {
    folder.join(UNFINISHED).exists()
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` calls it")]
fn not_noted(error: io::Error) -> Error {
    Error::Engine {
        doing: "noting that the data folder is being filled",
        cause: error.to_string(),
    }
}

/// Whether anything was written in a folder.
fn holds_data(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return true;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.ends_with(".sst")
            || name.ends_with(".log")
            || (name.starts_with("MANIFEST-") && name != FIRST_MANIFEST)
    })
}

/// Locks the folder for this process. The engine has its own lock, but takes it only after the log was checked.
fn lock(folder: &Path) -> Result<FolderLock, Error> {
    let locking = |error: io::Error| Error::Engine {
        doing: "locking the data folder",
        cause: error.to_string(),
    };
    let mark = File::open(folder.join(MARK)).map_err(locking)?;
    match mark.try_lock() {
        Ok(()) => Ok(FolderLock { _mark: mark }),
        Err(TryLockError::WouldBlock) => Err(Error::Locked {
            folder: folder.display().to_string(),
        }),
        // Not every file system knows this lock; the engine's own is taken a moment later.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(FolderLock { _mark: mark })
        }
        Err(TryLockError::Error(error)) => Err(locking(error)),
    }
}

/// Makes and marks a folder if it does not exist. Returns whether it was marked only now.
fn make(folder: &Path) -> Result<bool, Error> {
    let failed = |doing| {
        move |error: io::Error| Error::Engine {
            doing,
            cause: error.to_string(),
        }
    };
    create(folder).map_err(failed("making the data folder"))?;
    match fs::read_to_string(folder.join(MARK)) {
        Ok(mark) => return check(folder, &mark).map(|()| false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed("reading the mark of the data folder")(error)),
    }
    let is_unmarked = UNMARKED.iter().all(|name| folder.join(name).exists());
    if !is_unmarked && !is_empty(folder).map_err(failed("listing the data folder"))? {
        return Err(Error::Foreign {
            folder: folder.display().to_string(),
        });
    }
    mark(folder).map_err(failed("marking the data folder"))?;
    Ok(true)
}

/// Makes a folder and its parents, accessible to their owner only. The name of a new folder is flushed in its parent: a power
/// failure must not lose what was acknowledged together with the folder's name.
fn create(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    create(parent)?;
    DirBuilder::new().mode(0o700).create(folder)?;
    File::open(parent)?.sync_all()
}

fn check(folder: &Path, mark: &str) -> Result<(), Error> {
    let number = mark
        .lines()
        .find_map(|line| line.strip_prefix(FORMAT)?.trim().parse().ok());
    match number {
        Some(1..=FORMAT_NUMBER) => Ok(()),
        Some(format) => Err(Error::OtherFormat {
            folder: folder.display().to_string(),
            format,
            known: FORMAT_NUMBER,
        }),
        None => Err(Error::Corrupt(format!(
            "{} does not say which format the data folder has",
            folder.join(MARK).display()
        ))),
    }
}

fn is_empty(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !EMPTY.iter().any(|known| name == *known) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes the mark, so that a crash leaves all of it or nothing.
fn mark(folder: &Path) -> io::Result<()> {
    let unfinished = folder.join(UNFINISHED_MARK);
    let mut file = File::create(&unfinished)?;
    writeln!(file, "{FORMAT}{FORMAT_NUMBER}")?;
    file.sync_all()?;
    fs::rename(&unfinished, folder.join(MARK))?;
    File::open(folder)?.sync_all()
}
