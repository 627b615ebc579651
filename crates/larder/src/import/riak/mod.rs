//! `larder import --from riak`: what a running cluster has, read through its HTTP and written through Larder's own.
//!
//! For each bucket type that is named, each bucket gets the properties that it has there, and its objects are copied with all
//! their siblings and metadata ([`object`]), data types by their values ([`datatype`]). A file says which objects are done
//! ([`state`]), so an import that was cut off goes on; an object that is copied twice by that is recognized. Nothing that the
//! target has is overwritten: an object of another content becomes a sibling of it.

mod bucket;
mod datatype;
mod multipart;
mod object;
mod server;
mod state;

use super::ImportOptions;
use super::reject::Rejects;
use anyhow::{Context, Result, bail};
use bucket::{Bucket, BucketKind};
use indicatif::{ProgressBar, ProgressStyle};
use server::Server;
use state::ImportState;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The objects that are on their way at once.
const PARALLEL: usize = 16;
/// How often the progress is drawn anew.
const DRAWN_EVERY: Duration = Duration::from_millis(200);

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Copied,
    /// It was listed, but is deleted.
    Gone,
}

#[derive(Debug, Default)]
struct Totals {
    copied: u64,
    gone: u64,
    done_before: u64,
    rejected: u64,
}

struct Import {
    source: Arc<Server>,
    target: Arc<Server>,
    state: ImportState,
    rejects: Rejects,
    progress: ProgressBar,
    totals: Totals,
}

/// Copies all and says what was done; fails if anything was rejected.
pub async fn run(options: &ImportOptions) -> Result<()> {
    let [source] = options.files.as_slice() else {
        bail!(
            "--from riak takes one address, that of the HTTP of one of the cluster's nodes: http://HOST:8098"
        );
    };
    let source = source.to_str().context("the address is no UTF-8")?;
    let progress = match options.quiet {
        true => ProgressBar::hidden(),
        false => ProgressBar::new_spinner().with_style(ProgressStyle::with_template(
            "{spinner} {pos} objects {per_sec} {elapsed} {msg}",
        )?),
    };
    progress.enable_steady_tick(DRAWN_EVERY);
    let mut import = Import {
        source: Arc::new(Server::new(source)?),
        target: Arc::new(Server::new(&options.riak)?),
        state: ImportState::open(&options.state, source)?,
        rejects: Rejects::new(options.reject.clone())?,
        progress,
        totals: Totals::default(),
    };
    import.source.ping().await?;
    import.target.ping().await?;
    let started = Instant::now();
    let copied = import.copy(options).await;
    import.progress.finish_and_clear();
    import.state.flush()?;
    import.rejects.finish()?;
    copied.with_context(|| {
        format!(
            "the import was cut off; run again, it goes on ({})",
            options.state.display()
        )
    })?;
    let totals = &import.totals;
    let seconds = started.elapsed().as_secs_f64();
    eprintln!(
        "imported {} objects from {} in {seconds:.1} s ({:.0} objects/s), {} were imported before, {} are deleted there, rejected {}",
        totals.copied,
        import.source,
        totals.copied as f64 / seconds.max(1e-9),
        totals.done_before,
        totals.gone,
        totals.rejected
    );
    if totals.rejected > 0 {
        bail!(
            "{} objects were rejected; they are in {}, and are tried again by another run",
            totals.rejected,
            import.rejects.path().display()
        );
    }
    import.state.remove()
}

impl Import {
    async fn copy(&mut self, options: &ImportOptions) -> Result<()> {
        let named = options.bucket_types.iter().map(|name| Some(name.clone()));
        for kind in std::iter::once(None).chain(named) {
            for name in bucket::list(&self.source, kind.as_deref()).await? {
                if options.buckets.is_empty() || options.buckets.contains(&name) {
                    let bucket = Bucket::open(&self.source, &self.target, kind.clone(), name).await?;
                    self.copy_bucket(&bucket).await?;
                    bucket.finish(&self.target).await?;
                }
            }
        }
        Ok(())
    }

    async fn copy_bucket(&mut self, bucket: &Bucket) -> Result<()> {
        self.progress.set_message(bucket.to_string());
        let mut keys = bucket::Keys::open(&self.source, bucket).await?;
        let mut running: JoinSet<(String, Result<Outcome>)> = JoinSet::new();
        while let Some(page) = keys.next().await? {
            for key in page {
                if self.state.is_done(bucket, &key) {
                    self.totals.done_before += 1;
                    continue;
                }
                while running.len() >= PARALLEL {
                    self.take(bucket, &mut running).await?;
                }
                let (source, target, bucket) = (self.source.clone(), self.target.clone(), bucket.clone());
                running.spawn(async move {
                    let copied = match bucket.kind {
                        BucketKind::Objects => object::copy(&source, &target, &bucket, &key).await,
                        BucketKind::DataType => datatype::copy(&source, &target, &bucket, &key).await,
                    };
                    (key, copied)
                });
            }
        }
        while !running.is_empty() {
            self.take(bucket, &mut running).await?;
        }
        Ok(())
    }

    /// Waits for one object.
    async fn take(
        &mut self,
        bucket: &Bucket,
        running: &mut JoinSet<(String, Result<Outcome>)>,
    ) -> Result<()> {
        let Some(ended) = running.join_next().await else {
            return Ok(());
        };
        let (key, copied) = ended.context("a copy ended without an outcome")?;
        self.progress.inc(1);
        match copied {
            Ok(Outcome::Copied) => self.totals.copied += 1,
            Ok(Outcome::Gone) => self.totals.gone += 1,
            Err(error) if error.is::<server::Unreachable>() => return Err(error),
            Err(error) => {
                self.totals.rejected += 1;
                let place = format!("{bucket}/{key}");
                return self.rejects.add(&place, &format!("{error:#}"), key.as_bytes());
            }
        }
        self.state.done(bucket, &key)
    }
}
