//! Background work: expired documents, idle cursors and sessions.

use crate::engine::Engine;
use crate::limits::SWEEP_INTERVAL_MS;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use value::date::now_ms;

/// Starts the sweeps; they end when the engine is gone.
pub(crate) fn start(engine: &Engine) {
    let engine = engine.downgrade();
    tokio::spawn(async move {
        if let Some(engine) = engine.upgrade() {
            // What uploads left that a crash ended is not kept until the first tick.
            engine.sweep_unfinished_files().await;
        }
        let mut last = Instant::now();
        loop {
            let Some(swept) = engine.upgrade().map(|engine| engine.sweeps().clone()) else {
                return;
            };
            let next = last + Duration::from_millis(swept.interval_ms());
            tokio::select! {
                () = tokio::time::sleep_until(next.into()) => {}
                // Another interval counts from the last sweep too.
                () = swept.changed.notified() => continue,
            }
            let Some(engine) = engine.upgrade() else { return };
            engine.sweep().await;
            last = Instant::now();
        }
    });
}

/// How often the sweeps are made.
#[derive(Debug)]
pub(crate) struct Sweeps {
    interval_ms: AtomicU64,
    changed: Notify,
}

impl Default for Sweeps {
    fn default() -> Sweeps {
        Sweeps {
            interval_ms: AtomicU64::new(SWEEP_INTERVAL_MS),
            changed: Notify::new(),
        }
    }
}

impl Sweeps {
    fn interval_ms(&self) -> u64 {
        self.interval_ms.load(Ordering::Relaxed)
    }
}

impl Engine {
    /// How often expired documents, idle cursors and sessions are looked for.
    pub fn sweep_interval(&self) -> Duration {
        Duration::from_millis(self.sweeps().interval_ms())
    }

    /// Looks for them as often as this, until the process ends.
    pub fn set_sweep_interval(&self, interval: Duration) {
        let sweeps: &Arc<Sweeps> = self.sweeps();
        sweeps
            .interval_ms
            .store(interval.as_millis() as u64, Ordering::Relaxed);
        sweeps.changed.notify_one();
    }

    /// One round of the sweeps, now.
    pub async fn sweep(&self) {
        self.cursors().close_idle();
        self.moments().expire();
        for session in self.sessions().forget_idle() {
            self.cursors().close_of_session(&session);
        }
        if let Err(error) = store::sweep::run_once(self.store(), now_ms()).await {
            tracing::warn!(%error, "expired documents could not be removed; tried again in a minute");
        }
        self.sweep_unfinished_files().await;
    }

    async fn sweep_unfinished_files(&self) {
        if let Err(error) = self.sweep_files().await {
            tracing::warn!(%error, "unfinished uploads could not be removed; tried again in a minute");
        }
    }
}
