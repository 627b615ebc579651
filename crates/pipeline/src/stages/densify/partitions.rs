//! The partitions of a `$densify` at work, each with the step at which it goes on.

use crate::Result;
use crate::kept::{Kept, rest_kept};
use language::expression::document_bytes;
use memory::Share;
use std::collections::{HashMap, VecDeque};
use value::{Document, Value};

/// About what a partition takes beside its key and its fields.
const PARTITION_BYTES: usize = 128;

/// One partition.
pub(super) struct Partition {
    /// The fields that identify it, which new documents get too.
    pub(super) fields: Document,
    /// The next step's value; none beyond what can be reached.
    pub(super) next: Option<Value>,
}

/// All partitions so far, in the order in which their first documents came.
pub(super) struct Partitions {
    places: HashMap<Vec<u8>, usize>,
    all: VecDeque<Partition>,
    kept: Kept,
    bytes: usize,
}

impl Partitions {
    pub(super) fn new(kept: Kept) -> Partitions {
        Partitions {
            places: HashMap::new(),
            all: VecDeque::new(),
            kept,
            bytes: 0,
        }
    }

    /// The place of the partition with this key; `None` if it is new.
    pub(super) fn place(&self, key: &[u8]) -> Option<usize> {
        self.places.get(key).copied()
    }

    /// Adds a partition and gives its place.
    pub(super) fn add(&mut self, key: Vec<u8>, partition: Partition) -> Result<usize> {
        self.bytes += PARTITION_BYTES + key.len() + document_bytes((&partition.fields).into());
        self.kept.check(self.bytes)?;
        let place = self.all.len();
        self.places.insert(key, place);
        self.all.push_back(partition);
        Ok(place)
    }

    /// The step at which a partition goes on; `None` if it does not.
    pub(super) fn next(&self, place: usize) -> Option<Value> {
        self.all.get(place)?.next.clone()
    }

    /// Sets the step at which a partition goes on.
    pub(super) fn go_on_at(&mut self, place: usize, next: Option<Value>) {
        if let Some(partition) = self.all.get_mut(place) {
            partition.next = next;
        }
    }

    /// Forgets all partitions, to which no more documents come.
    pub(super) fn clear(&mut self) -> Result<()> {
        self.places.clear();
        self.all.clear();
        self.bytes = 0;
        self.kept.check(0)
    }

    /// Takes out the first partition, once all documents have come.
    pub(super) fn pop(&mut self) -> Option<Partition> {
        self.places.clear();
        self.all.pop_front()
    }

    /// As [`crate::step::Step::rest`].
    pub(super) fn rest(&mut self, idle: &mut Share) -> Result<()> {
        rest_kept(&mut self.kept, idle)
    }
}
