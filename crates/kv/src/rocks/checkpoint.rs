//! The files of one moment, which stay unchanged while the store goes on.
//!
//! The engine's tables never change and large values are never written over, so a checkpoint is mostly other names for
//! the same files, in a folder within the data folder. A snapshot keeps the places of its large values from being given
//! back to the disk.

use super::archive::{self, all_heads};
use super::database::Database;
use super::error::engine_error;
use super::folder;
use super::large;
use super::snapshot::Moment;
use crate::{ArchivePosition, Archiving, CheckpointFile, Error};
use parking_lot::Mutex;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

/// The folder of all checkpoints within the data folder. What a start finds in it is left from a crash.
const FOLDER: &str = "_checkpoints";

/// The checkpoints of this process.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Held while a checkpoint takes its place in the folder of all, and while that is removed, which happens with the last one: it must
/// not go in between.
static TAKING_PLACE: Mutex<()> = Mutex::new(());

/// See [`crate::Checkpoint`]. Dropping it removes the folder.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) folder: PathBuf,
    pub(crate) files: Vec<CheckpointFile>,
    /// Where the archive goes on from this moment, and its files before that.
    pub(crate) archived: Option<(ArchivePosition, Vec<CheckpointFile>)>,
    _moment: Moment,
}

/// Removes what a crash left.
pub(super) fn remove_left(data: &Path) -> io::Result<()> {
    match fs::remove_dir_all(data.join(FOLDER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl Database {
    /// Makes a checkpoint. The caller ensures that nothing is committed or placed meanwhile.
    pub(super) fn checkpoint(self: &Arc<Self>, archiving: Archiving) -> Result<Checkpoint, Error> {
        let failed = |error: io::Error| Error::Engine {
            doing: "making a checkpoint",
            cause: error.to_string(),
        };
        let all = self.folder().join(FOLDER);
        let folder = all.join(MADE.fetch_add(1, Ordering::Relaxed).to_string());
        // First the snapshot: what is dropped from now on is kept.
        let mut checkpoint = Checkpoint {
            folder: folder.clone(),
            files: Vec::new(),
            archived: None,
            _moment: Moment::take(self.db.clone(), self.helpers()),
        };
        {
            let _taking = TAKING_PLACE.lock();
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&all)
                .map_err(failed)?;
            let maker = rocksdb::checkpoint::Checkpoint::new(&self.db);
            maker
                .and_then(|maker| maker.create_checkpoint(&folder))
                .map_err(engine_error("making a checkpoint"))?;
        }
        fs::copy(self.folder().join(folder::MARK), folder.join(folder::MARK)).map_err(failed)?;
        let values = folder.join(large::FOLDER);
        fs::create_dir(&values).map_err(failed)?;
        for entry in fs::read_dir(self.folder().join(large::FOLDER)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            fs::hard_link(entry.path(), values.join(entry.file_name())).map_err(failed)?;
        }
        list(&folder, "", &mut checkpoint.files).map_err(failed)?;
        checkpoint.files.sort_by(|a, b| a.path.cmp(&b.path));
        if archiving != Archiving::AsItIs {
            checkpoint.archived = Some(self.archived(&folder)?);
        }
        if archiving == Archiving::End {
            self.archive.remove()?;
        }
        Ok(checkpoint)
    }

    /// Begins a new file of the archive, and links those before it into the folder of a checkpoint.
    fn archived(&self, folder: &Path) -> Result<(ArchivePosition, Vec<CheckpointFile>), Error> {
        let failed = |error: io::Error| Error::Engine {
            doing: "making a checkpoint",
            cause: error.to_string(),
        };
        let position = self.archive.begin(|| all_heads(&self.db))?;
        fs::create_dir(folder.join(archive::FOLDER)).map_err(failed)?;
        let mut files = Vec::new();
        for path in self.archive.files_before(position.next)? {
            let name = path.file_name().unwrap_or_default();
            fs::hard_link(&path, folder.join(archive::FOLDER).join(name)).map_err(failed)?;
            files.push(CheckpointFile {
                bytes: path.metadata().map_err(failed)?.len(),
                path: format!("{}/{}", archive::FOLDER, name.to_string_lossy()),
                identity: None,
            });
        }
        Ok((position, files))
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        let removed = fs::remove_dir_all(&self.folder);
        {
            let _taking = TAKING_PLACE.lock();
            // Fails as long as there are others.
            let _ = self.folder.parent().map(fs::remove_dir);
        }
        if let Err(error) = removed {
            tracing::warn!(%error, folder = %self.folder.display(), "a checkpoint was not removed; the next start does");
        }
    }
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<CheckpointFile>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, metadata) = (entry.file_name(), entry.metadata()?);
        let path = format!("{prefix}{}", name.to_string_lossy());
        if metadata.is_dir() {
            list(&entry.path(), &format!("{path}/"), files)?;
            continue;
        }
        let is_stable = path.ends_with(".sst") || prefix == format!("{}/", large::FOLDER);
        files.push(CheckpointFile {
            bytes: metadata.len(),
            identity: identity(&metadata).filter(|_| is_stable),
            path,
        });
    }
    Ok(())
}

/// Distinguishes a file from all others that ever had its name: its inode and the time at which it was made. `None` if the file
/// system does not keep that.
fn identity(file: &Metadata) -> Option<String> {
    let made = file.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}-{}", file.dev(), file.ino(), made.as_nanos()))
}
