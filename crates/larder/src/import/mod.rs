//! `larder import`: NDJSON, JSON arrays, CSV and lines, plain or compressed, into a collection at the speed of bulk insert; and
//! what a cluster of Riak has ([`riak`]).
//!
//! Files are read and parsed on a thread of their own ([`reader`]) and sent in batches to the [`crate::target`]. What cannot
//! be parsed, or is refused by the collection, is counted, shown and written to a reject file: never dropped in silence.

mod batches;
mod columns;
mod csv;
mod group;
mod infer;
mod input;
mod json;
mod lines;
mod options;
mod reader;
mod reject;
mod riak;
mod sink;
mod tally;

pub use options::{ImportOptions, misplaced};

use crate::target::{Refused, Target};
use anyhow::{Context, Error, Result, bail};
use batches::Batch;
use engine::Namespace;
use reject::Rejects;
use std::path::PathBuf;
use std::time::Instant;

/// How many parsed batches may wait for the target, which bounds the memory when the target is slower than the reader.
const BATCHES_WAITING_MAX: usize = 4;

/// What an import did.
#[derive(Debug, Default)]
struct Totals {
    imported: u64,
    /// Left out because they were there.
    existing: u64,
    rejected: u64,
}

impl Totals {
    /// An error that ends an import, which says what was imported before and stays.
    fn besides(&self, error: Error) -> Error {
        match self.imported {
            0 => error,
            imported => error.context(format!("{imported} documents were imported, and then it failed")),
        }
    }
}

/// Imports the files and says what was done; fails if anything was rejected.
pub async fn run(options: &ImportOptions) -> Result<()> {
    if options.from == Some(options::From::Riak) {
        return riak::run(options).await;
    }
    let collection = options.collection.as_ref().context("--collection is missing")?;
    let is_reject = |file: &&PathBuf| reject::is_same_file(file, &options.reject);
    if let Some(file) = options.files.iter().find(is_reject) {
        bail!(
            "--reject names {}, which is to be imported: name another file",
            file.display()
        );
    }
    let mut rejects = Rejects::new(options.reject.clone())?;
    let target = Target::open(&options.holder).await?;
    let progress = input::progress(options)?;
    let started = Instant::now();
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<Batch>(BATCHES_WAITING_MAX);
    let reading = {
        let (options, progress) = (options.clone(), progress.clone());
        tokio::task::spawn_blocking(move || reader::read_all(&options, &progress, &sender))
    };
    let mut totals = Totals::default();
    while let Some(batch) = receiver.recv().await {
        let written = write(&target, options, collection, &batch, &mut rejects, &mut totals).await;
        written.map_err(|error| totals.besides(error))?;
    }
    let read = reading.await.context("the reading thread failed")?;
    progress.finish_and_clear();
    target.close().await?;
    rejects.finish()?;
    read.map_err(|error| totals.besides(error))?;
    let seconds = started.elapsed().as_secs_f64();
    eprintln!(
        "imported {} documents into {collection} in {seconds:.1} s ({:.0} documents/s), rejected {}",
        totals.imported,
        totals.imported as f64 / seconds.max(1e-9),
        totals.rejected
    );
    if totals.existing > 0 {
        eprintln!("left out {} whose _id was there already", totals.existing);
    }
    if totals.rejected > 0 {
        bail!(
            "{} of the lines were rejected; they are in {}",
            totals.rejected,
            rejects.path().display()
        );
    }
    Ok(())
}

async fn write(
    target: &Target,
    options: &ImportOptions,
    collection: &Namespace,
    batch: &Batch,
    rejects: &mut Rejects,
    totals: &mut Totals,
) -> Result<()> {
    for bad in &batch.bad {
        rejects.add(&bad.place, &bad.reason, &bad.text)?;
        totals.rejected += 1;
    }
    if batch.documents.is_empty() {
        return Ok(());
    }
    let documents = batch
        .documents
        .iter()
        .map(|parsed| parsed.document.clone())
        .collect();
    let mut refused = target.insert(collection, documents).await?;
    totals.imported += (batch.documents.len() - refused.len()) as u64;
    if options.skip_existing {
        let all = refused.len();
        refused.retain(|refused| !refused.is_existing);
        totals.existing += (all - refused.len()) as u64;
    }
    for Refused { index, reason, .. } in refused {
        let parsed = batch
            .documents
            .get(index)
            .context("the server named a document that was not sent")?;
        let text = value::json::to_string(parsed.document.as_ref(), value::json::Mode::Canonical);
        rejects.add(&parsed.place, &reason, text.as_bytes())?;
        totals.rejected += 1;
    }
    Ok(())
}
