//! A thread that gives the places of freed values back to the disk.

use super::files::ValueFiles;
use super::pointer::Extent;
use crate::Error;
use crate::gate::Gate;
use crate::rocks::durable::Durable;
use crate::rocks::error::engine_error;
use crate::rocks::layout::{own_key, own_range};
use crate::rocks::options;
use crate::rocks::worker::Worker;
use rocksdb::{DB, ReadOptions, WriteBatch};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// The kind byte of these keys; file and offset follow it.
const FREE: u8 = 0x01;

/// How often it checks whether the snapshots that may read a place are gone.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// The sequence of the oldest snapshot; 0 if there is no snapshot.
const OLDEST_SNAPSHOT: &str = "rocksdb.oldest-snapshot-sequence";

/// Puts into a batch that an extent is free.
pub(in crate::rocks) fn put_free(extent: &Extent, batch: &mut WriteBatch) {
    batch.put(free_key(extent), extent.stored_bytes.to_be_bytes());
}

/// Puts into a batch that an extent is not free any more.
pub(in crate::rocks) fn delete_free(extent: &Extent, batch: &mut WriteBatch) {
    batch.delete(free_key(extent));
}

fn free_key(extent: &Extent) -> Vec<u8> {
    own_key(
        FREE,
        &[extent.file.to_be_bytes(), extent.offset.to_be_bytes()].concat(),
    )
}

/// Owner of the thread. Extents that are not freed at a stop stay among the free ones, and the next start frees them.
#[derive(Debug)]
pub(in crate::rocks) struct Reclaimer(Worker<Freed>);

/// Extents that no state of the database names from a write with this sequence number on.
#[derive(Debug)]
struct Freed {
    extents: Vec<Extent>,
    sequence: u64,
}

impl Reclaimer {
    /// Starts the thread; it begins with what is free already.
    pub(super) fn start(
        db: &Arc<DB>,
        files: Arc<ValueFiles>,
        durable: Arc<Durable>,
        gate: Gate,
    ) -> Result<Reclaimer, Error> {
        let left = Freed {
            extents: all_free(db)?,
            sequence: db.latest_sequence_number(),
        };
        let mut reclaiming = Reclaiming {
            db: db.clone(),
            files,
            durable,
            gate,
            waiting: VecDeque::from([left]),
            unpunched: Unpunched::default(),
            has_failed: false,
        };
        let worker = Worker::start("kv-reclaim", move |extents| reclaiming.run(&extents))?;
        Ok(Reclaimer(worker))
    }

    /// Frees extents that the database no longer names as of this sequence number, once older snapshots are gone.
    pub(in crate::rocks) fn free(&self, extents: Vec<Extent>, sequence: u64) {
        if !extents.is_empty() {
            self.0.send(Freed { extents, sequence });
        }
    }
}

struct Reclaiming {
    db: Arc<DB>,
    files: Arc<ValueFiles>,
    durable: Arc<Durable>,
    gate: Gate,
    waiting: VecDeque<Freed>,
    unpunched: Unpunched,
    has_failed: bool,
}

/// On a file system without holes: the extents that nobody needs any more, by file and offset. They stay free until their
/// whole file is removed. A pass that fails is repeated, and must not count an extent twice.
#[derive(Debug, Default)]
struct Unpunched(HashMap<u64, BTreeMap<u64, Extent>>);

impl Unpunched {
    fn add(&mut self, extent: &Extent) {
        let of_file = self.0.entry(extent.file).or_default();
        of_file.insert(extent.offset, *extent);
    }

    /// The bytes of a file that nobody needs.
    fn bytes(&self, file: u64) -> u64 {
        let of_file = self.0.get(&file).into_iter();
        of_file.flat_map(BTreeMap::values).map(Extent::disk_bytes).sum()
    }
}

impl Reclaiming {
    fn run(&mut self, extents: &mpsc::Receiver<Freed>) {
        loop {
            if self.waiting.is_empty() {
                match extents.recv() {
                    Ok(freed) => self.waiting.push_back(freed),
                    Err(mpsc::RecvError) => return,
                }
            }
            // What comes in quick succession is freed together.
            let due = Instant::now() + LOOK_INTERVAL;
            loop {
                match extents.recv_timeout(due.saturating_duration_since(Instant::now())) {
                    Ok(freed) => self.waiting.push_back(freed),
                    Err(mpsc::RecvTimeoutError::Timeout) => break,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                }
            }
            if let Err(error) = self.reclaim() {
                // There may be room at the next pass, which begins where this one ended.
                if error.is_disk_full() {
                    continue;
                }
                self.waiting.clear();
                // Logged only once.
                if !std::mem::replace(&mut self.has_failed, true) {
                    tracing::warn!(%error, "space of large values was not freed; the next start tries again");
                }
            }
        }
    }

