//! What could not be imported: shown, and written to a file as NDJSON.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use value::Document;

/// How many rejects are shown; all are in the file.
const SHOWN_MAX: u64 = 10;

/// The reject file; made when something is rejected.
#[derive(Debug)]
pub struct Rejects {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    count: u64,
}

impl Rejects {
    /// Rejects will go to `path`.
    pub fn new(path: PathBuf) -> Rejects {
        Rejects {
            path,
            file: None,
            count: 0,
        }
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes one: `{place, reason, text}`.
    pub fn add(&mut self, place: &str, reason: &str, text: &[u8]) -> Result<()> {
        self.count += 1;
        if self.count <= SHOWN_MAX {
            eprintln!("rejected {place}: {reason}");
        } else if self.count == SHOWN_MAX + 1 {
            eprintln!("more are rejected; see {}", self.path.display());
        }
        let writing = || format!("cannot write {}", self.path.display());
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(File::create(&self.path).with_context(writing)?)),
        };
        let line = Document::new()
            .with("place", place)
            .with("reason", reason)
            .with("text", String::from_utf8_lossy(text).into_owned());
        let line = value::json::to_string((&line).into(), value::json::Mode::Relaxed);
        writeln!(file, "{line}").with_context(writing)
    }

    /// Makes sure that all is in the file.
    pub fn finish(&mut self) -> Result<()> {
        match &mut self.file {
            Some(file) => file
                .flush()
                .with_context(|| format!("cannot write {}", self.path.display())),
            None => Ok(()),
        }
    }
}
