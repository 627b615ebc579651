//! The folder of temporary files.

use super::file::SpillWriter;
use crate::{Code, QueryError, Result};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder for temporary files; it goes, with what is left in it, when nobody uses it any more.
#[derive(Debug)]
pub struct SpillFolder {
    path: PathBuf,
    next: AtomicU64,
}

impl SpillFolder {
    /// A folder of its own at this path. What is there from a server that ended in haste is removed; the folder
    /// itself is made once it is needed.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Arc<SpillFolder>> {
        let path = path.into();
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Ok(Arc::new(SpillFolder {
            path,
            next: AtomicU64::new(0),
        }))
    }

    /// A new file.
    pub fn create(&self) -> Result<SpillWriter> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let file = self.path.join(format!("{number}.spill"));
        std::fs::create_dir_all(&self.path)
            .and_then(|()| SpillWriter::create(file))
            .map_err(|error| io_error(&error))
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the folder is opened again.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// A failure of the disk as MongoDB reports it.
pub(super) fn io_error(error: &io::Error) -> QueryError {
    QueryError::new(
        Code::location(39),
        format!("a temporary file could not be used: {error}"),
    )
}
