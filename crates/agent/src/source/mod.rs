//! Where records come from: a folder or file for each kind of source.

mod collected;
mod device;
pub mod figures;
mod files;
mod intake;
mod journal;
mod lines;
mod program;
mod stream;
mod syslog;

pub use files::found as files_found;
pub use intake::{BYTES_MAX, Intake, RECORDS_MAX};
pub use lines::{Line, Lines};

use crate::config::{Source, SourceKind};
use crate::counters::AgentCounters;
use crate::processor::Processor;
use crate::spool::Batch;
use anyhow::Result;
use intake::SEPARATOR;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// What all sources are run with.
#[derive(Clone, Debug)]
pub struct SourceContext {
    /// The device's name.
    pub device: String,
    /// Where records go to be kept.
    pub sender: mpsc::Sender<Batch>,
    /// Becomes true when sources are to end.
    pub stop: watch::Receiver<bool>,
    /// Whether sources end when there is nothing more to read now.
    pub is_once: bool,
    /// What is counted.
    pub counters: Arc<AgentCounters>,
}

/// Runs a source until it is to stop; `positions` are those that an earlier start has reached.
pub async fn run(source: Source, context: SourceContext, positions: BTreeMap<String, String>) -> Result<()> {
    let intake = Intake {
        name: source.name.clone(),
        target: source.to.clone(),
        processor: Processor::new(&source, &context.device, context.counters)?,
        sender: context.sender,
        stop: context.stop,
        is_once: context.is_once,
    };
    match source.kind()? {
        SourceKind::Files(files) => files::run(intake, &source, files, positions).await,
        SourceKind::Journal(journal) => journal::run(intake, &source, journal, positions).await,
        SourceKind::Syslog(syslog) => syslog::run(intake, &source, syslog).await,
        SourceKind::Program(program) => program::run(intake, &source, program).await,
        SourceKind::Figures(figures) => figures::run(intake, figures).await,
        SourceKind::Device(device) => device::run(intake, &source, device).await,
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
