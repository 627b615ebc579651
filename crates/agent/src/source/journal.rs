//! The journal of systemd, as its `journalctl` writes it; the cursor of the last entry is kept.

use super::program::RunningProgram;
use super::stream::{End, LineRecord, POSITION, Stream};
use super::{Intake, Line};
use crate::config::{Journal, Source, Start};
use crate::processor::Processor;
use anyhow::{Result, bail};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;
use value::{Document, Value};

/// The pause before `journalctl` is started again.
const RETRY_TIME: Duration = Duration::from_secs(5);

const LEVELS: [&str; 8] = [
    "emerg", "alert", "crit", "error", "warning", "notice", "info", "debug",
];

/// The fields that are read: others may have megabytes.
const OUTPUT_FIELDS: &str = "--output-fields=MESSAGE,PRIORITY,_HOSTNAME,SYSLOG_IDENTIFIER,_PID,_SYSTEMD_UNIT";

/// Fields of the journal, and what they are called in records.
const FIELDS: [(&str, &str); 5] = [
    ("_HOSTNAME", "host"),
    ("SYSLOG_IDENTIFIER", "program"),
    ("_PID", "pid"),
    ("_SYSTEMD_UNIT", "unit"),
    ("MESSAGE", "message"),
];

/// Follows the journal until it is time to end.
pub async fn run(
    mut intake: Intake,
    source: &Source,
    journal: &Journal,
    positions: BTreeMap<String, String>,
) -> Result<()> {
    let mut cursor = positions.get(POSITION).cloned();
    loop {
        match follow(&mut intake, source, journal, &mut cursor).await {
            Ok(End::Stopped) => return Ok(()),
            Ok(End::Closed) if intake.is_once => return Ok(()),
            Ok(End::Closed) => {
                tracing::warn!(source = intake.name, "journalctl has ended; it is started again");
            }
            Err(error) => tracing::warn!(
                source = intake.name,
                "the journal cannot be read; this is tried again: {error:#}"
            ),
        }
        if intake.is_once || !intake.pause(RETRY_TIME).await {
            return Ok(());
        }
    }
}

async fn follow(
    intake: &mut Intake,
    source: &Source,
    journal: &Journal,
    cursor: &mut Option<String>,
) -> Result<End> {
    let mut command = Command::new(&journal.journalctl);
    command.args(["--output=json", OUTPUT_FIELDS, "--no-pager", "--quiet"]);
    // Without it, texts of more than 4 kB come as null.
    command.arg("--all");
    for unit in &journal.units {
        command.arg(format!("--unit={unit}"));
    }
    let lines = match (&cursor, journal.start) {
        (Some(cursor), _) => {
            command.arg(format!("--after-cursor={cursor}"));
            "all"
        }
        (None, Start::Beginning) => "all",
        (None, Start::End) => "0",
    };
    command.arg(format!("--lines={lines}"));
    if !intake.is_once {
        command.arg("--follow");
    }
    let (mut running, mut out) = RunningProgram::start(&mut command)?;
    let mut stream = Stream::of_lines(source)?.made_by(made);
    let ended = stream.run(&mut out, intake).await;
    if let Some(reached) = stream.reached() {
        *cursor = Some(reached);
    }
    let end = ended?;
    if end == End::Closed {
        let status = running.ended().await?;
        if !status.success() {
            bail!("journalctl ended with {status}");
        }
    }
    Ok(end)
}

/// The record of an entry.
pub fn made(processor: &Processor, line: &Line) -> LineRecord {
    let Ok(entry) = serde_json::from_str::<Map<String, Json>>(&line.text) else {
        // An entry that is longer than a line may be is cut, so that it is not JSON any more.
        return LineRecord {
            record: processor.text(&line.text, true),
            position: None,
        };
    };
    LineRecord {
        record: processor.document(document(&entry), value::date::now_ms()),
        position: entry.get("__CURSOR").and_then(text),
    }
}

fn document(entry: &Map<String, Json>) -> Document {
    let mut document = Document::new();
    let number = |name: &str| {
        entry
            .get(name)
            .and_then(text)
            .and_then(|text| text.parse::<i64>().ok())
    };
    if let Some(microseconds) = number("__REALTIME_TIMESTAMP") {
        document.push("time", Value::DateTime(microseconds / 1000));
    }
    let level = number("PRIORITY").and_then(|level| LEVELS.get(usize::try_from(level).ok()?));
    if let Some(level) = level {
        document.push("level", *level);
    }
    for (field, name) in FIELDS {
        let Some(text) = entry.get(field).and_then(text) else {
            continue;
        };
        match text.parse::<i64>() {
            Ok(pid) if name == "pid" => document.push(name, Value::integer(pid)),
            _ => document.push(name, text),
        }
    }
    document
}

/// The text of a field; bytes that are not UTF-8 come as an array of numbers, a field that occurs twice as an array of texts.
fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Array(parts) if parts.iter().all(Json::is_u64) => {
            let bytes: Vec<u8> = parts
                .iter()
                .filter_map(|part| u8::try_from(part.as_u64()?).ok())
                .collect();
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        Json::Array(parts) => {
            let texts: Vec<String> = parts.iter().filter_map(text).collect();
            Some(texts.join("\n"))
        }
        _ => None,
    }
}
