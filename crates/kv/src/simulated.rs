//! A store in memory that crashes and fails on demand, for seeded tests.

/// The control of a simulated store: when to crash, which writes and flushes fail.
#[derive(Clone, Debug)]
pub struct Simulation {}

impl Simulation {
    /// A new simulated disk; `seed` decides what a crash loses of what was not flushed.
    pub fn new(_seed: u64) -> Simulation {
        todo!("kv helper")
    }
}
