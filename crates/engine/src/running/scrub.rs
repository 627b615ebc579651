//! The scrub: reads everything there is, a little at a time, again and again, to find damage while there are still
//! backups without it.

use crate::engine::Engine;
use parking_lot::Mutex;
use std::time::{Duration, Instant};
use store::{Namespace, ScrubPosition, StoreError};

/// Bytes that are read at a time.
const STEP_BYTES: usize = 256 << 10;

/// The shortest time from the beginning of one round to that of the next, so that little is not read all the time.
const ROUND_TIME_MIN: Duration = Duration::from_secs(3600);

/// Findings that are remembered; the log has them all.
const FINDINGS_MAX: usize = 100;

/// The progress of the scrub and its findings.
#[derive(Clone, Debug, Default)]
pub struct ScrubReport {
    /// Whether there is one.
    pub is_on: bool,
    /// The collection that it reads; `None` between two rounds.
    pub namespace: Option<Namespace>,
    /// How often everything was read.
    pub rounds: u64,
    /// Bytes read since the start.
    pub bytes: u64,
    /// Findings since the start; one that is found in every round counts each time.
    pub findings_count: u64,
    /// The first of them, each with its collection.
    pub findings: Vec<String>,
}

/// The state of the scrub.
#[derive(Debug, Default)]
pub(crate) struct Scrub(Mutex<ScrubReport>);

impl Engine {
    /// Begins to read everything in the background, at most this many bytes a second. It ends when the engine is gone.
    pub fn start_scrub(&self, bytes_per_second: u64) {
        self.scrub().0.lock().is_on = true;
        let engine = self.downgrade();
        tokio::spawn(async move {
            loop {
                let began = Instant::now();
                let Some(collections) = engine.upgrade().map(|engine| engine.all_collections()) else {
                    return;
                };
                for namespace in collections {
                    let mut position = Some(ScrubPosition::default());
                    while let Some(at) = position {
                        let Some(engine) = engine.upgrade() else { return };
                        let (read, next) = engine.scrub_step(&namespace, &at).await;
                        drop(engine);
                        position = next;
                        let pause = read as f64 / bytes_per_second.max(1) as f64;
                        tokio::time::sleep(Duration::from_secs_f64(pause)).await;
                    }
                }
                let Some(engine) = engine.upgrade() else { return };
                engine.scrub().round();
                drop(engine);
                tokio::time::sleep(ROUND_TIME_MIN.saturating_sub(began.elapsed())).await;
            }
        });
    }

    /// The progress of the scrub and its findings.
    pub fn scrub_report(&self) -> ScrubReport {
        self.scrub().0.lock().clone()
    }

    /// Reads everything once, now; for tests, and for those who cannot wait.
    pub async fn scrub_once(&self) {
        for namespace in self.all_collections() {
            let mut position = Some(ScrubPosition::default());
            while let Some(at) = position {
                (_, position) = self.scrub_step(&namespace, &at).await;
            }
        }
        self.scrub().round();
    }

    /// Reads a little of a collection. Returns the bytes, and where to go on.
    async fn scrub_step(&self, namespace: &Namespace, at: &ScrubPosition) -> (u64, Option<ScrubPosition>) {
        // One that was dropped meanwhile is done.
        let Some(collection) = self.store().collection(namespace) else {
            return (0, None);
        };
        let scrub = self.scrub();
        match collection.scrub(at, STEP_BYTES).await {
            Ok(read) => {
                scrub.note(namespace, read.bytes, &read.findings);
                (read.bytes, read.next)
            }
            Err(_) if collection.is_dropped() => (0, None),
            // The server stops, or all of the folder is gone, which is said elsewhere: that is no damage of this collection.
            Err(StoreError::Kv(kv::Error::Closed | kv::Error::FolderGone { .. })) => (0, None),
            Err(error) => {
                scrub.note(namespace, 0, &[error.to_string()]);
                (0, None)
            }
        }
    }
}

impl Scrub {
    fn note(&self, namespace: &Namespace, bytes: u64, findings: &[String]) {
        let mut report = self.0.lock();
        if report.namespace.as_ref() != Some(namespace) {
            report.namespace = Some(namespace.clone());
        }
        report.bytes += bytes;
        for what in findings {
            tracing::error!(collection = %namespace, what, "damage was found; restore a backup, or repair the folder");
            report.findings_count += 1;
            if report.findings.len() < FINDINGS_MAX {
                report.findings.push(format!("{namespace}: {what}"));
            }
        }
    }

    fn round(&self) {
        let mut report = self.0.lock();
        report.namespace = None;
        report.rounds += 1;
    }
}
