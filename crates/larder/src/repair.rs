//! `larder repair`: a damaged data folder becomes usable again, without what cannot be saved.

use anyhow::{Result, bail};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Which folder, and what is done.
#[derive(Clone, Debug, Args)]
pub struct RepairOptions {
    /// A data folder that no server has open.
    #[arg(long, value_name = "DIR", env = "LARDER_DATA", default_value = "data")]
    data: PathBuf,
    /// Cut the log off where it is damaged. What was acknowledged behind that place is given up; the files are kept in the
    /// folder cut-off of the data folder.
    #[arg(long, required = true)]
    cut_log: bool,
}

/// Does what is asked.
pub fn run(options: &RepairOptions) -> Result<()> {
    if !options.data.exists() {
        bail!("there is no data folder {}", options.data.display());
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
