//! `larder restore`: a backup becomes a data folder again.

use crate::folder::open_existing;
use crate::meter;
use anyhow::{Result, bail};
use backup::{Manifest, Repository};
use clap::Args;
use jiff::Timestamp;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Which backup, and what is done with it.
#[derive(Clone, Debug, Args)]
pub struct RestoreOptions {
    /// The folder of the backups.
    #[arg(value_name = "BACKUPS")]
    repository: PathBuf,
    /// The data folder to be made; it must be empty or not exist.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["list", "verify"])]
    data: Option<PathBuf>,
    /// Which backup; the last one where this is not given.
    #[arg(long, value_name = "NAME")]
    backup: Option<String>,
    /// Only these databases, with commas between them. Users and roles are in the database admin.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["list", "verify"])]
    databases: Vec<String>,
    /// List the backups.
    #[arg(long, conflicts_with_all = ["verify", "data"])]
    list: bool,
    /// Read a backup through and compare it with its checksums; restore nothing.
    #[arg(long, conflicts_with = "data")]
    verify: bool,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

/// Does what is asked.
pub async fn run(options: &RestoreOptions) -> Result<()> {
    let repository = Repository::open(&options.repository)?;
    if options.list {
        return list(&repository);
    }
    let manifest = repository.find(options.backup.as_deref())?;
    let bar = meter::bytes(manifest.bytes(), options.quiet);
    let mut progress = |bytes, _| bar.inc(bytes);
    let Some(folder) = &options.data else {
        let errors = backup::verify(&repository, &manifest, &mut progress);
        bar.finish_and_clear();
        for error in &errors {
            eprintln!("{error}");
        }
        if !errors.is_empty() {
            bail!("the backup {} is damaged: {} parts", manifest.name, errors.len());
        }
        eprintln!(
            "the backup {} is whole: {}",
            manifest.name,
            meter::shown(manifest.bytes())
        );
        return Ok(());
    };
    backup::restore(&repository, &manifest, folder, &mut progress)?;
    bar.finish_and_clear();
    open_once(folder, &options.databases).await?;
    eprintln!("restored {} into {}", manifest.name, folder.display());
    Ok(())
}

/// Opens what was restored, to see that it opens, and drops what is not wanted.
async fn open_once(folder: &Path, databases: &[String]) -> Result<()> {
    let engine = open_existing(folder).await?;
    let there = engine.databases();
    let missing = databases.iter().find(|name| !there.contains(name));
    if !databases.is_empty() && missing.is_none() {
        for other in there.iter().filter(|name| !databases.contains(name)) {
            engine.drop_database(other).await?;
        }
    }
    engine.close().await?;
    match missing {
        Some(name) => bail!(
            "the backup has no database {name}; all were restored: {}",
            there.join(", ")
        ),
        None => Ok(()),
    }
}

fn list(repository: &Repository) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for Manifest {
        name,
        began_ms,
        version,
        files,
    } in &repository.list()?
    {
        let bytes = files.iter().map(backup::File::bytes).sum();
        let began = Timestamp::from_millisecond(i64::try_from(*began_ms)?)?;
        writeln!(
            out,
            "{name}  {began:.0}  {}  {} files  larder {version}",
            meter::shown(bytes),
            files.len()
        )?;
    }
    Ok(())
}
