//! The simulated disk: what is flushed on it, and what is only written.

use crate::poison::Poison;
use crate::{Error, Head, ShardId};
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The entries and head of a shard. Shared with snapshots, copied when it is written while one is held.
#[derive(Clone, Debug, Default)]
pub(super) struct Shard {
    pub(super) head: Head,
    pub(super) entries: Arc<BTreeMap<Vec<u8>, Bytes>>,
}

type Shards = HashMap<ShardId, Shard>;

/// A key, and what it is set to; `None` if it is removed.
pub(super) type DiskEntry = (Vec<u8>, Option<Bytes>);

/// One change of the disk: whole or not at all.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// A commit.
    Commit(ShardId, Head, Vec<DiskEntry>),
    /// A shard dropped.
    Drop(ShardId),
}

/// The state of a [`Simulation`](super::Simulation).
#[derive(Debug)]
pub(super) struct Disk {
    /// The state that the open store reads.
    pub(super) present: Shards,
    pub(super) poison: Poison,
    pub(super) steps: u64,
    pub(super) flushes: u64,
    pub(super) commits: u64,
    pub(super) crash_at: Option<u64>,
    pub(super) fail_write: bool,
    pub(super) fail_flush: bool,
    /// The number of writes before one that finds no room.
    pub(super) fill_at_write: Option<u64>,
    /// The number of flushes before one that finds no room.
    pub(super) fill_at_flush: Option<u64>,
    pub(super) is_low: bool,
    /// The state that survives a crash.
    flushed: Shards,
    /// The changes written since, oldest first.
    unflushed: Vec<Change>,
    /// Counts the stores opened; an older one has crashed or was closed.
    generation: u64,
    open: bool,
    random: u64,
}

impl Disk {
    pub(super) fn new(seed: u64) -> Disk {
        Disk {
            present: Shards::new(),
            poison: Poison::default(),
            steps: 0,
            flushes: 0,
            commits: 0,
            crash_at: None,
            fail_write: false,
            fail_flush: false,
            fill_at_write: None,
            fill_at_flush: None,
            is_low: false,
            flushed: Shards::new(),
            unflushed: Vec::new(),
            generation: 0,
            open: false,
            random: seed,
        }
    }

    /// Opens a store on what survived, and returns its generation.
    pub(super) fn open(&mut self) -> u64 {
        if self.open {
            self.crash();
        }
        self.open = true;
        self.poison = Poison::default();
        self.generation += 1;
        self.generation
    }

    /// Fails where the store of that generation is closed or has crashed.
    pub(super) fn check(&self, generation: u64) -> Result<(), Error> {
        if self.open && self.generation == generation {
            Ok(())
        } else {
            Err(Error::Closed)
        }
    }

    /// Loses an arbitrary part of the newest unflushed changes, and with them the open store.
    pub(super) fn crash(&mut self) {
        let kept = self.below(self.unflushed.len() as u64 + 1) as usize;
        for change in self.unflushed.drain(..).take(kept) {
            apply(&mut self.flushed, &change);
        }
        self.present = self.flushed.clone();
        self.open = false;
    }

    /// Ends the store without a loss; the caller has flushed.
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    /// Writes a change, not yet flushed.
    pub(super) fn write(&mut self, change: Change) -> Result<(), Error> {
        self.poison.check()?;
        if let Some(before) = self.fill_at_write.take() {
            self.fill_at_write = before.checked_sub(1);
            if before == 0 {
                return Err(Error::DiskFull {
                    cause: "a simulated disk is full".to_owned(),
                });
            }
        }
        self.steps += 1;
        let crashes = self.crash_at.take_if(|step| *step <= self.steps).is_some();
        let fails = std::mem::take(&mut self.fail_write);
        if !crashes && !fails {
            apply(&mut self.present, &change);
            self.unflushed.push(change);
            return Ok(());
        }
        // Nobody knows whether a write that failed has reached the disk.
        if self.below(2) == 1 {
            self.unflushed.push(change);
        }
        if crashes {
            self.crash();
            return Err(Error::Closed);
        }
        Err(self.fail("a simulated write failed"))
    }

    /// Stops the writes. Nobody knows whether the unflushed changes are on the disk, so they are not read any more.
    fn fail(&mut self, cause: &str) -> Error {
        self.present = self.flushed.clone();
        self.poison.set(cause)
    }

    /// The state that survives a crash.
    pub(super) fn flushed(&self) -> &Shards {
        &self.flushed
    }

    /// Makes all that was written safe from a crash.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.poison.check()?;
        if self.unflushed.is_empty() {
            return Ok(());
        }
        self.steps += 1;
        if self.crash_at.take_if(|step| *step <= self.steps).is_some() {
            self.crash();
            return Err(Error::Closed);
        }
        if let Some(before) = self.fill_at_flush.take() {
            self.fill_at_flush = before.checked_sub(1);
            if before == 0 {
                return Err(Error::DiskFullAtFlush {
                    cause: "a simulated disk is full".to_owned(),
                });
            }
        }
        if std::mem::take(&mut self.fail_flush) {
            return Err(self.fail("a simulated flush failed"));
        }
        self.flushes += 1;
        self.unflushed.clear();
        self.flushed = self.present.clone();
        Ok(())
    }

    /// A seeded number below `bound` (splitmix64).
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}

fn apply(shards: &mut Shards, change: &Change) {
    match change {
        Change::Drop(shard) => {
            shards.remove(shard);
        }
        Change::Commit(shard, head, changed) => {
            let shard = shards.entry(*shard).or_default();
            shard.head = head.clone();
            let entries = Arc::make_mut(&mut shard.entries);
            for (key, value) in changed {
                match value {
                    Some(value) => entries.insert(key.clone(), value.clone()),
                    None => entries.remove(key.as_slice()),
                };
            }
        }
    }
}
