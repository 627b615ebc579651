//! What was sorted, given back.

use super::InMemory;
use crate::spill::{SpillFolder, SpillRun, Spilled};
use crate::{Code, QueryError, Result};
use memory::Share;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::marker::PhantomData;
use std::sync::Arc;

/// What was sorted, from the first on: what is in memory merged with the files.
#[derive(Debug)]
pub struct Sorted<T> {
    memory: Option<InMemory>,
    runs: Vec<SpillRun>,
    /// Where what is in memory goes if it has to; `None` if no files may be used.
    spill: Option<Arc<SpillFolder>>,
    heads: BinaryHeap<Reverse<Head>>,
    left: usize,
    /// The key of what was read last.
    key: Vec<u8>,
    /// What was read, and not taken.
    waiting: Option<T>,
    things: PhantomData<T>,
}

/// The next record of a file. Files are older the lower their number, and what is in memory is newest.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    key: Vec<u8>,
    run: usize,
    item: Vec<u8>,
}

impl<T: Spilled> Sorted<T> {
    /// Of what is in memory, in order, and files, the oldest first; the first `results_max` of all.
    pub(super) fn new(
        memory: InMemory,
        mut runs: Vec<SpillRun>,
        spill: Option<Arc<SpillFolder>>,
        results_max: usize,
    ) -> Result<Sorted<T>> {
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (at, run) in runs.iter_mut().enumerate() {
            let mut head = Head {
                run: at,
                ..Head::default()
            };
            if run.next(&mut head.key, &mut head.item)? {
                heads.push(Reverse(head));
            }
        }
        Ok(Sorted {
            memory: Some(memory),
            runs,
            spill,
            heads,
            left: results_max,
            key: Vec::new(),
            waiting: None,
            things: PhantomData,
        })
    }

    /// The next; `None` at the end.
    pub fn pop(&mut self) -> Result<Option<T>> {
        match self.waiting.take() {
            Some(next) => Ok(Some(next)),
            None => self.read(),
        }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        let in_memory = self.memory.as_ref().and_then(|memory| memory.kept.peek());
        self.waiting.is_none() && (self.left == 0 || (self.heads.is_empty() && in_memory.is_none()))
    }

    /// The key of what [`Sorted::pop`] returned last, or [`Sorted::next_if`] looked at last.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The next item if `wanted` says so of its key and itself; else it stays the next.
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

    fn read(&mut self) -> Result<Option<T>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let in_memory = self.memory.as_ref().and_then(|memory| memory.kept.peek());
        // Of equal keys those in files came first: memory holds what came after the last spill.
        if let Some(mut head) = self.heads.peek_mut()
            && in_memory.is_none_or(|(key, _)| head.0.key.as_slice() <= key)
        {
            let Reverse(next) = &mut *head;
            self.key.clone_from(&next.key);
            let item = T::load(&next.item)?;
            if !self.runs[next.run].next(&mut next.key, &mut next.item)? {
                PeekMut::pop(head);
            }
            return Ok(Some(item));
        }
        let Some((key, item)) = in_memory else {
            return Ok(None);
        };
        self.key.clear();
        self.key.extend_from_slice(key);
        let item = T::load(item)?;
        if let Some(memory) = &mut self.memory {
            memory.kept.advance();
        }
        Ok(Some(item))
    }

    /// Before nobody asks for a while: what is in memory goes on under `idle`, or into a file where that has no room.
    pub fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.runs.iter_mut().for_each(SpillRun::rest);
        let Some(memory) = &mut self.memory else {
            return Ok(());
        };
        let wanted = idle.bytes() + memory.kept.bytes();
        if !idle.fit(wanted) {
            let Some(folder) = &self.spill else {
                let full = idle.full(wanted);
                return Err(QueryError::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string()));
            };
            // Of equal keys it still comes after all that is in other files: it is the newest.
            let at = self.runs.len();
            let mut run = memory.kept.write(folder)?;
            let mut head = Head {
                run: at,
                ..Head::default()
            };
            if run.next(&mut head.key, &mut head.item)? {
                self.heads.push(Reverse(head));
            }
            run.rest();
            self.runs.push(run);
            self.memory = None;
            return Ok(());
        }
        memory.share.charge(0);
        Ok(())
    }
}
