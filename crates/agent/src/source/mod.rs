//! Where records come from: a folder or file for each kind of source.

mod collected;
mod device;
mod figures;
mod files;
mod journal;
mod lines;
mod program;
mod stream;
mod syslog;

pub use files::found as files_found;
pub use lines::{Line, Lines};

use crate::config::{Kind, Source};
use crate::counters::Counters;
use crate::processor::Processor;
use crate::spool::{Batch, Positions};
use anyhow::Result;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Between a source's name and what it calls a position.
const SEPARATOR: char = '\u{1f}';

/// How long the last records wait for room.
const LAST_TIME_MAX: Duration = Duration::from_secs(2);

/// Records that a source gives at once at most.
pub const RECORDS_MAX: usize = 500;
/// Bytes that a source gives at once, about.
pub const BYTES_MAX: usize = 128 << 10;

/// What every source has.
#[derive(Clone, Debug)]
pub struct Intake {
    name: String,
    target: String,
    processor: Processor,
    sender: mpsc::Sender<Batch>,
    stop: watch::Receiver<bool>,
    is_once: bool,
}

/// How sources are started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The device's name.
    pub device: String,
    /// Where records go to be kept.
    pub sender: mpsc::Sender<Batch>,
    /// Becomes true when sources are to end.
    pub stop: watch::Receiver<bool>,
    /// Whether sources end when there is nothing more to read now.
    pub is_once: bool,
    /// What is counted.
    pub counters: Arc<Counters>,
}

/// Runs a source until it is to stop; `positions` are those that an earlier start has reached.
pub async fn run(source: Source, start: Start, positions: BTreeMap<String, String>) -> Result<()> {
    let intake = Intake {
        name: source.name.clone(),
        target: source.to.clone(),
        processor: Processor::new(&source, &start.device, start.counters)?,
        sender: start.sender,
        stop: start.stop,
        is_once: start.is_once,
    };
    match source.kind()? {
        Kind::Files(files) => files::run(intake, &source, files, positions).await,
        Kind::Journal(journal) => journal::run(intake, &source, journal, positions).await,
        Kind::Syslog(syslog) => syslog::run(intake, &source, syslog).await,
        Kind::Program(program) => program::run(intake, &source, program).await,
        Kind::Figures(figures) => figures::run(intake, figures).await,
        Kind::Device(device) => device::run(intake, &source, device).await,
    }
}

/// The positions of a source among those of all.
pub fn positions_of(name: &str, all: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let own = all.iter().filter_map(|(key, value)| {
        let (of, key) = key.split_once(SEPARATOR)?;
        (of == name).then(|| (key.to_owned(), value.clone()))
    });
    own.collect()
}

impl Intake {
    /// Gives records and the positions behind them; waits where the spool does. False when nobody takes them any more.
    pub async fn give(&mut self, records: Vec<Bytes>, positions: Positions) -> bool {
        let own = |(key, value)| (format!("{}{SEPARATOR}{key}", self.name), value);
        let batch = Batch {
            target: self.target.clone(),
            positions: positions.into_iter().map(own).collect(),
            records,
        };
        tokio::select! {
            given = self.sender.send(batch) => given.is_ok(),
            // Positions are not ahead of what is kept, so what is not given now is read again.
            _ = self.stop.wait_for(|stop| *stop) => false,
        }
    }

    /// Gives what came before the end from a source that cannot give it again.
    pub async fn give_last(&mut self, records: Vec<Bytes>) {
        let batch = Batch {
            target: self.target.clone(),
            positions: Positions::new(),
            records,
        };
        let _ = self.sender.send_timeout(batch, LAST_TIME_MAX).await;
    }

    /// Returns when it is time to end.
    pub async fn stopped(&mut self) {
        let _ = self.stop.wait_for(|stop| *stop).await;
    }

    /// Waits; false when it is time to end.
    pub async fn pause(&mut self, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => true,
            _ = self.stop.wait_for(|stop| *stop) => false,
        }
    }
}
