//! Reading one index scan, jumping over keys that are out of bounds.

use crate::Result;
use crate::plan::IndexScan;
use crate::plan::key_bounds::Verdict;
use std::ops::Bound;
use std::sync::Arc;
use store::{IndexEntry, IndexPage, KeyRange, Order, PageLimit, RecordId, Snapshot};

/// The most entries that are read at once.
const PAGE_ENTRIES_MAX: usize = 1024;

/// The least number of entries that are read after a jump. The number doubles whenever a jump ends within the page, which costs
/// nothing, and halves whenever it leaves the page, whose remaining entries were read in vain.
const ENTRIES_AFTER_SEEK_MIN: usize = 2;
const ENTRIES_AFTER_SEEK: usize = 8;
const ENTRIES_AFTER_SEEK_MAX: usize = 64;

/// A position in one index scan. Between pages it can be held without a snapshot.
#[derive(Debug)]
pub struct IndexCursor {
    scan: Arc<IndexScan>,
    range: KeyRange,
    page: Option<IndexPage>,
    at: usize,
    page_entries: usize,
    entries_after_seek: usize,
    contiguous: bool,
    done: bool,
    /// What was examined so far.
    pub counters: ScanCounters,
}

/// What a scan has examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanCounters {
    /// Keys examined.
    pub keys: u64,
    /// Jumps to a key.
    pub seeks: u64,
    /// Keys within the bounds.
    pub found: u64,
}

/// The outcome of a step.
#[derive(Debug)]
pub enum Step<'a> {
    /// An entry within the bounds.
    Found(IndexEntry<'a>),
    /// The next page must be loaded first.
    Load,
    /// The budget is spent.
    Spent,
    /// Nothing is left.
    Done,
}

impl IndexCursor {
    /// A cursor before the first entry of a scan. About `wanted` entries are needed, which sizes the first page.
    pub fn new(scan: Arc<IndexScan>, wanted: usize) -> IndexCursor {
        let (range, done) = match scan.range() {
            Some((low, high)) => {
                let high = high.map_or(Bound::Unbounded, Bound::Excluded);
                (
                    KeyRange {
                        low: Bound::Included(low),
                        high,
                    },
                    false,
                )
            }
            None => (
                KeyRange {
                    low: Bound::Unbounded,
                    high: Bound::Unbounded,
                },
                true,
            ),
        };
        IndexCursor {
            contiguous: scan.keys.is_contiguous(),
            scan,
            range,
            page: None,
            at: 0,
            page_entries: wanted.clamp(1, PAGE_ENTRIES_MAX),
            entries_after_seek: ENTRIES_AFTER_SEEK,
            done,
            counters: ScanCounters {
                seeks: u64::from(!done),
                ..ScanCounters::default()
            },
        }
    }

    /// The scan that it reads.
    pub fn scan(&self) -> &Arc<IndexScan> {
        &self.scan
    }

    /// Reads the next page, after [`Step::Load`].
    pub async fn load(&mut self, snapshot: &Snapshot) -> Result<()> {
        let limit = PageLimit {
            entries: self.page_entries,
            ..PageLimit::default()
        };
        let page = snapshot
            .entries(&self.scan.index, &self.range, self.scan.order, limit)
            .await?;
        self.page_entries = (self.page_entries * 2).min(PAGE_ENTRIES_MAX);
        self.done = page.is_empty() && page.exhausted();
        self.page = Some(page);
        self.at = 0;
        Ok(())
    }

    /// The number of entries in the page that was read last.
    pub fn loaded(&self) -> usize {
        self.page.as_ref().map_or(0, IndexPage::len)
    }

    /// If all keys of the scan's range are within the bounds, adds the records of the rest of the page until there are `enough`; each
    /// costs one of the budget.
    pub fn take_records(&mut self, records: &mut Vec<RecordId>, enough: usize, budget: &mut u64) {
        let Some(page) = self.page.as_ref().filter(|_| self.contiguous && !self.done) else {
            return;
        };
        let room = usize::try_from(*budget).unwrap_or(usize::MAX);
        let missing = enough.saturating_sub(records.len());
        let count = (page.len() - self.at).min(missing).min(room);
        let taken = self.at..self.at + count;
        records.extend(taken.map(|at| page.entry(at).record));
        self.at += count;
        self.counters.keys += count as u64;
        self.counters.found += count as u64;
        *budget -= count as u64;
    }

    /// The next entry within the bounds; each key examined costs one of the budget.
    pub fn step(&mut self, budget: &mut u64) -> Step<'_> {
        loop {
            if self.done {
                return Step::Done;
            }
            let Some(page) = &self.page else { return Step::Load };
            if self.at >= page.len() {
                if page.exhausted() {
                    self.done = true;
                    self.page = None;
                    return Step::Done;
                }
                self.leave_page();
                return Step::Load;
            }
            if *budget == 0 {
                return Step::Spent;
            }
            *budget -= 1;
            self.counters.keys += 1;
            let key = page.entry(self.at).key;
            let verdict = match (self.contiguous, self.scan.order) {
                (true, _) => Verdict::Inside,
                (false, Order::Forward) => self.scan.keys.check_forward(key),
                (false, Order::Backward) => self.scan.keys.check_backward(key),
            };
            match verdict {
                Verdict::Inside => {
                    self.counters.found += 1;
                    self.at += 1;
                    break;
                }
                Verdict::Seek(to) => self.seek(to),
                Verdict::Done => {
                    self.done = true;
                    self.page = None;
                    return Step::Done;
                }
            }
        }
        // Looked up again, because an entry borrowed in the loop would forbid the changes that the loop makes.
        match &self.page {
            Some(page) => Step::Found(page.entry(self.at - 1)),
            None => Step::Done,
        }
    }

    /// Goes to the first key from `to` on (backward: the last before `to`), within the page if possible.
    pub fn seek(&mut self, to: Vec<u8>) {
        self.counters.seeks += 1;
        if let Some(page) = &self.page {
            let passed_by = |at: usize| {
                let key = page.entry(at).key;
                match self.scan.order {
                    Order::Forward => key < to.as_slice(),
                    Order::Backward => key >= to.as_slice(),
                }
            };
            let (mut low, mut high) = (self.at, page.len());
            while low < high {
                let middle = low.midpoint(high);
                if passed_by(middle) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if low < page.len() {
                self.at = low;
                self.entries_after_seek = (self.entries_after_seek * 2).min(ENTRIES_AFTER_SEEK_MAX);
                return;
            }
            if page.exhausted() {
                self.done = true;
            }
        }
        self.page = None;
        self.entries_after_seek = (self.entries_after_seek / 2).max(ENTRIES_AFTER_SEEK_MIN);
        self.page_entries = self.entries_after_seek;
        match self.scan.order {
            Order::Forward => self.range.low = Bound::Included(to),
            Order::Backward => self.range.high = Bound::Excluded(to),
        }
    }

    /// Takes back the entry that was found last, which is then read again.
    pub fn unread(&mut self) {
        self.at = self.at.saturating_sub(1);
        self.counters.keys = self.counters.keys.saturating_sub(1);
        self.counters.found = self.counters.found.saturating_sub(1);
    }

    /// Keeps only the position. The rest is read from another snapshot.
    pub fn suspend(&mut self) {
        if self.page.is_some() {
            self.leave_page();
        }
    }

    fn leave_page(&mut self) {
        let Some(page) = self.page.take() else { return };
        if let Some(last) = self.at.min(page.len()).checked_sub(1) {
            self.range.begin_after(page.position(last), self.scan.order);
        }
        self.at = 0;
    }
}
