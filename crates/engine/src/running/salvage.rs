//! Saving what can be read of a damaged data folder into a new one.

use crate::error::Result;
use kv::{Kv, OpenOptions};
use std::path::Path;
use store::{Salvaged, SalvagedCollection, StoreOptions};

/// Memory for each of the two folders.
const MEMORY_BYTES: usize = 128 << 20;

/// Copies what can be read of a folder that no server has open into a new one, which opens only when all of it is there. `tell` hears
/// of each collection.
pub async fn salvage(from: &Path, into: &Path, tell: impl FnMut(&SalvagedCollection)) -> Result<Salvaged> {
    let options = |folder: &Path| OpenOptions {
        folder: folder.to_owned(),
        memory_bytes: MEMORY_BYTES,
    };
    let from = Kv::open(&options(from))?;
    let (folder, into) = (into, Kv::open_to_fill(&options(into))?);
    let options = StoreOptions::new(crate::catalog::partial_filter::compile);
    let salvaged = store::salvage(&from, &into, &options, tell).await?;
    into.close().await?;
    Kv::end_filling(folder)?;
    from.close().await?;
    Ok(salvaged)
}