    /// Frees what no snapshot can read any more.
    fn reclaim(&mut self) -> Result<(), Error> {
        let gate = self.gate.clone();
        let _pass = gate.pass_blocking();
        // The state that is kept for the case of a failed flush still names what was dropped after it.
        if self
            .waiting
            .front()
            .is_some_and(|freed| self.durable.sequence() < freed.sequence)
        {
            self.durable.flush_log()?;
        }
        let oldest = self
            .db
            .property_int_value(OLDEST_SNAPSHOT)
            .map_err(engine_error("looking for the oldest snapshot"))?
            .unwrap_or(0);
        // Snapshots taken at or after that write do not see the pointer.
        let is_unseen = |freed: &Freed| oldest == 0 || oldest >= freed.sequence;
        let unseen = self.waiting.iter().take_while(|freed| is_unseen(freed)).count();
        if unseen == 0 {
            return Ok(());
        }
        // The write that dropped the pointer must be on the disk before the bytes go: after a crash it would otherwise
        // come back and point to a hole. A crash between hole and delete only makes the hole twice.
        self.durable.flush_log()?;
        let mut done = WriteBatch::new();
        let mut files = BTreeSet::new();
        for extent in self.waiting.iter().take(unseen).flat_map(|freed| &freed.extents) {
            match self.files.punch(extent)? {
                true => delete_free(extent, &mut done),
                false => self.unpunched.add(extent),
            }
            files.insert(extent.file);
        }
        let written = self.db.write_opt(done, &options::write());
        written.map_err(|error| self.durable.write_failed(error))?;
        self.waiting.drain(..unseen);
        // A file that was the current one may have ended with nothing in it.
        files.extend(self.unpunched.0.keys());
        files.into_iter().try_for_each(|file| self.remove_if_empty(file))
    }

    /// Removes a file without values, and what is noted of its free places.
    fn remove_if_empty(&mut self, file: u64) -> Result<(), Error> {
        if !self.files.remove_if_empty(file, self.unpunched.bytes(file))? {
            return Ok(());
        }
        let Some(extents) = self.unpunched.0.remove(&file) else {
            return Ok(());
        };
        let mut done = WriteBatch::new();
        extents.values().for_each(|extent| delete_free(extent, &mut done));
        let written = self.db.write_opt(done, &options::write());
        written.map_err(|error| self.durable.write_failed(error))
    }
}

/// All extents that are free on the disk.
fn all_free(db: &DB) -> Result<Vec<Extent>, Error> {
    let (low, high) = own_range(FREE);
    let mut options = ReadOptions::default();
    options.set_iterate_range(low..high);
    let mut entries = db.raw_iterator_opt(options);
    let mut extents = Vec::new();
    entries.seek_to_first();
    while let Some((key, value)) = entries.item() {
        let extent = extent_of(key, value);
        extents.push(extent.ok_or_else(|| Error::Corrupt("an entry of free space".to_owned()))?);
        entries.next();
    }
    entries
        .status()
        .map_err(engine_error("reading what space is free"))?;
    Ok(extents)
}

fn extent_of(key: &[u8], value: &[u8]) -> Option<Extent> {
    let (before, offset) = key.split_last_chunk()?;
    Some(Extent {
        file: u64::from_be_bytes(*before.last_chunk()?),
        offset: u64::from_be_bytes(*offset),
        stored_bytes: u32::from_be_bytes(value.try_into().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_counts_once_although_a_pass_is_made_again() {
        let extent = |offset| Extent {
            file: 3,
            offset,
            stored_bytes: 4000,
        };
        let mut unpunched = Unpunched::default();
        for extent in [extent(0), extent(4096), extent(0)] {
            unpunched.add(&extent);
        }
        assert_eq!(unpunched.bytes(3), 8192);
        assert_eq!(unpunched.bytes(4), 0);
    }
}
