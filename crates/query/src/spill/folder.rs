//! The folder of temporary files.

use super::file::SpillWriter;
use super::long_items::LongItems;
use super::quota::Quota;
use crate::{Code, QueryError, Result};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder for temporary files. It is removed, with everything in it, when it is no longer used.
#[derive(Debug)]
pub struct SpillFolder {
    path: PathBuf,
    next: AtomicU64,
    quota: Arc<Quota>,
}

impl SpillFolder {
    /// A folder at this path. Files that a server left when it was killed are removed; the folder itself is made once it is
    /// needed.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Arc<SpillFolder>> {
        let path = path.into();
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Ok(Arc::new(SpillFolder {
            path,
            next: AtomicU64::new(0),
            quota: Arc::default(),
        }))
    }

    /// Limits the bytes of all files from now on.
    pub fn limit(&self, bytes_max: u64) {
        self.quota.limit(bytes_max);
    }

    /// Sets the check that is made before each write. Its error says why the disk has no room.
    pub fn ask(&self, has_room: impl Fn() -> std::result::Result<(), String> + Send + Sync + 'static) {
        self.quota.ask(Box::new(has_room));
    }

    /// The bytes that the files take now.
    pub fn bytes(&self) -> u64 {
        self.quota.bytes()
    }

    /// A new file of records.
    pub fn create(&self) -> Result<SpillWriter> {
        self.new_file(SpillWriter::create)
    }

    /// A new file of long items.
    pub(crate) fn create_items(&self) -> Result<LongItems> {
        self.new_file(LongItems::create)
    }

    fn new_file<F>(&self, create: impl FnOnce(PathBuf, Arc<Quota>) -> io::Result<F>) -> Result<F> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let file = self.path.join(format!("{number}.spill"));
        std::fs::create_dir_all(&self.path)
            .and_then(|()| create(file, self.quota.clone()))
            .map_err(|error| io_error(&error))
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        // Files that cannot be removed now are removed when the folder is opened again.
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
