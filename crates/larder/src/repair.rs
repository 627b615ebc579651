//! `larder repair`: a damaged data folder becomes usable again, without what cannot be saved.

use crate::folder::{check_existing, open_existing};
use anyhow::{Result, bail};
use clap::Args;
use engine::SalvagedCollection;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Findings of one collection that are shown.
const SHOWN_MAX: usize = 20;

/// Which folder, and what is done.
#[derive(Clone, Debug, Args)]
pub struct RepairOptions {
    /// A data folder that no server has open.
    #[arg(long, value_name = "DIR", env = "LARDER_DATA", default_value = "data")]
    data: PathBuf,
    /// Cut the log off where it is damaged. What was acknowledged after that place is given up; the files are kept in the
    /// folder cut-off of the data folder.
    #[arg(long, required_unless_present = "into", conflicts_with = "into")]
    cut_log: bool,
    /// Copy all that can be read into this new data folder, and list what cannot. The damaged one stays as it is.
    #[arg(long, value_name = "NEW")]
    into: Option<PathBuf>,
}

/// Does what is asked.
pub async fn run(options: &RepairOptions) -> Result<()> {
    check_existing(&options.data)?;
    if let Some(into) = &options.into {
        return salvage(&options.data, into).await;
    }
    let mut out = std::io::stdout().lock();
    match engine::cut_log(&options.data)? {
        Some(lost) => writeln!(
            out,
            "{lost}\nThis was done; the files are kept in the folder cut-off."
        )?,
        None => writeln!(out, "the log is whole: nothing was done")?,
    }
    Ok(())
}

async fn salvage(from: &Path, into: &Path) -> Result<()> {
    if into.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        bail!(
            "{} is not empty: name an empty folder, or one that does not exist",
            into.display()
        );
    }
    let mut printed = Ok(());
    let salvaged = engine::salvage(from, into, |collection| {
        if printed.is_ok() {
            printed = print(collection);
        }
    })
    .await?;
    printed?;
    // The new folder is opened once, to see that it opens.
    open_existing(into).await?.close().await?;
    let mut out = std::io::stdout().lock();
    for what in &salvaged.catalog {
        writeln!(out, "collections may be missing: {what}")?;
    }
    let damaged = salvaged
        .collections
        .iter()
        .filter(|one| !one.lost.is_empty())
        .count();
    let (all, into) = (salvaged.collections.len(), into.display());
    writeln!(
        out,
        "{all} collections are in {into}, {damaged} of them without what cannot be read"
    )?;
    Ok(())
}

fn print(collection: &SalvagedCollection) -> std::io::Result<()> {
    if collection.lost.is_empty() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    let SalvagedCollection { namespace, saved, .. } = collection;
    match collection.documents {
        Some(documents) => writeln!(out, "{namespace}: {saved} of {documents} documents were saved")?,
        None => writeln!(
            out,
            "{namespace}: {saved} documents were saved; how many there were cannot be read"
        )?,
    }
    for what in collection.lost.iter().take(SHOWN_MAX) {
        writeln!(out, "  {what}")?;
    }
    match collection.lost.len().saturating_sub(SHOWN_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}
