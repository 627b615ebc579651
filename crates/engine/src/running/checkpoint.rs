//! The files of one moment, for a backup.

use crate::engine::Engine;
use crate::error::{Error, Result};
use backup::{Archived, FolderSource, SourceFile};
use code::Code;
use kv::{Archiving, CheckpointFile, Kv};
use std::path::Path;
use std::time::Duration;

/// How long a checkpoint waits for writes that are under way.
const CHECKPOINT_TIME_MAX: Duration = Duration::from_secs(60);

/// The files of one moment, all collections together. They stay as they are, and take up space, as long as this is kept.
#[derive(Debug)]
pub struct Checkpoint {
    checkpoint: kv::Checkpoint,
    began_ms: u64,
}

impl Engine {
    /// Makes a checkpoint. Writes wait for some milliseconds.
    pub async fn checkpoint(&self, archiving: Archiving) -> Result<Checkpoint> {
        let began_ms = self.now_ms();
        let made = self.kv().checkpoint(CHECKPOINT_TIME_MAX, archiving).await?;
        let message =
            "writes are held back (fsync with lock), or one that runs does not end: no backup was begun";
        let checkpoint = made.ok_or_else(|| Error::new(Code::LOCK_TIMEOUT, message))?;
        Ok(Checkpoint { checkpoint, began_ms })
    }

    /// Removes those files of the archive of changes that a checkpoint has: they are kept elsewhere now.
    pub async fn forget_archived(&self, checkpoint: &Checkpoint) -> Result<()> {
        if let Some((position, _)) = checkpoint.checkpoint.archived() {
            self.kv().forget_archived(&position).await?;
        }
        Ok(())
    }

    /// Limits the archive of changes to this many bytes.
    pub fn limit_archive(&self, bytes_max: u64) {
        self.kv().limit_archive(bytes_max);
    }
}

impl Checkpoint {
    /// When it was made, in milliseconds since 1970.
    pub fn began_ms(&self) -> u64 {
        self.began_ms
    }

    /// The folder in which the files lie.
    pub fn folder(&self) -> &Path {
        self.checkpoint.folder()
    }

    /// The files, which together make a data folder.
    pub fn files(&self) -> Vec<SourceFile> {
        listed(self.checkpoint.files())
    }

    /// The archive of changes until then, where it was asked for.
    pub fn archived(&self) -> Option<Archived<SourceFile>> {
        let (position, files) = self.checkpoint.archived()?;
        Some(Archived {
            archive: position.archive,
            next: position.next,
            at_ms: position.at_ms,
            files: listed(files),
        })
    }

    /// The files as what a backup is taken from.
    pub fn source(&self) -> FolderSource {
        FolderSource::new(self.folder().to_owned(), self.files()).with_archived(self.archived())
    }
}

fn listed(files: &[CheckpointFile]) -> Vec<SourceFile> {
    let files = files.iter();
    files
        .map(|file| SourceFile {
            path: file.path.clone(),
            bytes: file.bytes,
            identity: file.identity.clone(),
        })
        .collect()
}

/// Makes archived changes again that lie in a folder which was restored from a backup: up to a moment, in milliseconds
/// since 1970. Returns how many.
pub async fn replay(folder: &Path, memory_bytes: usize, until_ms: u64) -> Result<u64> {
    let options = kv::OpenOptions {
        folder: folder.to_owned(),
        memory_bytes,
    };
    Ok(Kv::replay(&options, until_ms).await?.changes)
}

/// Cuts the log of a data folder off where it is damaged. Returns what is given up; `None` if nothing that was acknowledged
/// is missing, and nothing was done.
pub fn cut_log(folder: &Path) -> Result<Option<String>> {
    let lost = Kv::cut_log(folder)?;
    Ok(lost.map(|lost| lost.to_string()))
}
