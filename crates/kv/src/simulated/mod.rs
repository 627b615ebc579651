//! A store in memory that crashes and fails on demand, for seeded tests.
//!
//! [`Simulation`] is the disk: it outlives the stores opened on it, and it decides, from its seed, what a
//! crash loses of what was not flushed ([`disk`]). [`Engine`] is one store opened on it; after a crash every
//! use of it fails.
//!
//! It has no clock: what is committed with [`Durability::Soon`](crate::Durability::Soon) stays unflushed
//! until a flush or a flushed commit.

mod disk;
mod engine;

pub(crate) use engine::{Engine, Moment, Snapshot};

use disk::Disk;
use parking_lot::Mutex;
use std::sync::Arc;

/// The control of a simulated store: when to crash, which writes and flushes fail.
#[derive(Clone, Debug)]
pub struct Simulation {
    disk: Arc<Mutex<Disk>>,
}

impl Simulation {
    /// A new simulated disk; `seed` decides what a crash loses of what was not flushed.
    pub fn new(seed: u64) -> Simulation {
        Simulation {
            disk: Arc::new(Mutex::new(Disk::new(seed))),
        }
    }

    /// Ends the open store at once. Of what was not flushed, an arbitrary part of the newest commits is lost;
    /// what is left is found by the next [`Kv::simulated`](crate::Kv::simulated).
    pub fn crash(&self) {
        self.disk.lock().crash();
    }

    /// Crashes in the midst of step `step` (the first is 1): that write or flush may or may not have taken
    /// place.
    pub fn crash_at_step(&self, step: u64) {
        self.disk.lock().crash_at = Some(step);
    }

    /// The writes and flushes made so far; each is a step.
    pub fn steps(&self) -> u64 {
        self.disk.lock().steps
    }

    /// Lets the next write fail, which stops all writes until the store is opened again.
    pub fn fail_next_write(&self) {
        self.disk.lock().fail_write = true;
    }

    /// From now on the disk is nearly full, or has room again.
    pub fn set_disk_low(&self, is_low: bool) {
        self.disk.lock().is_low = is_low;
    }

    /// Lets the next flush fail, which stops all writes until the store is opened again.
    pub fn fail_next_flush(&self) {
        self.disk.lock().fail_flush = true;
    }

    /// Lets the next write find no room. It is not made, and the write after that one finds room again.
    pub fn fill_at_next_write(&self) {
        self.fill_at_write_after(0);
    }

    /// As [`Simulation::fill_at_next_write`], after `writes` writes that find room.
    pub fn fill_at_write_after(&self, writes: u64) {
        self.disk.lock().fill_at_write = Some(writes);
    }

    /// Lets the next flush find no room. What was written stays, and the flush after that one finds room again.
    pub fn fill_at_next_flush(&self) {
        self.fill_at_flush_after(0);
    }

    /// As [`Simulation::fill_at_next_flush`], after `flushes` flushes that find room.
    pub fn fill_at_flush_after(&self, flushes: u64) {
        self.disk.lock().fill_at_flush = Some(flushes);
    }
}
