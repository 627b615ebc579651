//! Signals: SIGTERM and SIGINT end the server, SIGHUP reads the configuration again.

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// End in an orderly way, as the signal of this name asks.
    Stop(&'static str),
    /// Read the configuration again.
    Reload,
}

/// The signals that the server listens to.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Starts listening; from now on none of the signals ends the process by itself.
    pub fn listen() -> Result<Signals> {
        let on = |kind| signal(kind).context("cannot listen to signals");
        Ok(Signals {
            terminate: on(SignalKind::terminate())?,
            interrupt: on(SignalKind::interrupt())?,
            hangup: on(SignalKind::hangup())?,
        })
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.terminate.recv() => Request::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Request::Stop("SIGINT"),
            _ = self.hangup.recv() => Request::Reload,
        }
    }
}
