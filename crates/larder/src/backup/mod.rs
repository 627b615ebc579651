//! `larder backup`: copies what changed since the last time into a folder of backups.

mod server;

use crate::config::ByteSize;
use crate::folder::open_existing;
use crate::http_server::HttpServer;
use crate::meter;
use anyhow::Result;
use backup::{Pace, Repository, Source, Taken};
use clap::Args;
use engine::Archiving;
use jiff::Timestamp;
use server::ServerBackup;
use std::path::{Path, PathBuf};

/// What is backed up, and where to.
#[derive(Clone, Debug, Args)]
pub struct BackupOptions {
    /// The folder of the backups, which is made if it does not exist.
    #[arg(value_name = "BACKUPS")]
    repository: PathBuf,
    /// A running server's own HTTP, with the name and password of a user who may read everything (role backup or root).
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://127.0.0.1:7070",
        env = "LARDER_HTTP_SERVER",
        hide_env_values = true
    )]
    server: HttpServer,
    /// A data folder that no server has open, in place of a server.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Copy at most this much a second: 20m, 1g … Without it, a server's backup gives way to those who write.
    #[arg(long, value_name = "SIZE", value_parser = rate)]
    rate: Option<ByteSize>,
    /// Keep this many backups, the new one among them, and remove those before.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Archive all changes from now on, so that later backups with --archive can be restored to any moment between them
    /// (larder restore --until).
    #[arg(long)]
    archive: bool,
    /// Archive no changes any more after this backup.
    #[arg(long, conflicts_with = "archive")]
    end_archive: bool,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

/// Bytes a second at least: a mebibyte is read at a time, and a server ends a backup of which it hears nothing for ten minutes.
const RATE_MIN: usize = 16 << 10;

/// A rate at which a backup comes to its end.
fn rate(text: &str) -> Result<ByteSize, String> {
    match text.parse()? {
        ByteSize(0) => {
            Err("nothing would be copied; leave --rate out for a backup that gives way to others".to_owned())
        }
        ByteSize(..RATE_MIN) => Err(format!(
            "{text} bytes a second are too few, the least is 16k; megabytes are written 20m"
        )),
        rate => Ok(rate),
    }
}

impl BackupOptions {
    fn archiving(&self) -> Archiving {
        match (self.archive, self.end_archive) {
            (true, _) => Archiving::Keep,
            (_, true) => Archiving::End,
            _ => Archiving::AsItIs,
        }
    }
}

/// Takes a backup.
pub async fn run(options: &BackupOptions) -> Result<()> {
    let repository = Repository::create(&options.repository)?;
    let taken = match &options.data {
        Some(folder) => of_folder(options, folder, &repository).await?,
        None => of_server(options, &repository).await?,
    };
    report(&taken);
    for error in repository.readable()?.1 {
        eprintln!("an earlier backup is damaged: {error}");
    }
    if let Some(keep) = options.keep {
        for name in repository.prune(keep as usize)? {
            eprintln!("removed the backup {name}");
        }
    }
    Ok(())
}

async fn of_folder(options: &BackupOptions, folder: &Path, repository: &Repository) -> Result<Taken> {
    let engine = open_existing(folder).await?;
    let checkpoint = engine.checkpoint(options.archiving()).await?;
    let taken = take(options, repository, &checkpoint.source(), checkpoint.began_ms()).await;
    if taken.is_ok() {
        engine.forget_archived(&checkpoint).await?;
    }
    drop(checkpoint);
    engine.close().await?;
    taken
}

async fn of_server(options: &BackupOptions, repository: &Repository) -> Result<Taken> {
    let gives_way = options.rate.is_none();
    let begun = ServerBackup::begin(&options.server, options.archiving(), gives_way).await?;
    let taken = take(options, repository, &begun, begun.began_ms()).await;
    // The server would end it by itself in some minutes.
    if let Err(error) = begun.end(taken.is_ok()).await {
        eprintln!("the server was not told that the backup has ended: {error:#}");
    }
    taken
}

async fn take(
    options: &BackupOptions,
    repository: &Repository,
    source: &impl Source,
    began_ms: u64,
) -> Result<Taken> {
    let bar = meter::bytes(source.bytes(), options.quiet);
    let began = Timestamp::from_millisecond(i64::try_from(began_ms)?)?;
    let name = began.strftime("%Y%m%dT%H%M%SZ").to_string();
    let pace = Pace::new(options.rate.map(|rate| rate.0 as u64));
    let mut progress = |bytes| bar.inc(bytes);
    let taken = backup::take(source, repository, &name, began_ms, pace, &mut progress).await;
    bar.finish_and_clear();
    Ok(taken?)
}

fn report(taken: &Taken) {
    eprintln!(
        "backed up {} as {}: {} were read, {} were new",
        meter::shown(taken.manifest.bytes()),
        taken.manifest.name,
        meter::shown(taken.read_bytes),
        meter::shown(taken.new_bytes)
    );
}
