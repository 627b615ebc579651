//! The folder between sources and server: what was gathered and is not known to be with the server yet.
//!
//! Records come in by [`Spool::append`] together with the positions that their source reached by them: both are in one
//! [`frame`], so that a source goes on after a crash where what is kept ends. Frames are added to segments; each
//! start begins a new one, so nothing is ever written after what a crash left unfinished. A segment begins with all positions,
//! so older ones are removed when the server has what is in them.
//!
//! What must hold: only what is flushed is sent; an id is never given twice; what is dropped or damaged is counted.

mod frame;
mod lock;
mod outgoing;
mod recovery;
mod segment;

pub use frame::{BODY_BYTES_MAX, Frame, Positions};
pub use outgoing::{Outgoing, Record};
pub use recovery::Recovery;

use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// About how many segments a full spool consists of: the oldest is dropped as a whole.
const SEGMENTS: u64 = 8;
/// The largest segment, so that room comes back soon.
const SEGMENT_BYTES_MAX: u64 = 4 << 20;

/// The file that keeps room for the beginning of a segment, and how much.
const RESERVE: &str = "reserve";
const RESERVE_BYTES: usize = 64 << 10;

/// Why the spool does not take something.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// It has reached its limit, or the disk has.
    #[error("the spool is full")]
    Full,
    /// Another agent has the folder.
    #[error("{} is in use by another agent", .0.display())]
    InUse(PathBuf),
    /// The folder cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
}

/// What a source gives at once.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Where the records go.
    pub target: String,
    /// Where the source is after them.
    pub positions: Positions,
    /// The records: BSON.
    pub records: Vec<Bytes>,
}

/// A position in the spool: a segment, and bytes into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpoolPosition {
    /// The segment's number.
    pub segment: u64,
    /// Bytes into it.
    pub offset: u64,
}

/// A segment as the spool knows it.
#[derive(Debug)]
struct Segment {
    number: u64,
    bytes: u64,
    /// The bytes that it began with: frames after them were added.
    begun: u64,
    records: u64,
}

/// The folder between sources and server.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    bytes_max: u64,
    segments: VecDeque<Segment>,
    /// The newest segment.
    file: Arc<File>,
    /// Frames of it that are not flushed yet, for the case that a flush fails.
    unflushed: Vec<Bytes>,
    durable: SpoolPosition,
    /// The server has what is before this.
    acknowledged: SpoolPosition,
    /// Records of the acknowledged place's segment that are before it.
    acknowledged_records: u64,
    /// Where what is being sent ends.
    in_flight: Option<SpoolPosition>,
    positions: BTreeMap<String, String>,
    /// Positions that a full spool could not take with their records.
    postponed: Positions,
    epoch: u64,
    next: u64,
    dropped: u64,
    /// Whether the disk had no room for the last thing that was to be added.
    is_short: bool,
    _lock: File,
}

impl Spool {
    /// Opens a folder, or makes it.
    pub fn open(folder: &Path, bytes_max: u64) -> Result<(Spool, Recovery), SpoolError> {
        let failed = |error| SpoolError::Io(folder.to_owned(), error);
        make(folder).map_err(failed)?;
        let lock = lock::take(folder)?;
        let found = recovery::read(folder).map_err(failed)?;
        // What a killed process wrote last may not be on the disk yet, and the next segment begins with the positions after it.
        if let Some(newest) = found.segments.back() {
            let newest = File::open(path_of(folder, newest.number));
            newest.and_then(|newest| newest.sync_all()).map_err(failed)?;
        }
        let newest = found.segments.back().map_or(0, |newest| newest.number);
        // Above what the server is known to have, although somebody removed the segments.
        let number = newest.max(found.acknowledged.segment) + 1;
        let epoch = recovery::epoch_after(found.epoch).map_err(failed)?;
        let mut spool = Spool {
            folder: folder.to_owned(),
            bytes_max,
            segments: found.segments,
            // Replaced by the first segment of this start.
            file: Arc::new(lock.try_clone().map_err(failed)?),
            unflushed: Vec::new(),
            durable: SpoolPosition::default(),
            acknowledged: found.acknowledged,
            acknowledged_records: found.acknowledged_records,
            in_flight: None,
            positions: found.positions,
            postponed: Positions::new(),
            epoch,
            next: 0,
            dropped: found.recovery.dropped,
            is_short: false,
            _lock: lock,
        };
        spool.keep_reserve();
        if let Err(error) = spool.begin_segment(number, &[]) {
            let end = SpoolPosition {
                segment: newest,
                offset: found.newest_end,
            };
            if !is_full(&error) || spool.segments.is_empty() || found.acknowledged > end {
                return Err(failed(error));
            }
            spool.go_on_in_newest(found.newest_end).map_err(failed)?;
        }
        spool.acknowledge(spool.acknowledged);
        Ok((spool, found.recovery))
    }

    /// The positions that sources have reached, by their keys.
    pub fn positions(&self) -> &BTreeMap<String, String> {
        &self.positions
    }

