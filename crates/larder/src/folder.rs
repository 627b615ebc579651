//! Opening a data folder that no server has open, for work on all of it.

use anyhow::{Context, Result, bail};
use engine::{Engine, EngineOptions};
use std::path::Path;

/// Memory for the engine: what is read once needs no large cache.
pub const MEMORY_BYTES: usize = 256 << 20;

/// Opens a folder, which must exist.
pub async fn open_existing(folder: &Path) -> Result<Engine> {
    if !folder.exists() {
        bail!("there is no data folder {}", folder.display());
    }
    let options = EngineOptions {
        folder: folder.to_owned(),
        memory_bytes: MEMORY_BYTES,
    };
    let opened = Engine::open(&options).await;
    opened.with_context(|| format!("cannot open the data folder {}", folder.display()))
}
