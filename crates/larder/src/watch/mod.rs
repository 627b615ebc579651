//! The machine watched by the server itself: its figures and Larder's own log, kept as documents.
//!
//! A document `{_id: "machine"}` in `larder.watched` asks for it, so whoever may write there turns it on and off with any client, and a
//! restart goes on. Figures go to `larder.figures`, which forgets them after 30 days, the log to the capped `larder.log`.

mod events;

pub use events::{EventLayer, Events, events};

use agent::config::Figures;
use agent::source::figures::Sampler;
use engine::{CappedOptions, Context, CountRequest, CreateRequest, Engine, Namespace, Result, WriteOptions};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use value::{Document, DocumentBuf, Value};

/// The database of all that is kept here.
const DATABASE: &str = "larder";
/// The `_id` of the document that asks for it.
const MACHINE: &str = "machine";
/// How long figures are kept.
const FIGURES_SECONDS: i64 = 30 * 24 * 3600;
/// The size of the log that is kept.
const LOG_BYTES: u64 = 16 << 20;

/// How often the server checks whether it is asked to watch.
const LOOK_PERIOD: Duration = Duration::from_secs(2);
/// How soon the first figures come, some of which are differences between two readings.
const FIRST_AFTER: Duration = Duration::from_secs(1);
/// How long each figure is written at once, for people who wait to see the first ones.
const EAGER_TIME: Duration = Duration::from_secs(60);
/// Figures that are written together afterwards: a minute of them, which spares the cards of small machines.
const FIGURES_TOGETHER: usize = 6;

/// Watches while somebody asks for it, until the server stops.
pub async fn run(engine: Engine, mut events: Events, mut stopped: watch::Receiver<bool>) {
    let mut running: Option<Watch> = None;
    loop {
        let mut pause = LOOK_PERIOD;
        match (is_asked(&engine).await, &mut running) {
            (true, None) => {
                events.begin();
                running = Some(Watch::new());
                tracing::info!("watching this machine: figures go to larder.figures, the log to larder.log");
                continue;
            }
            (true, Some(watch)) => {
                if let Err(error) = watch.turn(&engine, &mut events).await {
                    // What could not be written is dropped; otherwise the next attempt would only be larger.
                    watch.pending.clear();
                    tracing::warn!(%error, "what was watched of this machine could not be kept");
                }
                pause = pause.min(watch.next.saturating_duration_since(Instant::now()));
            }
            (false, Some(_)) => {
                events.end();
                running = None;
                tracing::info!("this machine is watched no more");
            }
            (false, None) => {}
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
    }
    if let Some(watch) = &mut running {
        // The rest of a minute.
        let _ = watch.write(&engine, &mut events).await;
    }
}

async fn is_asked(engine: &Engine) -> bool {
    let request = CountRequest {
        filter: Document::new().with("_id", MACHINE),
        ..CountRequest::default()
    };
    let counted = engine
        .count(&Context::default(), &namespace("watched"), &request)
        .await;
    counted.is_ok_and(|count| count > 0)
}

fn namespace(collection: &str) -> Namespace {
    Namespace::new(DATABASE, collection)
}

/// What runs while somebody asks.
struct Watch {
    sampler: Sampler,
    figures: Figures,
    begun: Instant,
    /// When the next figures are due.
    next: Instant,
    /// Figures that are not written yet.
    pending: Vec<DocumentBuf>,
}

impl Watch {
    fn new() -> Watch {
        let now = Instant::now();
        Watch {
            sampler: Sampler::new(),
            figures: Figures::default(),
            begun: now,
            next: now + FIRST_AFTER,
            pending: Vec::new(),
        }
    }

    /// Takes figures if they are due, and writes what is to be written.
    async fn turn(&mut self, engine: &Engine, events: &mut Events) -> Result<()> {
        let now = Instant::now();
        if now >= self.next {
            let head = Document::new()
                .with("time", Value::DateTime(value::date::now_ms()))
                .with("host", engine::host_name());
            let figures = self.sampler.take(&self.figures);
            let document: Document = head.into_iter().chain(figures).collect();
            self.pending.push(DocumentBuf::from(&document));
            self.next = now + self.figures.every.0;
        }
        let is_eager = self.begun.elapsed() < EAGER_TIME;
        if is_eager || self.pending.len() >= FIGURES_TOGETHER {
            self.write(engine, events).await?;
        }
        Ok(())
    }

    /// Writes figures and events that wait.
    async fn write(&mut self, engine: &Engine, events: &mut Events) -> Result<()> {
        let figures = std::mem::take(&mut self.pending);
        if !figures.is_empty() {
            let forgotten = Document::new().with("expireAfterSeconds", FIGURES_SECONDS);
            prepare(engine, "figures", CreateRequest::default(), forgotten).await?;
            insert(engine, "figures", figures).await?;
        }
        let lines = events.take();
        if !lines.is_empty() {
            let capped = CreateRequest {
                capped: Some(CappedOptions {
                    size_bytes: LOG_BYTES,
                    documents_max: None,
                }),
                ..CreateRequest::default()
            };
            prepare(engine, "log", capped, Document::new()).await?;
            insert(engine, "log", lines).await?;
        }
        Ok(())
    }
}

/// Makes a collection with an index on its time, if it is not there: somebody may have dropped it meanwhile.
async fn prepare(engine: &Engine, collection: &str, request: CreateRequest, options: Document) -> Result<()> {
    let namespace = namespace(collection);
    if engine.collection_entry(&namespace).is_some() {
        return Ok(());
    }
    engine.create_collection(&namespace, request).await?;
    let by_time = Document::new()
        .with("key", Document::new().with("time", 1_i32))
        .with("name", "time_1");
    let spec = by_time.into_iter().chain(options).collect();
    engine.create_indexes(&namespace, &[spec]).await?;
    Ok(())
}

async fn insert(engine: &Engine, collection: &str, documents: Vec<DocumentBuf>) -> Result<()> {
    let options = WriteOptions {
        journaled: false,
        ..WriteOptions::default()
    };
    let inserted = engine
        .insert(&Context::default(), &namespace(collection), documents, &options)
        .await?;
    match inserted.failures.into_iter().next() {
        None => Ok(()),
        Some(failure) => Err(failure.error),
    }
}