    /// Records that wait for the server.
    pub fn waiting(&self) -> u64 {
        let records: u64 = self.segments.iter().map(|segment| segment.records).sum();
        records.saturating_sub(self.acknowledged_records)
    }

    /// Bytes on the disk.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }

    /// Records that were dropped since the folder was made.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Adds records and positions. They are kept when [`Spool::flushed`] was told.
    pub fn append(&mut self, batch: &Batch) -> Result<(), SpoolError> {
        let mut positions = self.postponed.clone();
        positions.extend(batch.positions.clone());
        let frame = Frame {
            epoch: self.epoch,
            first: self.next,
            dropped: self.dropped,
            is_whole: false,
            target: batch.target.clone(),
            positions,
            records: batch.records.clone(),
        };
        let bytes = Bytes::from(frame.encode());
        // A batch that is larger than the spool may be is taken by itself: no sending would make enough room.
        let is_alone = self.waiting() == 0 && self.unflushed.is_empty();
        if self.bytes() + bytes.len() as u64 > self.bytes_max && !is_alone {
            return Err(SpoolError::Full);
        }
        let newest = self.newest();
        // A segment without frames takes any, however large.
        if newest.bytes > newest.begun && newest.bytes + bytes.len() as u64 > self.segment_bytes_max() {
            self.roll()?;
        }
        let mut written = self.write(&bytes);
        if matches!(written, Err(SpoolError::Full)) {
            self.is_short = true;
            self.leave_full_segment();
            if !self.is_short {
                // The server has all records: they are removed, and there is room.
                self.acknowledge(self.acknowledged);
                written = self.write(&bytes);
            }
        }
        self.is_short = matches!(written, Err(SpoolError::Full));
        written?;
        self.unflushed.push(bytes);
        self.newest_mut().records += batch.records.len() as u64;
        self.next += batch.records.len() as u64;
        self.postponed.clear();
        take_positions(&mut self.positions, frame.positions);
        Ok(())
    }

    /// Forgets records that there is no room for; the positions after them are written with the next ones that fit.
    pub fn drop_newest(&mut self, batch: &Batch) {
        self.dropped += batch.records.len() as u64;
        self.postponed.extend(batch.positions.clone());
    }

    /// Removes the oldest segment of which nothing is being sent. Returns how many records were dropped with it.
    pub fn drop_oldest(&mut self) -> Result<Option<u64>, SpoolError> {
        if self.segments.len() == 1 || self.oldest_at_rest().is_none() {
            if self.newest().records == 0 || self.is_in_flight(self.newest().number) {
                return Ok(None);
            }
            self.roll()?;
        }
        let Some(at) = self.oldest_at_rest() else {
            return Ok(None);
        };
        let Some(segment) = self.segments.remove(at) else {
            return Ok(None);
        };
        let mut lost = segment.records;
        if segment.number == self.acknowledged.segment {
            lost = lost.saturating_sub(self.acknowledged_records);
            self.acknowledged_records = 0;
            self.acknowledged = SpoolPosition {
                segment: segment.number + 1,
                offset: 0,
            };
        }
        self.dropped += lost;
        self.remove(segment.number);
        Ok(Some(lost))
    }

    /// The file to be flushed, and the place before which all will be kept then; `None` if all is flushed.
    pub fn to_flush(&self) -> Option<(Arc<File>, SpoolPosition)> {
        (!self.unflushed.is_empty()).then(|| (self.file.clone(), self.end()))
    }

    /// Bytes that are not flushed yet.
    pub fn unflushed_bytes(&self) -> usize {
        self.unflushed.iter().map(Bytes::len).sum()
    }

    /// Tells that all before this place is on the disk.
    pub fn flushed(&mut self, place: SpoolPosition) {
        self.durable = self.durable.max(place);
        if place == self.end() {
            self.unflushed.clear();
        }
    }

    /// Tells that a flush failed: what was not kept by it is written again, elsewhere, under the same ids. To be called again
    /// until it succeeds; nothing may be flushed or added before.
    pub fn flush_failed(&mut self) -> Result<(), SpoolError> {
        let frames = std::mem::take(&mut self.unflushed);
        let number = self.newest().number + 1;
        if let Err(error) = self.begin_segment(number, &frames) {
            self.unflushed = frames;
            return Err(self.failed(error));
        }
        Ok(())
    }

    fn roll(&mut self) -> Result<(), SpoolError> {
        self.file.sync_data().map_err(|error| self.failed(error))?;
        self.flushed(self.end());
        let number = self.newest().number + 1;
        self.begin_segment(number, &[])
            .map_err(|error| self.failed(error))
    }

