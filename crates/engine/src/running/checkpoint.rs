//! The files of one moment, for a backup.

use crate::engine::Engine;
use crate::error::{Error, Result};
use backup::{FolderSource, SourceFile};
use code::Code;
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
    pub async fn checkpoint(&self) -> Result<Checkpoint> {
        let began_ms = self.now_ms();
        let made = self.kv().checkpoint(CHECKPOINT_TIME_MAX).await?;
        let message =
            "writes are held back (fsync with lock), or one that runs does not end: no backup was begun";
        let checkpoint = made.ok_or_else(|| Error::new(Code::LOCK_TIMEOUT, message))?;
        Ok(Checkpoint { checkpoint, began_ms })
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
        let files = self.checkpoint.files().iter();
        files
            .map(|file| SourceFile {
                path: file.path.clone(),
                bytes: file.bytes,
                identity: file.identity.clone(),
            })
            .collect()
    }

    /// The files as what a backup is taken from.
    pub fn source(&self) -> FolderSource {
        FolderSource::new(self.folder().to_owned(), self.files())
    }
}

/// Cuts the log of a data folder off where it is damaged. Returns what is given up; `None` if nothing that was acknowledged
/// is missing, and nothing was done.
pub fn cut_log(folder: &Path) -> Result<Option<String>> {
    let lost = kv::Kv::cut_log(folder)?;
    Ok(lost.map(|lost| lost.to_string()))
}
