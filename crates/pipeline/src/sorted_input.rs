//! The input of steps that need all of it in order.

use crate::Result;
use crate::stage::Run;
use memory::Share;
use query::execute::{Sorted, Sorter};
use query::spill::Spilled;

/// Items that are collected until the input ends, and then returned in order.
pub(crate) struct SortedInput<T> {
    /// `None` once the input has ended.
    sorter: Option<Sorter<T>>,
    sorted: Option<Sorted<T>>,
}

impl<T: Spilled> SortedInput<T> {
    /// No items yet; only the first `results_max` of all will be wanted.
    pub(crate) fn new(run: &Run, results_max: Option<u64>) -> SortedInput<T> {
        SortedInput {
            sorter: Some(run.sorter(results_max)),
            sorted: None,
        }
    }

    /// Takes an item under its key.
    pub(crate) fn push(&mut self, key: &[u8], item: &T) -> Result<()> {
        match &mut self.sorter {
            Some(sorter) => sorter.push(key, item),
            None => Ok(()),
        }
    }

    /// Ends the input, and returns the remaining items in order.
    pub(crate) fn sorted(&mut self) -> Result<Option<&mut Sorted<T>>> {
        if let Some(sorter) = self.sorter.take() {
            self.sorted = Some(sorter.into_sorted()?);
        }
        Ok(self.sorted.as_mut())
    }

    /// As [`crate::step::Step::rest`].
    pub(crate) fn rest(&mut self, idle: &mut Share) -> Result<()> {
        match &mut self.sorted {
            Some(sorted) => sorted.rest(idle),
            None => Ok(()),
        }
    }
}
