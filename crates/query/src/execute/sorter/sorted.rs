//! The results of a sort.

use super::files::SortFiles;
use super::merge::Merge;
use super::{InMemory, Kept};
use crate::Result;
use crate::spill::{SpillFolder, Spilled};
use language::interruption::steps;
use memory::Share;
use std::marker::PhantomData;
use std::sync::Arc;

/// Sorted items, from the first on: those in memory merged with those in files.
#[derive(Debug)]
pub struct Sorted<T> {
    memory: Option<Kept>,
    /// The records of files, which are older than the items in memory.
    merge: Merge,
    files: SortFiles,
    /// The share for the items in memory, and for reading the files.
    share: Share,
    /// The folder to which items in memory may have to move; `None` if no files may be used.
    spill: Option<Arc<SpillFolder>>,
    left: usize,
    /// The key of the item that was read last.
    key: Vec<u8>,
    /// An item that was read, but not taken.
    waiting: Option<T>,
    things: PhantomData<T>,
}

impl<T: Spilled> Sorted<T> {
    /// Merges items in memory, which must be sorted, with files, up to `results_max` items.
    pub(super) fn new(
        memory: InMemory,
        merge: Merge,
        files: SortFiles,
        spill: Option<Arc<SpillFolder>>,
        results_max: usize,
    ) -> Sorted<T> {
        let InMemory { kept, mut share } = memory;
        // Charged without asking, since reading cannot do with less.
        share.charge(kept.bytes() + merge.bytes());
        Sorted {
            memory: Some(kept),
            merge,
            files,
            share,
            spill,
            left: results_max,
            key: Vec::new(),
            waiting: None,
            things: PhantomData,
        }
    }

    /// The next item; `None` at the end.
    pub fn pop(&mut self) -> Result<Option<T>> {
        match self.waiting.take() {
            Some(next) => Ok(Some(next)),
            None => self.read(),
        }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        let in_memory = self.memory.as_ref().and_then(Kept::peek);
        self.waiting.is_none() && (self.left == 0 || (self.merge.is_empty() && in_memory.is_none()))
    }

    /// The key of the item that [`Sorted::pop`] returned last, or [`Sorted::next_if`] looked at last.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The next item if `wanted` returns true for its key and itself; otherwise it stays the next.
    pub fn next_if(&mut self, wanted: impl FnOnce(&[u8], &T) -> bool) -> Result<Option<T>> {
        let Some(item) = self.pop()? else {
            return Ok(None);
        };
        if wanted(&self.key, &item) {
            return Ok(Some(item));
        }
        self.waiting = Some(item);
        Ok(None)
    }

    /// The next item if this is its key; otherwise it is not even read.
    pub fn pop_of(&mut self, key: &[u8]) -> Result<Option<T>> {
        self.merge.wake()?;
        let is_of_key = match self.waiting {
            Some(_) => self.key == key,
            None => self.left > 0 && self.next_key() == Some(key),
        };
        match is_of_key {
            true => self.pop(),
            false => Ok(None),
        }
    }

    /// The key of the next item.
    fn next_key(&self) -> Option<&[u8]> {
        let in_files = self.merge.peek().map(|head| head.key.as_slice());
        let in_memory = self.memory.as_ref().and_then(Kept::peek).map(|(key, _)| key);
        match (in_files, in_memory) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    fn read(&mut self) -> Result<Option<T>> {
        if self.left == 0 {
            return Ok(None);
        }
        steps(1)?;
        self.merge.wake()?;
        self.left -= 1;
        let in_memory = self.memory.as_ref().and_then(Kept::peek);
        // Among equal keys, those in files came first: memory holds the items that came after the last spill.
        let is_first = |key: &[u8]| in_memory.is_none_or(|(other, _)| key <= other);
        if let Some(head) = self.merge.peek().filter(|head| is_first(&head.key)) {
            self.key.clone_from(&head.key);
            let item = self.files.load(&head.item)?;
            self.merge.advance()?;
            return Ok(Some(item));
        }
        let Some((key, item)) = in_memory else {
            return Ok(None);
        };
        self.key.clear();
        self.key.extend_from_slice(key);
        let item = T::load(item)?;
        if let Some(memory) = &mut self.memory {
            memory.advance();
        }
        Ok(Some(item))
    }

    /// To be called before a pause: items in memory are counted under `idle`, or move into a file if that has no room.
    pub fn rest(&mut self, idle: &mut Share) -> Result<()> {
        if let Some(memory) = &mut self.memory {
            let wanted = idle.bytes() + memory.bytes();
            if !idle.fit_or_spill(wanted, self.spill.is_some()) {
                let Some(folder) = &self.spill else {
                    return Err(idle.full(wanted).into());
                };
                // Its items still come after equal keys in other files, since it is the newest file.
                self.merge.add(self.files.write(memory, folder)?)?;
                self.memory = None;
            }
        }
        // The next record of each file was read already.
        self.files.rest();
        idle.charge(idle.bytes() + self.merge.rest());
        self.share.charge(0);
        Ok(())
    }
}
