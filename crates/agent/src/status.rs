//! What an agent does, in a file beside its spool, which `larder agent status` shows.

use crate::config::Config;
use crate::counters::AgentCounters;
use crate::spool::Spool;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

/// The file's name in the spool's folder.
const NAME: &str = "status.json";

/// The figures of now.
pub fn figures(spool: &Spool, counters: &AgentCounters) -> Map<String, Value> {
    let mut figures: Map<String, Value> = counters
        .all()
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count.into()))
        .collect();
    figures.insert("waiting".to_owned(), spool.waiting().into());
    figures.insert("spool_bytes".to_owned(), spool.bytes().into());
    figures.insert("dropped_ever".to_owned(), spool.dropped().into());
    figures
}

/// Writes the figures down.
pub fn write(folder: &Path, figures: &Map<String, Value>) -> std::io::Result<()> {
    let text = json!({
        "at": jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "process": std::process::id(),
        "figures": figures,
    });
    let path = folder.join("status.new");
    std::fs::write(&path, format!("{text:#}\n"))?;
    std::fs::rename(path, folder.join(NAME))
}

/// Shows what the agent of a configuration wrote down last.
pub fn show(path: &Path, out: &mut dyn Write) -> Result<()> {
    let config = Config::read(path)?;
    let file = config.spool.folder.join(NAME);
    let text = std::fs::read_to_string(&file).with_context(|| {
        format!(
            "{} is not there: no agent has run with this spool",
            file.display()
        )
    })?;
    out.write_all(text.as_bytes())?;
    Ok(())
}
