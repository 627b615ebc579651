//! The limit on the bytes of all temporary files.

use crate::{Code, QueryError, Result};
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns whether the disk has room for more; the error says why not.
type HasRoom = dyn Fn() -> std::result::Result<(), String> + Send + Sync;

/// The bytes that the temporary files of a folder take, and may take.
pub(super) struct Quota {
    bytes_max: AtomicU64,
    bytes: AtomicU64,
    has_room: OnceLock<Box<HasRoom>>,
}

impl Default for Quota {
    fn default() -> Quota {
        Quota {
            bytes_max: AtomicU64::new(u64::MAX),
            bytes: AtomicU64::new(0),
            has_room: OnceLock::new(),
        }
    }
}

impl Quota {
    pub(super) fn limit(&self, bytes_max: u64) {
        self.bytes_max.store(bytes_max, Ordering::Relaxed);
    }

    pub(super) fn ask(&self, has_room: Box<HasRoom>) {
        // The first check stays.
        let _ = self.has_room.set(has_room);
    }

    /// Reserves bytes for a file that is about to be written.
    pub(super) fn take(&self, bytes: u64) -> Result<()> {
        if let Some(has_room) = self.has_room.get() {
            has_room().map_err(|why| no_room(format!("a temporary file finds no room: {why}")))?;
        }
        let bytes_max = self.bytes_max.load(Ordering::Relaxed);
        let fits = |held: u64| held.checked_add(bytes).filter(|after| *after <= bytes_max);
        let taken = self
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        taken.map(drop).map_err(|held| {
            no_room(format!(
                "temporary files hold {held} of the {bytes_max} bytes that they may take together (--temporary-max), and {bytes} more \
                 do not fit; filter or project before sorting and grouping, or close cursors"
            ))
        })
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

fn no_room(message: String) -> QueryError {
    QueryError::new(Code::OUT_OF_DISK_SPACE, message)
}

impl fmt::Debug for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quota")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
