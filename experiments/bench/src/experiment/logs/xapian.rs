//! The lines in Xapian, by a program in Python that reads commands.

use super::lines::{COMMON, Lines, PHRASE, RARE, device};
use super::{Client, Found, Place, Question, measure};
use crate::Settings;
use crate::server::{folder_bytes, resident_bytes};
use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

const PROGRAM: &str = include_str!("../../../../peers/xapian/lines.py");
/// Debian's, which has the module.
const PYTHON: &str = "/usr/bin/python3";

/// A process with a database.
struct Program {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

struct Database {
    folder: PathBuf,
    /// It has one writer at a time.
    writing: Mutex<Program>,
}

struct Connection<'d> {
    database: &'d Database,
    /// Started when something is asked.
    reading: Option<Program>,
}

pub fn xapian(settings: &Settings, lines: &Lines) -> Result<Found> {
    let folder = settings.folder("logs-xapian")?;
    let database = Database {
        folder: folder.path().join("lines"),
        writing: Mutex::new(Program::start(&folder.path().join("lines"))?),
    };
    let mut found = measure(&&database, lines)?;
    drop(database);
    found.bytes = folder_bytes(folder.path(), &|_| true)?;
    Ok(found)
}

impl Program {
    fn start(folder: &Path) -> Result<Program> {
        let mut child = Command::new(PYTHON)
            .args(["-c", PROGRAM])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting Python")?;
        Ok(Program {
            commands: child.stdin.take().context("no input")?,
            answers: BufReader::new(child.stdout.take().context("no output")?),
            child,
        })
    }

    fn send(&mut self, command: &Value) -> Result<u64> {
        writeln!(self.commands, "{command}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        answer.trim().parse().context("Xapian's program failed")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Nothing is left running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lock(writing: &Mutex<Program>) -> Result<MutexGuard<'_, Program>> {
    writing.lock().map_err(|_| anyhow!("a writer panicked"))
}

impl<'d> Place for &'d Database {
    type Client = Connection<'d>;

    fn connect(&self) -> Result<Connection<'d>> {
        Ok(Connection {
            database: self,
            reading: None,
        })
    }

    fn settle(&self) -> Result<Duration> {
        Ok(Duration::ZERO)
    }

    /// Of the program that writes.
    fn resident_bytes(&self) -> Result<u64> {
        resident_bytes(lock(&self.writing)?.child.id())
    }
}

impl Client for Connection<'_> {
    fn insert(&mut self, lines: &Lines, numbers: Range<u64>) -> Result<()> {
        let rows = numbers.map(|number| {
            let line = lines.line(number);
            json!([line.at_ms, line.device, line.level, line.program, line.message])
        });
        let rows: Vec<Value> = rows.collect();
        lock(&self.database.writing)?.send(&json!(["insert", rows]))?;
        Ok(())
    }

    fn ask(&mut self, lines: &Lines, question: Question) -> Result<u64> {
        let asked = match question {
            Question::Newest(number) => json!(["ask", "newest", device(number)]),
            Question::Rare => json!(["ask", "word", RARE]),
            Question::Common => json!(["ask", "word", COMMON]),
            Question::Best => json!(["ask", "best", COMMON]),
            Question::Phrase => json!(["ask", "phrase", PHRASE]),
            Question::Hour => {
                let (from, to) = lines.hour();
                json!(["ask", "hour", COMMON, from, to])
            }
            Question::Histogram => json!(["ask", "histogram"]),
        };
        let reading = match &mut self.reading {
            Some(reading) => reading,
            none => none.insert(Program::start(&self.database.folder)?),
        };
        reading.send(&asked)
    }
}
