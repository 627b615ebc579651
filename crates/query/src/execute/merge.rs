//! Several sorted index scans read as one.

use super::covered;
use super::hit::Hit;
use super::index_cursor::{IndexCursor, ScanCounters, Step};
use super::sort_key::KeySorter;
use super::source::Stopped;
use crate::Result;
use crate::plan::{IndexScan, SortPattern};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use store::{RecordId, Snapshot};

/// The first entry of a scan that is not done. Heads are ordered by their sort keys, equal ones by their scans, so that every
/// execution has the same order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    sort_key: Vec<u8>,
    /// The scan's number.
    scan: usize,
    record: RecordId,
    /// The entry's key and bits, if the key is asked for.
    entry: Option<(Vec<u8>, Vec<u8>)>,
}

/// A position in several sorted scans.
#[derive(Debug)]
pub struct MergeCursor {
    cursors: Vec<IndexCursor>,
    sorters: Vec<KeySorter>,
    heads: BinaryHeap<Reverse<Head>>,
    /// Scans whose first entry is not known yet.
    waiting: Vec<usize>,
    /// Whether hits get the keys under which they were found.
    keys: bool,
}

impl MergeCursor {
    /// A cursor before the first entry of all scans, each of which must be sorted by the pattern.
    pub fn new(scans: &[Arc<IndexScan>], sort: &SortPattern, wanted: usize, keys: bool) -> MergeCursor {
        let wanted = (wanted / scans.len().max(1)).max(4);
        MergeCursor {
            cursors: scans
                .iter()
                .map(|scan| IndexCursor::new(scan.clone(), wanted))
                .collect(),
            sorters: scans.iter().map(|scan| KeySorter::new(scan, sort)).collect(),
            heads: BinaryHeap::with_capacity(scans.len()),
            waiting: (0..scans.len()).rev().collect(),
            keys,
        }
    }

    /// Adds hits until there are `enough`.
    pub async fn fill(
        &mut self,
        snapshot: &Snapshot,
        hits: &mut Vec<Hit>,
        enough: usize,
        budget: &mut u64,
    ) -> Result<Stopped> {
        loop {
            // The least head is the next hit only if the heads of all scans are known: a scan that waits might have a smaller
            // one.
            while let Some(number) = self.waiting.last().copied() {
                let cursor = &mut self.cursors[number];
                match cursor.step(budget) {
                    Step::Load => {
                        cursor.load(snapshot).await?;
                        continue;
                    }
                    Step::Spent => return Ok(Stopped::Spent),
                    Step::Done => {}
                    Step::Found(entry) => {
                        self.heads.push(Reverse(Head {
                            sort_key: self.sorters[number].sort_key(entry.key),
                            scan: number,
                            record: entry.record,
                            entry: self.keys.then(|| (entry.key.to_vec(), entry.bits.to_vec())),
                        }));
                    }
                }
                self.waiting.pop();
            }
            if hits.len() >= enough {
                return Ok(Stopped::Filled);
            }
            let Some(Reverse(head)) = self.heads.pop() else {
                return Ok(Stopped::Exhausted);
            };
            self.waiting.push(head.scan);
            let facts = &self.cursors[head.scan].scan().facts;
            let key = head
                .entry
                .map(|(key, bits)| Box::new(covered::key_document(facts, &key, &bits)));
            hits.push(Hit {
                key,
                ..Hit::of_record(head.record)
            });
        }
    }

    /// Keeps only the positions. The heads are read again, because their documents may have changed by then.
    pub fn suspend(&mut self) {
        for Reverse(head) in self.heads.drain() {
            self.cursors[head.scan].unread();
            self.waiting.push(head.scan);
        }
        self.cursors.iter_mut().for_each(IndexCursor::suspend);
    }

    /// What each scan examined.
    pub fn counters(&self) -> Vec<ScanCounters> {
        self.cursors.iter().map(|cursor| cursor.counters).collect()
    }
}
