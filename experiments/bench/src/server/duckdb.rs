//! DuckDB, in a process of Python that reads commands.

use super::{pin_to_one_core, stop, tied_command};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

const PROGRAM: &str = include_str!("../../../peers/duckdb/ask.py");
/// Made by `experiments/run`.
const PYTHON: &str = "target/peers/duckdb/bin/python";

/// A database in memory, which uses one thread.
#[derive(Debug)]
pub struct DuckDb {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl DuckDb {
    /// Starts it.
    pub fn start() -> Result<DuckDb> {
        let mut child = tied_command(Path::new(PYTHON), None)
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting Python")?;
        Ok(DuckDb {
            commands: child.stdin.take().context("no input")?,
            answers: BufReader::new(child.stdout.take().context("no output")?),
            child,
        })
    }

    /// Makes a table with a column `doc` of a file with a document a line.
    pub fn load(&mut self, table: &str, file: &Path) -> Result<()> {
        self.send(&json!(["load", table, file])).map(drop)
    }

    /// The rows that a query gives.
    pub fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        self.send(&json!(["ask", sql]))
    }

    /// Keeps it on one core.
    pub fn pin_to_one_core(&self) -> Result<()> {
        pin_to_one_core(self.child.id())
    }

    fn send(&mut self, command: &Value) -> Result<Vec<Vec<Option<String>>>> {
        writeln!(self.commands, "{command}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        serde_json::from_str(&answer).context("DuckDB's program failed")
    }
}

impl Drop for DuckDb {
    fn drop(&mut self) {
        // The experiment has ended or failed; a process left running would be worse than a message lost.
        let _ = stop(&mut self.child, "-TERM");
    }
}
