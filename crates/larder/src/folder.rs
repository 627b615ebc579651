//! Opening a data folder that no server has open, for work on all of it.

use anyhow::{Context, Result, bail};
use engine::{Engine, EngineOptions};
use std::fs::ReadDir;
use std::path::Path;

/// Memory for the engine: data that is read once needs no large cache.
pub const MEMORY_BYTES: usize = 256 << 20;

/// The folder that a fresh file system holds.
const NOTHING: &str = "lost+found";

/// Fails if there is no folder, or nothing in it, as when a disk is not mounted: opening it would begin a new one.
pub fn check_existing(folder: &Path) -> Result<()> {
    let is_empty =
        |mut entries: ReadDir| entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == NOTHING));
    if !folder.exists() || folder.read_dir().is_ok_and(is_empty) {
        bail!("there is no data folder {}", folder.display());
    }
    Ok(())
}

/// Opens a folder, which must exist.
pub async fn open_existing(folder: &Path) -> Result<Engine> {
    check_existing(folder)?;
    let options = EngineOptions {
        folder: folder.to_owned(),
        memory_bytes: MEMORY_BYTES,
    };
    let opened = Engine::open(&options).await;
    opened.with_context(|| format!("cannot open the data folder {}", folder.display()))
}
