//! All changes between backups, so that a restore can stop at any moment between two.
//!
//! While an archive is kept, each commit is also written to a file of the folder `_archive`, with the time, before it is
//! made; a commit that then fails is noted as undone. A file begins where the one before it ended. When a process begins
//! to write, its first file begins with the heads of all shards, which show which changes of earlier files were really made.
//! [`replay`] makes the changes again in a folder that was restored from a backup.
//!
//! What must hold: every acknowledged change is in the archive, since the archive is flushed before the log; an archive that
//! cannot be written ends, the store goes on, and a restore past that place is refused.

mod file;
mod heads;
mod record;
mod replay;

pub(super) use heads::all_heads;
pub(super) use record::{ArchiveEntry, Made};
pub(crate) use replay::{replay, waits_for_replay};

use crate::{ArchivePosition, Error, ShardId};
use file::{Records, name_of};
use parking_lot::Mutex;
use record::{Begin, Heads};
use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The folder within the data folder.
pub(super) const FOLDER: &str = "_archive";

/// A file that has reached this size is followed by another.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The log's message when an archive cannot be written.
const ENDS: &str = "the archive of changes ends here: no restore goes to a moment between now and the next backup with --archive";

/// The archive of a data folder, kept or not.
#[derive(Debug)]
pub(super) struct Archive {
    folder: PathBuf,
    /// Whether one is kept. If not, commits pay nothing for it.
    is_kept: AtomicBool,
    bytes_max: AtomicU64,
    kept: Mutex<Option<Kept>>,
    /// Held during a flush, so that a second caller waits until the first has flushed.
    flushing: Mutex<()>,
}

/// An archive that is being written.
#[derive(Debug)]
struct Kept {
    id: u64,
    number: u64,
    file: Arc<File>,
    offset: u64,
    /// Bytes of all files.
    bytes: u64,
    is_flushed: bool,
    time_ms: u64,
}

/// The place of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    file: u64,
    offset: u64,
}

impl Archive {
    /// The archive of a folder; not kept before [`Archive::resume`].
    pub(super) fn new(data: &Path) -> Archive {
        Archive {
            folder: data.join(FOLDER),
            is_kept: AtomicBool::new(false),
            bytes_max: AtomicU64::new(u64::MAX),
            kept: Mutex::new(None),
            flushing: Mutex::new(()),
        }
    }

    /// Continues an archive that an earlier process kept, if there is one. Nothing may be committed meanwhile. A store whose disk
    /// is full opens without it.
    pub(super) fn resume(&self, heads: impl FnOnce() -> Result<Heads, Error>) {
        if self.folder.is_dir()
            && let Err(error) = self.start(&mut self.kept.lock(), heads)
        {
            tracing::error!(%error, "{ENDS}");
        }
    }

    /// Sets the bytes that the archive may take.
    pub(super) fn limit(&self, bytes: u64) {
        self.bytes_max.store(bytes, Ordering::Relaxed);
    }

    /// Begins a file, and an archive if none is kept: everything that is committed from now on is in this file or later ones.
    /// Nothing may be committed meanwhile.
    pub(super) fn begin(
        &self,
        heads: impl FnOnce() -> Result<Heads, Error>,
    ) -> Result<ArchivePosition, Error> {
        let mut kept = self.kept.lock();
        if kept.is_none() {
            // In its own file, before the position: its heads show whether something is missing before it.
            self.start(&mut kept, heads)?;
        }
        let present = kept.as_mut().ok_or(Error::Closed)?;
        present.time_ms = present.time_ms.max(now_ms());
        self.follow(present).map_err(failed)?;
        Ok(ArchivePosition {
            archive: present.id,
            next: present.number,
            at_ms: present.time_ms,
        })
    }

    /// Begins to write, with the heads of all shards.
    fn start(
        &self,
        kept: &mut Option<Kept>,
        heads: impl FnOnce() -> Result<Heads, Error>,
    ) -> Result<(), Error> {
        let (archive, number) = self.next_file().map_err(failed)?;
        let begin = Begin {
            archive,
            number,
            heads: Some(heads()?),
        };
        *kept = Some(self.create(&begin).map_err(failed)?);
        self.is_kept.store(true, Ordering::Release);
        Ok(())
    }

    /// Writes a commit that is about to be made. `None` if no archive is kept.
    pub(super) fn note_commit<'a, E: Iterator<Item = Result<ArchiveEntry<'a>, Error>>>(
        &self,
        made: &Made<'_>,
        entries: impl FnOnce() -> E,
    ) -> Option<Noted> {
        self.note(|time_ms| record::commit(made, entries(), time_ms))
    }

