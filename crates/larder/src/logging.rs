//! The log: structured events on standard error, its filter changeable while running.

use crate::config::{LogFilter, LogFormat};
use crate::watch::EventLayer;
use anyhow::{Context, Error, Result};
use std::borrow::Cow;
use std::io::{self, Write};
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
    let output = fmt::layer().with_writer(|| OneLine);
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

/// Standard error. Each event is one line of it, whatever is in the texts of clients that it has: names of collections may have line feeds.
struct OneLine;

impl Write for OneLine {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.write_all(event)?;
        Ok(event.len())
    }

    // Called once for an event.
    fn write_all(&mut self, event: &[u8]) -> io::Result<()> {
        io::stderr().write_all(&one_line(event))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// An event with its control characters escaped, but for the line feed that ends it.
fn one_line(event: &[u8]) -> Cow<'_, [u8]> {
    let text = event.strip_suffix(b"\n").unwrap_or(event);
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    if !text.iter().any(is_control) {
        return Cow::Borrowed(event);
    }
    let mut line = Vec::with_capacity(event.len() + 16);
    for byte in text {
        match is_control(byte) {
            true => line.extend(byte.escape_ascii()),
            false => line.push(*byte),
        }
    }
    line.extend_from_slice(&event[text.len()..]);
    Cow::Owned(line)
}

fn compiled(filter: &LogFilter) -> Result<EnvFilter> {
    filter.compiled().map_err(Error::msg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_whatever_it_is_about() {
        let event = "WARN collection=db.a\nERROR made up\u{1b}[2J\tß\n".as_bytes();
        let line = one_line(event);
        assert_eq!(
            std::str::from_utf8(&line).unwrap(),
            "WARN collection=db.a\\nERROR made up\\x1b[2J\tß\n"
        );
        let plain = b"INFO opened\n";
        assert!(matches!(one_line(plain), Cow::Borrowed(same) if same == plain));
    }
}
