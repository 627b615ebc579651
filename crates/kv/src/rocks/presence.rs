//! Checking that the folder that was opened still exists. If not, nothing may be answered any more.

use crate::Error;
use crate::poison::Poison;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often the folder is checked.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// An open folder. Readers that answer from memory check it each time, so it takes no lock.
#[derive(Debug)]
pub(super) struct Presence {
    folder: PathBuf,
    poison: Poison,
    /// The folder that was opened, by device and inode.
    identity: Option<(u64, u64)>,
    is_gone: AtomicBool,
    is_closed: AtomicBool,
    opened: Instant,
    /// When it was last checked, in milliseconds since it was opened.
    looked_for_ms: AtomicU64,
}

impl Presence {
    /// Watches an open folder, and poisons the store once it is gone.
    pub(super) fn new(folder: &Path, poison: Poison) -> Presence {
        Presence {
            folder: folder.to_owned(),
            poison,
            identity: identity(folder).ok(),
            is_gone: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            opened: Instant::now(),
            looked_for_ms: AtomicU64::new(0),
        }
    }

    /// Fails if the folder that was opened is gone. Files that are still open, and memory, then have data that no restart
    /// would find.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.is_gone() {
            true => Err(Error::FolderGone {
                folder: self.folder.display().to_string(),
            }),
            false => Ok(()),
        }
    }

    /// Whether answers may come from memory: nothing has failed, and the folder is there and open.
    pub(super) fn is_sound(&self) -> bool {
        !self.is_closed.load(Ordering::Acquire) && !self.poison.is_set() && !self.is_gone()
    }

    /// Notes that the store is closed.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    fn is_gone(&self) -> bool {
        let now_ms = self.opened.elapsed().as_millis() as u64;
        let looked_for_ms = self.looked_for_ms.load(Ordering::Relaxed);
        if now_ms >= looked_for_ms + LOOK_INTERVAL.as_millis() as u64 {
            self.look(now_ms);
        }
        self.is_gone.load(Ordering::Relaxed)
    }

    fn look(&self, now_ms: u64) {
        self.looked_for_ms.store(now_ms, Ordering::Relaxed);
        let is_gone = match identity(&self.folder) {
            Ok(found) => self.identity.is_some_and(|opened| opened != found),
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        };
        if is_gone && !self.is_gone.swap(true, Ordering::Relaxed) {
            let folder = self.folder.display();
            tracing::error!(%folder, "the data folder is gone or another one; nothing is answered any more");
            self.poison
                .set(format!("the data folder {folder} is gone or was replaced"));
        }
    }
}

fn identity(folder: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::metadata(folder)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_or_removed_folder_is_not_sound() {
        let folder = tempfile::tempdir().expect("a folder");
        let presence = Presence::new(folder.path(), Poison::default());
        assert!(presence.is_sound());
        presence.close();
        assert!(!presence.is_sound() && presence.check().is_ok());

        let poison = Poison::default();
        let presence = Presence::new(folder.path(), poison.clone());
        fs::remove_dir(folder.path()).expect("it is empty");
        std::thread::sleep(LOOK_INTERVAL);
        assert!(!presence.is_sound() && presence.check().is_err() && poison.is_set());
    }
}
