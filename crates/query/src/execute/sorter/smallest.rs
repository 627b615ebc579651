//! The n smallest of all items.

use crate::Result;
use crate::spill::Spilled;
use language::interruption::steps;
use std::collections::BinaryHeap;

/// A heap with the largest item on top, so that it can be replaced by a smaller one.
#[derive(Debug)]
pub(super) struct Smallest {
    heap: BinaryHeap<Entry>,
    results_max: usize,
    bytes: usize,
    arrivals: u64,
    /// The items after sorting, the smallest last.
    sorted: Vec<Entry>,
}

/// An item, ordered by its key; equal keys by their arrival.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: Vec<u8>,
    arrival: u64,
    item: Vec<u8>,
}

impl Entry {
    fn bytes(&self) -> usize {
        self.key.len() + self.item.len() + size_of::<Entry>()
    }
}

impl Smallest {
    pub(super) fn new(results_max: usize) -> Smallest {
        Smallest {
            heap: BinaryHeap::new(),
            results_max,
            bytes: 0,
            arrivals: 0,
            sorted: Vec::new(),
        }
    }

    /// The largest key, once there are as many items as wanted: items whose keys are not below it are not kept. Among equal keys
    /// those that came first stay.
    pub(super) fn limit(&self) -> Option<&[u8]> {
        match self.heap.len() >= self.results_max {
            // If none are wanted, every key is too large.
            true => Some(self.heap.peek().map_or(&[], |largest| &largest.key)),
            false => None,
        }
    }

    /// Adds an item, if it is among the smallest.
    pub(super) fn push(&mut self, key: &[u8], item: &impl Spilled) {
        if let Some(limit) = self.limit() {
            if key >= limit {
                return;
            }
            if let Some(dropped) = self.heap.pop() {
                self.bytes -= dropped.bytes();
            }
        }
        self.arrivals += 1;
        let mut entry = Entry {
            key: key.to_vec(),
            arrival: self.arrivals,
            item: Vec::new(),
        };
        item.save(&mut entry.item);
        self.bytes += entry.bytes();
        self.heap.push(entry);
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len() + self.sorted.len()
    }

    /// The bytes of all items.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sorts the items.
    pub(super) fn sort(&mut self) -> Result<()> {
        self.sorted.reserve_exact(self.heap.len());
        while let Some(largest) = self.heap.pop() {
            steps(1)?;
            self.sorted.push(largest);
        }
        Ok(())
    }

    /// The key and the item of the next to be returned.
    pub(super) fn peek(&self) -> Option<(&[u8], &[u8])> {
        let entry = self.sorted.last()?;
        Some((&entry.key, &entry.item))
    }

    /// Steps past what [`Smallest::peek`] returns.
    pub(super) fn advance(&mut self) {
        self.sorted.pop();
    }
}
