//! Bytes for a slow reader, kept in a temporary file instead of in memory.

use crate::context::on_another_thread;
use crate::engine::Engine;
use crate::error::Result;
use bytes::Bytes;
use query::spill::{SpillFolder, SpillRun};

/// How many bytes are given at once.
const PIECE_BYTES: usize = 64 * 1024;

/// Bytes in a temporary file, which goes when this is dropped.
#[derive(Debug)]
pub struct SetAside {
    run: SpillRun,
}

impl Engine {
    /// Writes bytes to a temporary file, from which they are read piece by piece. Returns the bytes if there is no room for them.
    pub async fn set_aside(&self, bytes: Bytes) -> Result<SetAside, Bytes> {
        let Some(folder) = self.spill() else {
            return Err(bytes);
        };
        let written = bytes.clone();
        match on_another_thread(move || write(&folder, &written)).await {
            Ok(Ok(run)) => Ok(SetAside { run }),
            Ok(Err(error)) => {
                tracing::debug!(%error, "what a client does not take stays in memory");
                Err(bytes)
            }
            Err(_) => Err(bytes),
        }
    }
}

fn write(folder: &SpillFolder, bytes: &[u8]) -> Result<SpillRun> {
    let mut file = folder.create()?;
    for piece in bytes.chunks(PIECE_BYTES) {
        file.push(&[], piece)?;
    }
    Ok(file.finish()?)
}

impl SetAside {
    /// The next piece; `None` at the end. Afterwards nothing of the file is in memory, and it is not open.
    pub fn next_piece(&mut self) -> Result<Option<Bytes>> {
        let (mut key, mut piece) = (Vec::new(), Vec::new());
        let is_there = self.run.next(&mut key, &mut piece)?;
        self.run.rest();
        Ok(is_there.then(|| piece.into()))
    }
}
