//! The first of many in their order, without sorting the others.

use std::collections::BinaryHeap;

/// As many as are wanted of what was put in, those that are first in their order.
pub(crate) struct Top<T> {
    /// The last of them is on top.
    heap: BinaryHeap<T>,
    count: usize,
}

impl<T: Ord> Top<T> {
    /// Empty; the first `count` are kept.
    pub(crate) fn new(count: usize) -> Top<T> {
        Top {
            heap: BinaryHeap::new(),
            count,
        }
    }

    /// The last one, which goes when another comes before it; `None` while there is room.
    pub(crate) fn last(&self) -> Option<&T> {
        self.heap.peek().filter(|_| self.heap.len() >= self.count)
    }

    /// Puts one in.
    pub(crate) fn put(&mut self, one: T) {
        self.heap.push(one);
        if self.heap.len() > self.count {
            self.heap.pop();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Those that are kept, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.heap.iter()
    }

    pub(crate) fn into_sorted(self) -> Vec<T> {
        self.heap.into_sorted_vec()
    }
}
