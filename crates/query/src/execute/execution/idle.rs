//! An execution between two batches: what it keeps, and what may change meanwhile.

use super::Execution;
use crate::Result;
use crate::execute::hit::Hit;
use memory::Share;
use std::collections::HashSet;
use std::sync::Arc;

/// The bytes, about, that a record takes in the set of found records.
const SEEN_RECORD_BYTES: usize = 12;

impl Execution {
    /// Keeps only the position and the ready results, so that the snapshot can be dropped.
    pub fn suspend(&mut self) {
        self.source.suspend();
        self.is_stale = !self.pending.is_empty();
    }

    /// To be called before a pause. What is in memory is counted under `idle`. If that has no room, the sort moves into files, and ready
    /// results are reduced to their records, to be read again.
    pub fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.in_hand.keep(0);
        if let Some(seen) = &self.seen {
            idle.charge(idle.bytes() + seen.capacity() * SEEN_RECORD_BYTES);
        }
        if !self.ready.is_empty() && !idle.fit_or_spill(idle.bytes() + self.ready.bytes(), !self.plan.covered)
        {
            // Documents made from keys are small, and cannot be read again by their records alone.
            match self.plan.covered {
                true => idle.charge(idle.bytes() + self.ready.bytes()),
                false => self.forget_ready(),
            }
        }
        match &mut self.sorted {
            Some(sorted) => sorted.rest(idle),
            None => Ok(()),
        }
    }

    fn forget_ready(&mut self) {
        let again: Vec<Hit> = self.ready.take_hits().collect();
        if !self.gives_sorted() {
            self.counters.matched -= again.len() as u64;
            self.counters.results -= again.len() as u64;
        }
        self.pending.splice(..0, again);
        self.exhausted = false;
        self.is_stale = true;
    }

    /// To be called when documents may have several keys in an index that had one for each when the plan was made. From now on records
    /// are deduplicated, each is matched, and none is made from a key. Records that were found before had one key.
    pub fn expect_arrays(&mut self) {
        let plan = Arc::make_mut(&mut self.plan);
        plan.residual = true;
        plan.covered = false;
        self.source.read_documents();
        self.seen.get_or_insert_with(HashSet::new);
    }
}
