//! `larder verify`: reads everything, and says what is damaged.

use crate::folder::open_existing;
use anyhow::{Result, bail};
use clap::Args;
use engine::Namespace;
use indicatif::ProgressBar;
use std::io::Write;
use std::path::PathBuf;

/// Which folder.
#[derive(Clone, Debug, Args)]
pub struct VerifyOptions {
    /// A data folder that no server has open. It is opened as at a start, which finishes what a crash interrupted.
    #[arg(long, value_name = "DIR", env = "LARDER_DATA", default_value = "data")]
    data: PathBuf,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

/// Fails if anything is damaged.
pub async fn run(options: &VerifyOptions) -> Result<()> {
    let engine = open_existing(&options.data).await?;
    let collections = engine.all_collections();
    let bar = if options.quiet {
        ProgressBar::hidden()
    } else {
        ProgressBar::new(collections.len() as u64)
    };
    let mut seen = Seen::default();
    for what in engine.catalog_damage() {
        seen.findings += 1;
        bar.suspend(|| {
            writeln!(
                std::io::stdout(),
                "the catalog, in which collections may be missing: {what}"
            )
        })?;
    }
    for namespace in collections {
        bar.set_message(namespace.to_string());
        let report = engine.verify_collection(&namespace).await?;
        seen.documents += report.records;
        let more = report.findings_count - report.findings.len() as u64;
        let more = (more > 0).then(|| format!("{more} more of such findings"));
        seen.findings += report.findings_count;
        bar.suspend(|| print(&namespace, report.findings.iter().chain(&more)))?;
        if let Some(bucket) = engine.bucket_of(&namespace) {
            let report = engine.verify_files(&bucket).await?;
            seen.files += report.files;
            seen.findings += report.findings.len() as u64;
            bar.suspend(|| print(&namespace, report.findings.iter()))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    engine.close().await?;
    let Seen {
        documents,
        files,
        findings,
    } = seen;
    if findings > 0 {
        bail!(
            "{findings} findings in {}: restore a backup (larder restore), or save what can be read (larder repair --into NEW)",
            options.data.display()
        );
    }
    writeln!(
        std::io::stdout(),
        "{documents} documents and {files} files are what was written"
    )?;
    Ok(())
}

/// What was looked at, and how much of it is wrong.
#[derive(Default)]
struct Seen {
    documents: u64,
    files: u64,
    findings: u64,
}

fn print<'a>(namespace: &Namespace, findings: impl Iterator<Item = &'a String>) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for finding in findings {
        writeln!(out, "{namespace}: {finding}")?;
    }
    Ok(())
}