    /// As [`Archive::note_commit`], for a shard that is about to be dropped.
    pub(super) fn note_drop(&self, shard: ShardId) -> Option<Noted> {
        self.note(|time_ms| Ok(record::dropped(shard, time_ms)))
    }

    /// Notes that a recorded change was not made.
    pub(super) fn undo(&self, noted: Option<Noted>) {
        let Some(Noted { file, offset }) = noted else {
            return;
        };
        let mut kept = self.kept.lock();
        let path = self.folder.join(name_of(file));
        let record = record::undone(file, offset);
        let noted = match &mut *kept {
            Some(present) => present.append(&record),
            // The archive ended while the commit was under way, as happens when the disk is full.
            None => file::append(&path, &record),
        };
        if let Err(error) = noted {
            // A change that cannot be noted as undone must not be taken for one that was made.
            let removed = fs::remove_file(path);
            tracing::error!(%error, file, ?removed, "removed a file of the archive, which cannot be believed");
            self.end(&mut kept, &error.to_string());
        }
    }

    /// Flushes what was written; to be called before the log is flushed.
    pub(super) fn flush(&self) {
        if !self.is_kept.load(Ordering::Acquire) {
            return;
        }
        let _flushing = self.flushing.lock();
        // Commits go on meanwhile: what they add is flushed with the next flush of the log.
        let file = {
            let mut kept = self.kept.lock();
            let present = kept.as_mut().filter(|kept| !kept.is_flushed);
            present.map(|kept| {
                kept.is_flushed = true;
                kept.file.clone()
            })
        };
        if let Some(Err(error)) = file.map(|file| file.sync_data()) {
            self.end(&mut self.kept.lock(), &error.to_string());
        }
    }

    /// Ends the archive: later changes are not in it. The next backup that asks for an archive begins another part.
    pub(super) fn give_up(&self, why: &str) {
        if self.is_kept.load(Ordering::Acquire) {
            self.end(&mut self.kept.lock(), why);
        }
    }

    /// The files before one, which are not written any more.
    pub(super) fn files_before(&self, next: u64) -> Result<Vec<PathBuf>, Error> {
        let files = self.files().map_err(failed)?.into_iter();
        let finished = files.filter(|(number, _)| *number < next);
        Ok(finished.map(|(_, path)| path).collect())
    }

    /// Removes the files before one.
    pub(super) fn remove_before(&self, next: u64) -> Result<(), Error> {
        for path in self.files_before(next)? {
            let bytes = path.metadata().map_or(0, |file| file.len());
            fs::remove_file(&path).map_err(failed)?;
            if let Some(kept) = &mut *self.kept.lock() {
                kept.bytes = kept.bytes.saturating_sub(bytes);
            }
        }
        Ok(())
    }

    /// Ends the archive for good, and removes it.
    pub(super) fn remove(&self) -> Result<(), Error> {
        let mut kept = self.kept.lock();
        *kept = None;
        self.is_kept.store(false, Ordering::Release);
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    fn note(&self, encode: impl FnOnce(u64) -> Result<Vec<u8>, Error>) -> Option<Noted> {
        if !self.is_kept.load(Ordering::Acquire) {
            return None;
        }
        let mut kept = self.kept.lock();
        let present = kept.as_mut()?;
        // The clock may go back; the archive's does not.
        present.time_ms = present.time_ms.max(now_ms());
        let record = match encode(present.time_ms) {
            Ok(record) => record,
            Err(error) => {
                self.end(&mut kept, &error.to_string());
                return None;
            }
        };
        if present.bytes + record.len() as u64 > self.bytes_max.load(Ordering::Relaxed) {
            let why = "it has reached its limit (--archive-max): take a backup with --archive more often, or raise the limit";
            self.end(&mut kept, why);
            return None;
        }
        let ready = match present.offset < FILE_BYTES_MAX {
            true => Ok(()),
            false => self.follow(present),
        };
        let noted = ready.and_then(|()| {
            let offset = present.offset;
            present.append(&record)?;
            Ok(Noted {
                file: present.number,
                offset,
            })
        });
        noted
            .inspect_err(|error| self.end(&mut kept, &error.to_string()))
            .ok()
    }

    /// Ends a file and begins the next.
    fn follow(&self, present: &mut Kept) -> io::Result<()> {
        present.flush()?;
        let begin = Begin {
            archive: present.id,
            number: present.number + 1,
            heads: None,
        };
        let time_ms = present.time_ms;
        *present = self.create(&begin)?;
        present.time_ms = time_ms;
        Ok(())
    }

    fn end(&self, kept: &mut Option<Kept>, why: &str) {
        if let Some(mut ended) = kept.take() {
            // Where it can still be written, it says until when nothing is missing.
            let noted = ended.append(&record::end(ended.time_ms.max(now_ms())));
            tracing::error!(why, is_noted = noted.is_ok(), "{ENDS}");
        }
        self.is_kept.store(false, Ordering::Release);
    }

    /// The archive's id and the number of its next file. A new archive where the folder has none.
    fn next_file(&self) -> io::Result<(u64, u64)> {
        let files = self.files()?;
        for (number, path) in files.iter().rev() {
            if let Some((begin, _)) = Records::open(path)? {
                return Ok((begin.archive, number + 1));
            }
            // A crash came before its first record was whole.
            fs::remove_file(path)?;
        }
        // A number that no other archive has.
        Ok((RandomState::new().build_hasher().finish(), 1))
    }

    fn files(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        match file::list(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            files => files,
        }
    }

    fn create(&self, begin: &Begin) -> io::Result<Kept> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = options.open(self.folder.join(name_of(begin.number)))?;
        let bytes = self
            .files()?
            .into_iter()
            .filter_map(|(_, path)| path.metadata().ok());
        let mut kept = Kept {
            id: begin.archive,
            number: begin.number,
            bytes: bytes.map(|file| file.len()).sum(),
            file: Arc::new(file),
            offset: 0,
            is_flushed: false,
            time_ms: 0,
        };
        kept.append(&record::begin(begin))?;
        kept.flush()?;
        File::open(&self.folder)?.sync_all()?;
        Ok(kept)
    }
}

