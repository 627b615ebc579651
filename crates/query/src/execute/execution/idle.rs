//! A plan between two batches: what it keeps, and what changed meanwhile.

use super::Execution;
use crate::Result;
use crate::execute::hit::Hit;
use memory::Share;
use std::collections::HashSet;
use std::sync::Arc;

/// About the bytes that a record takes among those that were found.
const SEEN_RECORD_BYTES: usize = 12;

impl Execution {
    /// Keeps only the position and what is ready, so that the snapshot can go.
    pub fn suspend(&mut self) {
        self.source.suspend();
        self.is_stale = !self.pending.is_empty();
    }

    /// Before nobody asks for a while: what is in memory goes on under `idle`; where that has no room, into files, and of what is
    /// ready the records are kept, to be read again.
    pub fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.in_hand.keep(0);
        if let Some(seen) = &self.seen {
            idle.charge(idle.bytes() + seen.capacity() * SEEN_RECORD_BYTES);
        }
        if !self.ready.is_empty() && !idle.fit_or_spill(idle.bytes() + self.ready.bytes(), !self.plan.covered)
        {
            // What keys were made to is little, and need not be among the records.
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

    /// From now on a document may have several keys in an index that had one of each when the plan was made: records are told apart,
    /// each is matched, and none is shown as a key has it. What was found before had one key.
    pub fn expect_arrays(&mut self) {
        let plan = Arc::make_mut(&mut self.plan);
        plan.residual = true;
        plan.covered = false;
        self.source.read_documents();
        self.seen.get_or_insert_with(HashSet::new);
    }
}
