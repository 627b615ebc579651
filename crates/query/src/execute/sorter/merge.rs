//! Sorted files, read as one.

use crate::Result;
use crate::spill::{SpillFolder, SpillRun};
use language::interruption::steps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The most files that are read at once.
const RUNS_MAX: usize = 64;

/// The bytes of next records that may stay in memory during a pause.
const RESTING_BYTES_MAX: usize = 4 << 10;

/// The records of some files, the smallest key first; of equal keys those of older files first.
#[derive(Debug, Default)]
pub(super) struct Merge {
    runs: Vec<SpillRun>,
    heads: BinaryHeap<Reverse<Head>>,
    /// Files whose next records were dropped for a pause.
    asleep: Vec<usize>,
}

/// The next record of a file. Files are older the lower their number.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Head {
    pub(super) key: Vec<u8>,
    run: usize,
    pub(super) item: Vec<u8>,
}

impl Merge {
    /// A merge of files, the oldest first. If reading all of them at once would take more than `bytes_max`, they are first merged into
    /// fewer files, of at most `results_max` records each.
    pub(super) fn new(
        runs: Vec<SpillRun>,
        folder: Option<&SpillFolder>,
        bytes_max: usize,
        results_max: usize,
    ) -> Result<Merge> {
        let runs = match folder {
            Some(folder) => few(runs, folder, bytes_max, results_max)?,
            None => runs,
        };
        Merge::of(runs)
    }

    fn of(runs: Vec<SpillRun>) -> Result<Merge> {
        let mut merge = Merge {
            heads: BinaryHeap::with_capacity(runs.len()),
            runs: Vec::with_capacity(runs.len()),
            asleep: Vec::new(),
        };
        runs.into_iter().try_for_each(|run| merge.add(run))?;
        Ok(merge)
    }

    /// Adds a file that is newer than all others.
    pub(super) fn add(&mut self, run: SpillRun) -> Result<()> {
        self.runs.push(run);
        self.read_head(self.runs.len() - 1)
    }

    fn read_head(&mut self, run: usize) -> Result<()> {
        let mut head = Head {
            run,
            ..Head::default()
        };
        if self.runs[run].next(&mut head.key, &mut head.item)? {
            self.heads.push(Reverse(head));
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.heads.is_empty() && self.asleep.is_empty()
    }

    /// To be called before it is read again: reads the records that [`Merge::rest`] dropped.
    pub(super) fn wake(&mut self) -> Result<()> {
        while let Some(run) = self.asleep.pop() {
            self.read_head(run)?;
        }
        Ok(())
    }

    /// The next record. After a pause, only after [`Merge::wake`].
    pub(super) fn peek(&self) -> Option<&Head> {
        self.heads.peek().map(|Reverse(head)| head)
    }

    /// Steps past the next record.
    pub(super) fn advance(&mut self) -> Result<()> {
        let Some(mut head) = self.heads.peek_mut() else {
            return Ok(());
        };
        let Reverse(next) = &mut *head;
        if !self.runs[next.run].next(&mut next.key, &mut next.item)? {
            PeekMut::pop(head);
        }
        Ok(())
    }

    /// The bytes, about, that are kept while it is read.
    pub(super) fn bytes(&self) -> usize {
        self.runs.iter().map(SpillRun::reading_bytes).sum()
    }

    /// To be called before a pause: closes the files and drops their blocks, and the next records if they are many or long. Returns the
    /// bytes that stay.
    pub(super) fn rest(&mut self) -> usize {
        let size = |Reverse(head): &Reverse<Head>| head.key.capacity() + head.item.capacity();
        let mut bytes = self.heads.iter().map(size).sum();
        if bytes > RESTING_BYTES_MAX {
            for Reverse(head) in std::mem::take(&mut self.heads) {
                self.runs[head.run].unread();
                self.asleep.push(head.run);
            }
            bytes = 0;
        }
        self.runs.iter_mut().for_each(SpillRun::rest);
        bytes
    }

    fn write(mut self, folder: &SpillFolder, results_max: usize) -> Result<SpillRun> {
        let mut writer = folder.create()?;
        let mut left = results_max;
        while let Some(head) = self.peek().filter(|_| left > 0) {
            steps(1)?;
            writer.push(&head.key, &head.item)?;
            self.advance()?;
            left -= 1;
        }
        writer.finish()
    }
}

/// Merges neighbouring files, so that equal keys stay in the order in which they came, until all can be read at once.
fn few(
    mut runs: Vec<SpillRun>,
    folder: &SpillFolder,
    bytes_max: usize,
    results_max: usize,
) -> Result<Vec<SpillRun>> {
    while runs.len() > 1 && at_once(&runs, bytes_max) < runs.len() {
        let mut fewer = Vec::with_capacity(runs.len() / 2 + 1);
        while !runs.is_empty() {
            // At least two, however large their records are; otherwise this would not end.
            let count = at_once(&runs, bytes_max).max(2).min(runs.len());
            let some: Vec<SpillRun> = runs.drain(..count).collect();
            fewer.push(Merge::of(some)?.write(folder, results_max)?);
        }
        runs = fewer;
    }
    Ok(runs)
}

/// The number of files, from the first on, that can be read at once.
fn at_once(runs: &[SpillRun], bytes_max: usize) -> usize {
    let mut bytes = 0;
    let fits = |run: &&SpillRun| {
        bytes += run.reading_bytes();
        bytes <= bytes_max
    };
    runs.iter().take(RUNS_MAX).take_while(fits).count()
}