    /// Begins a segment with all positions, and makes sure that it outlives a crash. Frames that reached those positions and
    /// are nowhere else stand before them, so that a crash in between cannot leave the positions alone.
    fn begin_segment(&mut self, number: u64, frames: &[Bytes]) -> io::Result<()> {
        let path = path_of(&self.folder, number);
        let state = Frame {
            epoch: self.epoch,
            first: self.next,
            dropped: self.dropped,
            is_whole: true,
            positions: self
                .positions
                .iter()
                .map(|(key, value)| (key.clone(), Some(value.clone())))
                .collect(),
            ..Frame::default()
        };
        let mut bytes = frames.concat();
        bytes.extend(state.encode());
        let made = (|| {
            let mut file = OpenOptions::new().create_new(true).append(true).open(&path)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            File::open(&self.folder)?.sync_all()?;
            Ok(file)
        })();
        let file = match made {
            Ok(file) => file,
            Err(error) => {
                let _ = std::fs::remove_file(&path);
                // On a full disk there is room for this once what is kept for it is given up.
                return match std::fs::remove_file(self.folder.join(RESERVE)) {
                    Ok(()) => {
                        self.give_room();
                        self.begin_segment(number, frames)
                    }
                    Err(_) => Err(error),
                };
            }
        };
        self.file = Arc::new(file);
        self.unflushed.clear();
        self.segments.push_back(Segment {
            number,
            bytes: bytes.len() as u64,
            begun: bytes.len() as u64,
            records: 0,
        });
        // Records of frames that were written a second time are counted where they were first.
        self.durable = self.end();
        Ok(())
    }

    /// Goes on in the segment that an earlier start left, after its last frame, if a full disk has no room for another one; there
    /// will be room once the server has what waits. What a crash left unfinished there is cut off first.
    fn go_on_in_newest(&mut self, end: u64) -> io::Result<()> {
        let path = path_of(&self.folder, self.newest().number);
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(end)?;
        file.sync_all()?;
        self.file = Arc::new(file);
        self.newest_mut().bytes = end;
        self.durable = self.end();
        Ok(())
    }

    /// Keeps room for the beginning of a segment: on a full disk, what the server has is removed only once a newer segment has the
    /// positions.
    fn keep_reserve(&self) {
        let path = self.folder.join(RESERVE);
        if !path.exists() && std::fs::write(&path, vec![1; RESERVE_BYTES]).is_err() {
            let _ = std::fs::remove_file(path);
        }
    }

    /// If the disk is full and the server has all of the newest segment, begins another one, so that the newest can be removed.
    fn leave_full_segment(&mut self) {
        let has_all = self.acknowledged == self.end() && self.unflushed.is_empty();
        if self.is_short && has_all && self.begin_segment(self.newest().number + 1, &[]).is_ok() {
            self.is_short = false;
            self.acknowledged = SpoolPosition {
                segment: self.newest().number,
                offset: 0,
            };
            self.acknowledged_records = 0;
        }
    }

    /// Adds bytes to the newest segment, all or none.
    fn write(&mut self, bytes: &[u8]) -> Result<(), SpoolError> {
        if let Err(error) = (&*self.file).write_all(bytes) {
            // What was written of it is cut off; if that fails as well, a reader skips it.
            if self.file.set_len(self.end().offset).is_err()
                && let Ok(metadata) = self.file.metadata()
            {
                self.newest_mut().bytes = metadata.len();
            }
            return Err(self.failed(error));
        }
        self.newest_mut().bytes += bytes.len() as u64;
        Ok(())
    }

    fn failed(&self, error: io::Error) -> SpoolError {
        match is_full(&error) {
            true => SpoolError::Full,
            false => SpoolError::Io(self.folder.clone(), error),
        }
    }

    fn remove(&self, number: u64) {
        let path = path_of(&self.folder, number);
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), %error, "a segment that is done with cannot be removed");
        }
        self.give_room();
    }

    /// A file system may free the room of what is removed only once the removal is on the disk.
    fn give_room(&self) {
        if let Err(error) = File::open(&self.folder).and_then(|folder| folder.sync_all()) {
            tracing::debug!(%error, "the folder of the spool cannot be flushed");
        }
    }

    fn segment_bytes_max(&self) -> u64 {
        (self.bytes_max / SEGMENTS).clamp(64 << 10, SEGMENT_BYTES_MAX)
    }

    fn end(&self) -> SpoolPosition {
        SpoolPosition {
            segment: self.newest().number,
            offset: self.newest().bytes,
        }
    }

    fn newest(&self) -> &Segment {
        self.segments
            .back()
            .expect("there is always a segment that is written")
    }

    fn newest_mut(&mut self) -> &mut Segment {
        self.segments
            .back_mut()
            .expect("there is always a segment that is written")
    }

    fn is_in_flight(&self, number: u64) -> bool {
        self.in_flight
            .is_some_and(|end| (self.acknowledged.segment..=end.segment).contains(&number))
    }

    fn oldest_at_rest(&self) -> Option<usize> {
        let older = self.segments.iter().take(self.segments.len() - 1);
        older
            .map(|segment| segment.number)
            .position(|number| !self.is_in_flight(number))
    }
}

/// Makes the folder if it does not exist, so that its name outlives a crash as well.
fn make(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

/// Whether there was no room for something.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Brings a table of positions up to date.
fn take_positions(table: &mut BTreeMap<String, String>, changes: Positions) {
    for (key, value) in changes {
        match value {
            Some(value) => table.insert(key, value),
            None => table.remove(&key),
        };
    }
}

fn path_of(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:016x}.segment"))
}
