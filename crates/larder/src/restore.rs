//! `larder restore`: a backup becomes a data folder again.

use crate::folder::{MEMORY_BYTES, open_existing};
use crate::meter;
use anyhow::{Result, bail};
use backup::{File, Manifest, Repository};
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
    /// Which backup; by default the last one.
    #[arg(long, value_name = "NAME")]
    backup: Option<String>,
    /// Restore what had been acknowledged by this moment, between two backups that were taken with --archive:
    /// 2026-01-31T23:59:59.5Z, or with an offset, +01:00.
    #[arg(long, value_name = "TIME", conflicts_with_all = ["list", "verify", "backup"])]
    until: Option<Timestamp>,
    /// Only these databases, with commas between them. Users and roles are in the database admin.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["list", "verify"])]
    databases: Vec<String>,
    /// List the backups.
    #[arg(long, conflicts_with_all = ["verify", "data", "backup"])]
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
    if options.list {
        return list(&options.repository);
    }
    let repository = Repository::open(&options.repository)?;
    let (manifest, archived) = chosen(options, &repository)?;
    let total = manifest.bytes() + archived.iter().map(File::bytes).sum::<u64>();
    let bar = meter::bytes(total, options.quiet);
    let mut progress = |bytes| bar.inc(bytes);
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
    backup::restore(&repository, &manifest, &archived, folder, &mut progress)?;
    bar.finish_and_clear();
    let and_then = match options.until.filter(|_| !archived.is_empty()) {
        None => String::new(),
        Some(until) => {
            let replayed = engine::replay(folder, MEMORY_BYTES, milliseconds(until)).await?;
            format!(" and {replayed} changes after it, up to {until}")
        }
    };
    open_once(folder, &options.databases).await?;
    eprintln!("restored {}{and_then} into {}", manifest.name, folder.display());
    Ok(())
}

/// The backup that is asked for, and what of the archive is to be made again after it.
fn chosen(options: &RestoreOptions, repository: &Repository) -> Result<(Manifest, Vec<File>)> {
    match options.until {
        Some(until) => Ok(backup::reaching(repository.readable()?.0, milliseconds(until))?),
        None => Ok((repository.find(options.backup.as_deref())?, Vec::new())),
    }
}

/// The time is counted from 1970; a moment before that is before every backup.
fn milliseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_millisecond()).unwrap_or(0)
}

/// Opens the restored folder, to see that it opens, and drops the databases that are not wanted.
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

/// Lists the backups, although one may be under way.
fn list(folder: &Path) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let (manifests, damaged) = backup::readable(folder)?;
    for Manifest {
        name,
        began_ms,
        version,
        files,
        archived,
        ..
    } in &manifests
    {
        let bytes = files.iter().map(File::bytes).sum();
        let archived = archived.as_ref().map_or("", |_| "  with --archive");
        let began = Timestamp::from_millisecond(i64::try_from(*began_ms)?)?;
        writeln!(
            out,
            "{name}  {began:.0}  {}  {} files  larder {version}{archived}",
            meter::shown(bytes),
            files.len()
        )?;
    }
    for error in &damaged {
        eprintln!("{error}");
    }
    match damaged.len() {
        0 => Ok(()),
        damaged => bail!("{damaged} of the backups cannot be read"),
    }
}
