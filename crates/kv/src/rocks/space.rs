//! Room on the disk: keeping it from becoming full, and going on when it is.
//!
//! While less than a reserve is free, writes that add to the folder are refused ([`Space::check`]); deletes, drops with the
//! merges that free their space, and the log may use the reserve. In case others fill the disk, a file is kept, the ballast,
//! which is removed when nothing else is left: a start needs some room, and so does a delete.

use super::merges::{Hold, Merges};
use super::presence::Presence;
use crate::Error;
use parking_lot::Mutex;
use rustix::fs::statvfs;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often the free space is read.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// The file whose room is kept for a full disk.
pub(super) const BALLAST: &str = "BALLAST";
const BALLAST_BYTES: u64 = 8 << 20;
/// How long a folder has to be open before the ballast is written.
const BALLAST_AFTER: Duration = Duration::from_secs(1);
/// With less than this free, the ballast is removed.
const NOTHING_LEFT_BYTES: u64 = 4 << 20;
/// While less than the reserve is free, or less than this (which is more than the ballast's room), no merge begins by itself. It
/// may need more than there is. It would then take the log's room until it fails, and the engine would merge nothing more, not even
/// what was dropped, until there is as much room as it wanted.
const ROOM_TO_MERGE_BYTES_MIN: u64 = 16 << 20;

/// The room for a folder, as far as it is known.
#[derive(Debug)]
pub(super) struct Space {
    folder: PathBuf,
    presence: Arc<Presence>,
    merges: Arc<Merges>,
    reserve_bytes: AtomicU64,
    /// Whether the ballast was written, or that was tried.
    has_ballast: AtomicBool,
    opened: Instant,
    looked: Mutex<LastLook>,
}

#[derive(Debug, Default)]
struct LastLook {
    at: Option<Instant>,
    is_low: bool,
    free_bytes: u64,
}

impl Space {
    /// To be called before a folder is opened: removes the ballast if the disk is full. Returns the hold with which to open the engine.
    pub(super) fn make_room_to_open(folder: &Path, reserve_bytes: u64) -> Option<Hold> {
        let free_bytes = free_bytes(folder)?;
        if free_bytes < NOTHING_LEFT_BYTES {
            give_ballast(folder);
        }
        (free_bytes < room_to_merge(reserve_bytes)).then_some(Hold::NoRoom)
    }

    /// Watches the room for an open folder.
    pub(super) fn new(
        folder: &Path,
        reserve_bytes: u64,
        presence: Arc<Presence>,
        merges: Arc<Merges>,
    ) -> Space {
        Space {
            folder: folder.to_owned(),
            presence,
            merges,
            reserve_bytes: AtomicU64::new(reserve_bytes),
            has_ballast: AtomicBool::new(false),
            opened: Instant::now(),
            looked: Mutex::default(),
        }
    }

    /// Sets the bytes that are kept free.
    pub(super) fn keep_free(&self, bytes: u64) {
        self.reserve_bytes.store(bytes, Ordering::Relaxed);
        self.looked.lock().at = None;
    }

    /// The bytes that are kept free.
    pub(super) fn reserve_bytes(&self) -> u64 {
        self.reserve_bytes.load(Ordering::Relaxed)
    }

    /// Fails if too little is free for writes that add to the folder.
    pub(super) fn check(&self) -> Result<(), Error> {
        let mut looked = self.looked.lock();
        if looked.at.is_none_or(|at| at.elapsed() >= LOOK_INTERVAL) {
            self.look(&mut looked);
        }
        match looked.is_low {
            true => Err(Error::DiskLow {
                free_bytes: looked.free_bytes,
                reserve_bytes: self.reserve_bytes(),
            }),
            false => Ok(()),
        }
    }

    fn settle_merges(&self, free_bytes: u64, room_bytes: u64) {
        let settled = if free_bytes < room_bytes && self.merges.can_wait() {
            self.merges.hold(Hold::NoRoom)
        } else if free_bytes < room_bytes + room_bytes / 8 && self.merges.can_wait() {
            // A margin, so that the state does not change with each small file.
            Ok(())
        } else {
            self.merges.go_on(Hold::NoRoom)
        };
        if let Err(error) = settled {
            tracing::warn!(%error, free_bytes, "merges could not be held back or let go on as the free space wants");
        }
    }

    fn look(&self, looked: &mut LastLook) {
        looked.at = Some(Instant::now());
        if self.presence.check().is_err() {
            return;
        }
        let Some(free) = free_bytes(&self.folder) else {
            return;
        };
        looked.free_bytes = free;
        let (was_low, reserve_bytes) = (looked.is_low, self.reserve_bytes());
        looked.is_low = free < reserve_bytes;
        match (was_low, looked.is_low) {
            (false, true) => tracing::warn!(
                free_bytes = free,
                reserve_bytes,
                "the disk is nearly full: what adds to it is refused until there is room; deletes and drops go on"
            ),
            (true, false) => {
                tracing::warn!(free_bytes = free, "there is room on the disk again: writes go on");
            }
            _ => {}
        }
        self.settle_merges(free, room_to_merge(reserve_bytes));
        if free < NOTHING_LEFT_BYTES {
            self.has_ballast.store(false, Ordering::Relaxed);
            give_ballast(&self.folder);
        } else if free > 2 * (reserve_bytes + BALLAST_BYTES)
            && self.opened.elapsed() >= BALLAST_AFTER
            && !self.has_ballast.swap(true, Ordering::Relaxed)
        {
            // In the background, so that no writer waits for it.
            let folder = self.folder.clone();
            drop(thread::Builder::new().spawn(move || take_ballast(&folder)));
        }
    }
}

fn room_to_merge(reserve_bytes: u64) -> u64 {
    reserve_bytes.max(ROOM_TO_MERGE_BYTES_MIN)
}

/// The bytes that this process may still write.
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let volume = statvfs(folder).ok()?;
    Some(volume.f_bavail * volume.f_frsize)
}

fn give_ballast(folder: &Path) {
    let path = folder.join(BALLAST);
    let emptied = File::options().write(true).open(&path).and_then(|file| {
        file.set_len(0)?;
        // Some file systems free the room only after a flush.
        file.sync_all()?;
        fs::remove_file(&path)?;
        File::open(folder)?.sync_all()
    });
    if emptied.is_ok() {
        tracing::warn!(folder = %folder.display(), bytes = BALLAST_BYTES, "the disk is full: gave the room that was kept for this");
    }
}

fn take_ballast(folder: &Path) {
    let path = folder.join(BALLAST);
    if path.exists() {
        return;
    }
    // If the ballast cannot be written, there is only the reserve.
    let taken = File::create(&path).and_then(|mut file| {
        // Written, because not every file system keeps room that is only promised (`fallocate`).
        file.write_all(&noise())?;
        file.sync_data()
    });
    if taken.is_err() {
        let _ = fs::remove_file(&path);
    }
}

/// Bytes that no file system can compress.
fn noise() -> Vec<u8> {
    let mut state = 0_u64;
    let words = (0..BALLAST_BYTES / 8).flat_map(|_| {
        // splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)).to_le_bytes()
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_ballast_is_really_there_and_goes_when_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        take_ballast(folder.path());
        let path = folder.path().join(BALLAST);
        let metadata = fs::metadata(&path).expect("it was taken");
        assert_eq!(metadata.len(), BALLAST_BYTES);
        assert!(metadata.blocks() * 512 >= BALLAST_BYTES, "{}", metadata.blocks());
        give_ballast(folder.path());
        assert!(!path.exists());
    }
}