impl Kept {
    /// Writes a record. If that fails, nothing of it is left.
    fn append(&mut self, record: &[u8]) -> io::Result<()> {
        let framed = record::framed(record)?;
        // At its place, since a write that failed may have moved the position past a part of itself.
        if let Err(error) = self.file.write_all_at(&framed, self.offset) {
            self.file.set_len(self.offset)?;
            return Err(error);
        }
        let bytes = framed.len() as u64;
        self.offset += bytes;
        self.bytes += bytes;
        self.is_flushed = false;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        self.is_flushed = true;
        Ok(())
    }
}

fn failed(error: io::Error) -> Error {
    Error::Engine {
        doing: "keeping the archive of changes",
        cause: error.to_string(),
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::record::Record;
    use super::*;
    use std::io::{Seek, SeekFrom, Write};

    #[test]
    fn what_comes_after_a_write_that_failed_half_way_is_read() {
        let data = tempfile::tempdir().unwrap();
        let archive = Archive::new(data.path());
        archive.begin(|| Ok(Heads::new())).unwrap();
        archive.note_drop(ShardId(7)).unwrap();
        {
            let mut kept = archive.kept.lock();
            let kept = kept.as_mut().unwrap();
            // As a write leaves it that found no room for its last bytes, and was cut off again.
            kept.file.write_all_at(&[1; 1_000], kept.offset).unwrap();
            (&*kept.file).seek(SeekFrom::End(0)).unwrap();
            kept.file.set_len(kept.offset).unwrap();
        }
        let noted = archive.note_drop(ShardId(8)).unwrap();
        let (_, mut records) = Records::open(&archive.folder.join(name_of(noted.file)))
            .unwrap()
            .unwrap();
        let mut dropped = Vec::new();
        while let Some((_, record)) = records.next().unwrap() {
            if let Record::Drop { shard, .. } = record {
                dropped.push(shard);
            }
        }
        assert_eq!(dropped, [ShardId(7), ShardId(8)]);
        assert!(records.is_at_end());
    }

    #[test]
    fn a_record_is_taken_back_although_the_archive_has_ended() {
        let data = tempfile::tempdir().unwrap();
        let archive = Archive::new(data.path());
        archive.begin(|| Ok(Heads::new())).unwrap();
        let noted = archive.note_drop(ShardId(7)).unwrap();
        archive.give_up("the disk is full");
        let path = archive.folder.join(name_of(noted.file));
        // The state after a write that found no room.
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&[1, 2, 3]).unwrap();
        archive.undo(Some(noted));
        let (_, mut records) = Records::open(&path).unwrap().unwrap();
        let mut undone = Vec::new();
        while let Some((_, record)) = records.next().unwrap() {
            if let Record::Undone { file, offset } = record {
                undone.push((file, offset));
            }
        }
        assert_eq!(undone, [(noted.file, noted.offset)]);
        assert!(records.is_at_end());
    }
}
