//! What could not be imported: shown, and written to a file as NDJSON.

use anyhow::{Context, Result};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use value::Document;

/// How many rejects are shown; all are in the file.
const SHOWN_MAX: u64 = 10;

/// Checks that a file can be written, and leaves it as it is.
fn try_to_write(path: &Path) -> io::Result<()> {
    let is_there = path.try_exists()?;
    // The reader of a pipe would take the end of the trial for the end of all.
    if is_there && path.metadata()?.file_type().is_fifo() {
        return Ok(());
    }
    OpenOptions::new().append(true).create(true).open(path)?;
    if !is_there {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Whether both names are those of one file, which would be emptied while it is read.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| {
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        Some((metadata.dev(), metadata.ino()))
    };
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// The reject file; made when something is rejected.
#[derive(Debug)]
pub struct Rejects {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    count: u64,
}

impl Rejects {
    /// Rejects will go to `path`, which is tried before there are any.
    pub fn new(path: PathBuf) -> Result<Rejects> {
        try_to_write(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Rejects {
            path,
            file: None,
            count: 0,
        })
    }

    /// The file that they are in.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_is_noticed_at_once_and_others_stay_as_they_are() {
        let folder = std::env::temp_dir().join(format!("larder-reject-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        for wrong in [folder.join("missing/r.ndjson"), folder.clone()] {
            let error = Rejects::new(wrong.clone()).unwrap_err();
            assert!(format!("{error:#}").contains("cannot write"), "{error:#}");
        }
        let new = folder.join("new.ndjson");
        Rejects::new(new.clone()).unwrap();
        assert!(!new.exists());
        fs::write(&new, "earlier").unwrap();
        Rejects::new(new.clone()).unwrap();
        assert_eq!(fs::read(&new).unwrap(), b"earlier");
        assert!(is_same_file(&new, &folder.join("./new.ndjson")));
        assert!(!is_same_file(&new, &folder.join("other.ndjson")));
        assert!(!is_same_file(Path::new("/dev/null"), Path::new("/dev/null")));
        fs::remove_dir_all(&folder).unwrap();
    }
}
