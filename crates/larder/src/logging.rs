//! The log: structured events on standard error, its filter changeable while running.

use crate::config::{LogFilter, LogFormat};
use crate::watch::EventLayer;
use anyhow::{Context, Error, Result};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, fmt, reload};

/// Changes what is logged.
#[derive(Clone, Debug)]
pub struct LogControl {
    filter: reload::Handle<EnvFilter, Registry>,
}

/// Starts logging; what is logged goes to `events`, too.
pub fn start(filter: &LogFilter, format: LogFormat, events: EventLayer) -> Result<LogControl> {
    let (layer, handle) = reload::Layer::new(compiled(filter)?);
    let registry = tracing_subscriber::registry().with(layer).with(events);
    let output = fmt::layer().with_writer(std::io::stderr);
    match format {
        LogFormat::Text => registry.with(output.with_ansi(false)).try_init()?,
        LogFormat::Json => registry.with(output.json().flatten_event(true)).try_init()?,
    }
    Ok(LogControl { filter: handle })
}

impl LogControl {
    /// Logs by this filter from now on.
    pub fn change(&self, filter: &LogFilter) -> Result<()> {
        self.filter
            .reload(compiled(filter)?)
            .context("the log's filter could not be changed")
    }
}

fn compiled(filter: &LogFilter) -> Result<EnvFilter> {
    filter.compiled().map_err(Error::msg)
}
