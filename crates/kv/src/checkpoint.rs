//! Checkpoints, and the archive of what changes between them.

use crate::{ArchivePosition, Archiving, CheckpointFile, Engine, Error, Kv, OpenOptions, Replayed, rocks};
use std::path::Path;
use std::time::Duration;

/// What is being done where a checkpoint fails.
const MAKING: &str = "making a checkpoint";

/// The files of one moment, which stay unchanged as long as this is kept. They take extra space only for what the store
/// drops meanwhile.
#[derive(Debug)]
pub struct Checkpoint(rocks::Checkpoint);

impl Checkpoint {
    /// The folder of the files, which is a data folder.
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// All files but those of the archive, by their paths.
    pub fn files(&self) -> &[CheckpointFile] {
        &self.0.files
    }

    /// Where the archive of changes continues after this moment, and its files before that; `None` if it was not asked for.
    pub fn archived(&self) -> Option<(ArchivePosition, &[CheckpointFile])> {
        let (position, files) = self.0.archived.as_ref()?;
        Some((*position, files))
    }
}

impl Kv {
    /// Makes a checkpoint: the state of all shards at one moment, for a backup. Writes wait for some milliseconds
    /// meanwhile. `None` if the changes under way take longer than the limit.
    pub async fn checkpoint(
        &self,
        limit: Duration,
        archiving: Archiving,
    ) -> Result<Option<Checkpoint>, Error> {
        // In a task of its own: if the caller goes away, writes wait all the same until the checkpoint is made, and the archive has
        // begun.
        let kv = self.clone();
        let making = tokio::spawn(async move { kv.make_checkpoint(limit, archiving).await });
        making.await.map_err(|error| Error::Engine {
            doing: MAKING,
            cause: error.to_string(),
        })?
    }

    async fn make_checkpoint(
        &self,
        limit: Duration,
        archiving: Archiving,
    ) -> Result<Option<Checkpoint>, Error> {
        let engine = self.rocks(MAKING)?;
        // Most is written before writers have to wait.
        engine.write_out().await?;
        let Some(_opener) = self.gate.shut(limit).await else {
            return Ok(None);
        };
        Ok(Some(Checkpoint(engine.checkpoint(archiving).await?)))
    }

    /// Removes the archive's files before a position, once they are kept elsewhere.
    pub async fn forget_archived(&self, position: &ArchivePosition) -> Result<(), Error> {
        let engine = self.rocks("removing files of the archive")?;
        engine.forget_archived(position.next).await
    }

    /// Limits the archive to this many bytes; it ends before it would take more.
    pub fn limit_archive(&self, bytes: u64) {
        if let Engine::Rocks(engine) = &self.engine {
            engine.limit_archive(bytes);
        }
    }

    /// Replays the changes in the folder `_replay` of a data folder that was restored from a checkpoint, up to this time in
    /// milliseconds since 1970. Such a folder cannot be opened in any other way.
    pub async fn replay(options: &OpenOptions, until_ms: u64) -> Result<Replayed, Error> {
        let gate = crate::Gate::default();
        let engine = rocks::Engine::open(options, &gate)?;
        let replayed = rocks::replay(&engine, &options.folder, until_ms).await;
        let closed = engine.close().await;
        let replayed = replayed?;
        closed.map(|()| replayed)
    }

    fn rocks(&self, doing: &'static str) -> Result<&rocks::Engine, Error> {
        match &self.engine {
            Engine::Rocks(engine) => Ok(engine),
            Engine::Simulated(_) => Err(Error::Engine {
                doing,
                cause: "a simulated store has no files".to_owned(),
            }),
        }
    }
}
