//! What goes on without being asked: expired documents, idle cursors and sessions.

use crate::engine::Engine;
use crate::limits::SWEEP_INTERVAL_MS;
use std::time::Duration;
use value::date::now_ms;

/// Starts the sweeps; they end when the engine is gone.
pub(crate) fn start(engine: &Engine) {
    let engine = engine.downgrade();
    tokio::spawn(async move {
        if let Some(engine) = engine.upgrade() {
            // What uploads left that a crash ended is not kept until the first tick.
            engine.sweep_unfinished_files().await;
        }
        let mut ticks = tokio::time::interval(Duration::from_millis(SWEEP_INTERVAL_MS));
        ticks.tick().await;
        loop {
            ticks.tick().await;
            let Some(engine) = engine.upgrade() else { return };
            engine.sweep().await;
        }
    });
}

impl Engine {
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
