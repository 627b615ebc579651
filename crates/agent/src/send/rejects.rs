//! Records that the server refused, one a line, for somebody to look at.

use crate::spool::Record;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use value::RawDocument;
use value::json::{Mode, to_string};

/// Beyond this the file is put aside, and the one put aside before is gone.
const BYTES_MAX: u64 = 8 << 20;

/// The file.
#[derive(Debug)]
pub struct Rejects {
    path: PathBuf,
}

impl Rejects {
    /// A file at this path.
    pub fn new(path: PathBuf) -> Rejects {
        Rejects { path }
    }

    /// Adds a record, and makes sure that it is on the disk.
    pub fn add(&mut self, record: &Record, id: &str, reason: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        if file.metadata()?.len() > BYTES_MAX {
            std::fs::rename(&self.path, self.path.with_extension("old.ndjson"))?;
            file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        }
        let document = to_string(
            RawDocument::from_validated(&record.document).into(),
            Mode::Relaxed,
        );
        let [id, to, reason] = [id, &record.target, reason].map(serde_json::Value::from);
        let line = format!("{{\"_id\":{id},\"to\":{to},\"reason\":{reason},\"record\":{document}}}\n");
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }
}
