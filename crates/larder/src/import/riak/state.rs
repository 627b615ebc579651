//! Which objects are done: a file with a line for each, so that an import that was cut off goes on.
//!
//! Lines may be lost with the program; their objects are read again, and found to be there.

use super::bucket::Bucket;
use anyhow::{Context, Result, bail};
use http::percent_encode;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The lines that are gathered before they are written.
const LINES_MAX: u32 = 1_000;

pub(super) struct ImportState {
    path: PathBuf,
    file: BufWriter<File>,
    unwritten: u32,
    done: HashSet<String>,
}

impl ImportState {
    /// Opens the file of an import from a source, or makes it.
    pub(super) fn open(path: &Path, source: &str) -> Result<ImportState> {
        let reading = || format!("cannot read {}", path.display());
        // The address may hold a password.
        let source = source.rsplit('@').next().unwrap_or(source);
        let known = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(reading),
        };
        // A line that was cut off does not count.
        let whole = known.rfind('\n').map_or("", |end| &known[..=end]);
        let mut lines = whole.lines();
        let first = lines.next();
        let done: HashSet<String> = lines.map(str::to_owned).collect();
        let is_of_source = first == Some(source);
        if !is_of_source && !done.is_empty() {
            bail!(
                "{} is the state of an import from {}; name another file with --state",
                path.display(),
                first.unwrap_or_default()
            );
        }
        // If nothing is done, as after a wrong address, there is nothing to go on with.
        let kept = if is_of_source { whole.len() } else { 0 };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(reading)?;
        file.set_len(kept as u64).with_context(reading)?;
        let mut file = BufWriter::new(file);
        if !is_of_source {
            writeln!(file, "{source}").with_context(reading)?;
        }
        Ok(ImportState {
            path: path.to_owned(),
            file,
            unwritten: 0,
            done,
        })
    }

    pub(super) fn is_done(&self, bucket: &Bucket, key: &str) -> bool {
        !self.done.is_empty() && self.done.contains(&line(bucket, key))
    }

    /// Notes that an object is done.
    pub(super) fn done(&mut self, bucket: &Bucket, key: &str) -> Result<()> {
        writeln!(self.file, "{}", line(bucket, key)).with_context(|| self.path.display().to_string())?;
        self.unwritten += 1;
        if self.unwritten >= LINES_MAX {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.unwritten = 0;
        self.file.flush().with_context(|| self.path.display().to_string())
    }

    /// All is done: another import begins anew.
    pub(super) fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

fn line(bucket: &Bucket, key: &str) -> String {
    format!("{}/{}", bucket.path(""), percent_encode(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_source_takes_a_state_in_which_nothing_is_done() {
        let path = std::env::temp_dir().join(format!("larder-state-{}", std::process::id()));
        let open = |source: &str| {
            let mut state = ImportState::open(&path, source)?;
            state.flush()?;
            anyhow::Ok(state.done.len())
        };
        assert_eq!(open("http://wrong:1").unwrap(), 0);
        assert_eq!(open("http://ann:secret@right:1").unwrap(), 0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "right:1\n");
        std::fs::write(&path, "right:1\n/buckets/b/k\n/buckets/b/cut").unwrap();
        assert_eq!(open("http://ann:secret@right:1").unwrap(), 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "right:1\n/buckets/b/k\n");
        assert!(
            open("http://wrong:1")
                .unwrap_err()
                .to_string()
                .contains("--state")
        );
        std::fs::remove_file(&path).unwrap();
    }
}
