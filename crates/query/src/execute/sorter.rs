//! Sorting in memory, keeping only what can still be among the results.

use crate::{Code, QueryError, Result};
use std::collections::BinaryHeap;

/// The bytes that one sort keeps at most (MongoDB's limit).
pub const SORT_BYTES_MAX: usize = 100 * 1024 * 1024;

/// Collects things with their sort keys and gives them back in order.
#[derive(Debug)]
pub struct Sorter<T> {
    /// The largest on top, so that it can make place for a smaller one.
    heap: BinaryHeap<Entry<T>>,
    results_max: usize,
    bytes: usize,
    arrivals: u64,
}

#[derive(Debug)]
struct Entry<T> {
    key: Vec<u8>,
    /// Equal keys stay in the order in which they came.
    arrival: u64,
    bytes: usize,
    item: T,
}

impl<T> Sorter<T> {
    /// A sorter that gives back the first `results_max`.
    pub fn new(results_max: Option<u64>) -> Sorter<T> {
        let results_max = results_max.map_or(usize::MAX, |max| usize::try_from(max).unwrap_or(usize::MAX));
        Sorter {
            heap: BinaryHeap::new(),
            results_max,
            bytes: 0,
            arrivals: 0,
        }
    }

    /// Takes one more, of so many bytes. Fails where more than [`SORT_BYTES_MAX`] would have to be kept.
    pub fn push(&mut self, key: Vec<u8>, item: T, bytes: usize) -> Result<()> {
        if self.heap.len() >= self.results_max {
            match self.heap.peek() {
                Some(largest) if key < largest.key => {}
                _ => return Ok(()),
            }
            if let Some(dropped) = self.heap.pop() {
                self.bytes -= dropped.bytes;
            }
        }
        let bytes = bytes + key.len() + size_of::<Entry<T>>();
        self.bytes += bytes;
        if self.bytes > SORT_BYTES_MAX {
            return Err(QueryError::new(
                Code(292),
                format!(
                    "Executor error during find command :: caused by :: Sort exceeded memory limit of {SORT_BYTES_MAX} \
                     bytes, and sorting on disk is not supported yet: give a limit, or an index on the sort's fields"
                ),
            ));
        }
        self.arrivals += 1;
        self.heap.push(Entry {
            key,
            arrival: self.arrivals,
            bytes,
            item,
        });
        Ok(())
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// All that are kept, in order.
    pub fn into_sorted(self) -> impl Iterator<Item = T> {
        self.heap.into_sorted_vec().into_iter().map(|entry| entry.item)
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key).then(self.arrival.cmp(&other.arrival))
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_smallest_in_order_and_ties_as_they_came() {
        let mut sorter = Sorter::new(Some(3));
        for (key, item) in [(5, "a"), (1, "b"), (1, "c"), (9, "d"), (0, "e")] {
            sorter.push(vec![key], item, 1).unwrap();
        }
        assert_eq!(sorter.len(), 3);
        assert_eq!(sorter.into_sorted().collect::<Vec<_>>(), ["e", "b", "c"]);
    }

    #[test]
    fn refuses_to_keep_too_much_but_not_to_pass_much_by() {
        let mut sorter = Sorter::new(Some(1));
        for key in (0..10u8).rev() {
            sorter.push(vec![key], (), SORT_BYTES_MAX / 2).unwrap();
        }
        let mut all = Sorter::new(None);
        all.push(vec![0], (), SORT_BYTES_MAX / 2).unwrap();
        assert_eq!(
            all.push(vec![1], (), SORT_BYTES_MAX / 2).unwrap_err().code,
            Code(292)
        );
    }
}
