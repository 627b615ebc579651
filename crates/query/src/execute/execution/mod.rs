//! A running plan: its source, the steps for what the source finds, and the results so far.

mod direct;
mod idle;

use super::counters::ExecutionCounters;
use super::hit::Hit;
use super::in_hand::InHand;
use super::lookup::{CHUNK_BYTES, chunk_max, look_up};
use super::ready::{FoundRecord, Ready};
use super::run::{Run, Task};
use super::sort_key::{sort_key, sort_key_with};
use super::sorter::{Sorted, Sorter};
use super::source::{Source, Stopped};
use crate::Result;
use crate::plan::{Access, Plan};
use language::filter::Filter;
use language::metrics;
use std::collections::HashSet;
use std::sync::Arc;
use store::RecordId;

/// The number of keys that are passed to a sort of keys at a time.
const SORT_KEYS_AT_ONCE: usize = 512;

/// The number of keys and records that are examined between two checks of time limit and kill.
const KEYS_BETWEEN_CHECKS: u64 = 4096;

/// A running plan. Between pages it holds no snapshot.
#[derive(Debug)]
pub struct Execution {
    plan: Arc<Plan>,
    source: Source,
    /// The records found so far, if the plan can find one twice.
    seen: Option<HashSet<RecordId>>,
    sorter: Option<Sorter<Hit>>,
    /// What the sort has kept, once its input has ended.
    sorted: Option<Sorted<Hit>>,
    /// Hits that are not looked up yet, since enough results are ready.
    pending: Vec<Hit>,
    /// Whether pending records may have changed since the source found them.
    is_stale: bool,
    ready: Ready,
    pub(super) in_hand: InHand,
    /// The bytes of taken results that are still worked on.
    kept_bytes: usize,
    chunk: usize,
    exhausted: bool,
    /// What it has examined and found.
    pub counters: ExecutionCounters,
}

/// Why an execution paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paused {
    /// As many results as wanted are ready, or so many bytes that some have to be taken first.
    Filled,
    /// The budget is spent.
    Spent,
    /// There are no more results.
    Exhausted,
}

impl Execution {
    /// A plan that has not begun. About `wanted` results are needed first.
    pub fn new(plan: Arc<Plan>, task: &Task, wanted: usize) -> Execution {
        // A sort reads everything before it returns anything.
        let first_page = if plan.sort.is_some() { usize::MAX } else { wanted };
        let source = Source::new(&plan, task, first_page);
        Execution {
            seen: plan.repeats().then(HashSet::new),
            sorter: plan.sort.is_some().then(|| task.spec.sorter()),
            sorted: None,
            source,
            plan,
            pending: Vec::new(),
            is_stale: false,
            ready: Ready::default(),
            in_hand: InHand::default(),
            kept_bytes: 0,
            chunk: 0,
            exhausted: false,
            counters: ExecutionCounters::default(),
        }
    }

    /// The plan that runs.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Whether no results are ready, and none will come.
    pub fn is_finished(&self) -> bool {
        self.exhausted && self.ready.is_empty()
    }

    /// The number of ready results.
    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    /// Takes the next result.
    pub fn take(&mut self) -> Option<FoundRecord> {
        self.ready.take()
    }

    /// Puts back a result that did not fit.
    pub fn put_back(&mut self, found: FoundRecord) {
        self.ready.put_back(found);
    }

    /// Runs until the wanted results are ready, or so many bytes of them that some have to be taken first, or there are no
    /// more.
    pub async fn fill(&mut self, run: &Run<'_>) -> Result<Paused> {
        let mut unlimited = u64::MAX;
        self.advance(run, &mut unlimited).await
    }

    /// As [`Execution::fill`], or until the budget of keys and records to examine is spent.
    pub async fn advance(&mut self, run: &Run<'_>, budget: &mut u64) -> Result<Paused> {
        let (keys, documents) = (self.keys(), self.counters.documents);
        let paused = self.work(run, budget).await;
        metrics::note(|metrics| {
            metrics.examined(self.keys() - keys, self.counters.documents - documents);
        });
        paused
    }

    /// The number of index keys examined. A document found by its id counts as one key of the index on `_id`.
    pub fn keys(&self) -> u64 {
        match self.plan.access {
            Access::Id(_) => self.counters.documents,
            _ => self.counters.keys(),
        }
    }

    async fn work(&mut self, run: &Run<'_>, budget: &mut u64) -> Result<Paused> {
        let Run {
            snapshot,
            task,
            wanted,
        } = *run;
        while !self.exhausted {
            if self.is_filled(wanted) {
                return Ok(Paused::Filled);
            }
            if *budget == 0 {
                return Ok(Paused::Spent);
            }
            task.spec.interruption.check()?;
            if self.gives_sorted() {
                self.give_sorted(run).await?;
                continue;
            }
            if !self.pending.is_empty() {
                let pending = std::mem::take(&mut self.pending);
                self.process(run, pending).await?;
                continue;
            }
            // A part of the budget at a time, so that the checks come often enough.
            let mut part = (*budget).min(KEYS_BETWEEN_CHECKS);
            let given = part;
            let max = self.next_chunk(wanted - self.ready.len(), chunk_max(snapshot));
            let limit = self.sorter.as_ref().and_then(Sorter::limit);
            let mut hits = Vec::new();
            let page_bytes = self.source.page_bytes();
            if let Some(page_bytes) = page_bytes {
                let kept_bytes = self.kept_bytes + self.ready.bytes() + page_bytes;
                self.in_hand
                    .wait(kept_bytes, run.snapshot, run.interruption())
                    .await?;
            }
            let stopped = self
                .source
                .fill(snapshot, &mut hits, max, limit, &mut part)
                .await?;
            if let Some(before) = page_bytes {
                // A page has more documents than are returned at once, and a long one may be the last.
                let bytes = bytes_of(&hits).max(self.source.page_bytes().unwrap_or(0));
                self.in_hand
                    .take(run.interruption(), bytes.saturating_sub(before));
            }
            *budget -= given - part;
            self.counters.scans = self.source.counters();
            self.drop_repeated(&mut hits);
            self.process(run, hits).await?;
            // If hits are pending, the source will report this again.
            if stopped == Stopped::Exhausted && self.pending.is_empty() {
                if self.sorter.as_ref().is_some_and(Sorter::uses_disk) {
                    // Of each of its files the first document is read at once.
                    let kept_bytes = self.kept_bytes + self.ready.bytes();
                    self.in_hand
                        .wait(kept_bytes, run.snapshot, run.interruption())
                        .await?;
                }
                self.end_source()?;
            }
            if stopped == Stopped::Spent {
                tokio::task::yield_now().await;
            }
        }
        Ok(if self.is_filled(wanted) {
            Paused::Filled
        } else {
            Paused::Exhausted
        })
    }

    fn is_filled(&self, wanted: usize) -> bool {
        self.ready.len() >= wanted || self.ready.is_full()
    }

    /// Notes how many bytes of the taken documents are still worked on.
    pub(super) fn keep(&mut self, bytes: usize) {
        self.kept_bytes = bytes;
    }

    /// Whether the sort, if there is one, has read all of its input.
    fn gives_sorted(&self) -> bool {
        self.plan.sort.is_some() && self.sorter.is_none()
    }

    /// The number of hits to look up next: as many as are missing if no filter drops any; otherwise twice as many each time,
    /// because it is unknown how many will match.
    fn next_chunk(&mut self, missing: usize, max: usize) -> usize {
        if self.plan.sort_keys {
            // Few at a time: once the sort is full, the source can drop most keys, and no hits are made of them.
            return max.min(SORT_KEYS_AT_ONCE);
        }
        if self.plan.sort.is_some() {
            return max;
        }
        if !self.plan.residual {
            return missing.min(max);
        }
        self.chunk = (self.chunk * 2).max(missing).min(max);
        self.chunk
    }

    /// Drops the records that were found before, if the plan can find one twice.
    fn drop_repeated(&mut self, hits: &mut Vec<Hit>) {
        if let Some(seen) = &mut self.seen {
            let before = hits.len();
            hits.retain(|hit| seen.insert(hit.record));
            self.counters.repeated += (before - hits.len()) as u64;
        }
    }

    /// Looks up documents, matches them, and passes them to the sort or adds them to the ready results. Once there are enough, the
    /// rest is pending.
    async fn process(&mut self, run: &Run<'_>, mut hits: Vec<Hit>) -> Result<()> {
        let task = run.task;
        // Documents are read later, or not at all, if neither the filter nor the sort needs them here.
        let is_late = match self.gives_sorted() {
            true => task.records_only,
            false => {
                self.plan.sort_keys || (task.records_only && !self.plan.residual && self.plan.sort.is_none())
            }
        };
        // If keys are sorted, the source leaves out those that come too late; they match as well.
        let matched_keys = self.plan.sort_keys.then(|| self.counters.found());
        while !hits.is_empty() {
            // Hits that a sort kept with their documents were examined before.
            let lacks_documents = hits.iter().any(|hit| hit.document.is_none());
            let is_looked_at = !self.gives_sorted() || lacks_documents;
            let known = match (is_late, lacks_documents) {
                (true, _) | (_, false) => hits.len(),
                (false, true) => {
                    let kept_bytes = self.kept_bytes + self.ready.bytes();
                    self.in_hand
                        .wait(kept_bytes, run.snapshot, run.interruption())
                        .await?;
                    let known = look_up(run.snapshot, &mut hits).await?;
                    self.in_hand.take(run.interruption(), bytes_of(&hits[..known]));
                    known
                }
            };
            if !is_late && is_looked_at {
                let looked_at = hits[..known].iter().filter(|hit| !hit.covered);
                self.counters.documents += looked_at.count() as u64;
            }
            if self.sorter.is_none() && !self.plan.residual {
                self.ready.reserve(known);
            }
            self.pass_on(task, hits.drain(..known), is_late)?;
            if self.sorter.is_none() && self.ready.is_full() {
                break;
            }
        }
        self.is_stale &= !hits.is_empty();
        self.pending = hits;
        self.counters.matched = matched_keys.unwrap_or(self.counters.matched);
        Ok(())
    }

    /// Matches the hits that were looked up, and passes them on.
    fn pass_on(&mut self, task: &Task, hits: impl Iterator<Item = Hit>, is_late: bool) -> Result<()> {
        let is_sorted = self.gives_sorted();
        let is_matched = (self.plan.residual && !is_sorted) || self.is_stale;
        let mut key = Vec::new();
        for hit in hits {
            let mut position = None;
            if let (false, Some(document)) = (hit.covered, &hit.document) {
                let filter = &task.spec.filter;
                let matches = match task.positions {
                    true => filter.matches_positioned(document.as_ref(), &mut position)?,
                    false => !is_matched || filter.matches(document.as_ref())?,
                };
                if !matches {
                    continue;
                }
            } else if !is_late && hit.document.is_none() {
                continue;
            }
            if let Some(sorter) = &mut self.sorter {
                push(sorter, &self.plan, &task.spec.filter, &hit, &mut key)?;
            } else {
                self.counters.results += u64::from(!is_sorted);
                let copied = self.plan.residual && !is_sorted;
                self.ready.push(FoundRecord::of(hit, copied, position));
            }
            self.counters.matched += u64::from(!is_sorted);
        }
        Ok(())
    }

    /// Continues with what the sort kept, now that the source has ended.
    fn end_source(&mut self) -> Result<()> {
        let Some(sorter) = self.sorter.take() else {
            self.exhausted = true;
            return Ok(());
        };
        self.counters.sorted = (sorter.count() as u64, sorter.bytes() as u64);
        self.counters.results = sorter.count() as u64;
        self.counters.used_disk = sorter.uses_disk();
        metrics::note(|metrics| metrics.sorted(self.counters.used_disk));
        self.sorted = Some(sorter.into_sorted()?);
        Ok(())
    }

    /// Passes on a part of what the sort kept.
    async fn give_sorted(&mut self, run: &Run<'_>) -> Result<()> {
        let mut hits = std::mem::take(&mut self.pending);
        if let Some(sorted) = self.sorted.as_mut().filter(|_| hits.is_empty()) {
            let kept_bytes = self.kept_bytes + self.ready.bytes();
            self.in_hand
                .wait(kept_bytes, run.snapshot, run.interruption())
                .await?;
            // No more than is wanted, since it is in memory until it is taken.
            let count = chunk_max(run.snapshot).min(run.wanted.saturating_sub(self.ready.len()).max(1));
            let mut bytes = 0;
            while hits.len() < count
                && bytes < CHUNK_BYTES
                && let Some(hit) = sorted.pop()?
            {
                bytes += hit.document_bytes();
                hits.push(hit);
            }
            self.in_hand.take(run.interruption(), bytes);
        }
        self.process(run, hits).await?;
        self.exhausted = self.pending.is_empty() && self.sorted.as_ref().is_none_or(Sorted::is_empty);
        if self.exhausted {
            self.sorted = None;
        }
        Ok(())
    }
}

/// The bytes of the documents that hits have.
fn bytes_of(hits: &[Hit]) -> usize {
    hits.iter().map(Hit::document_bytes).sum()
}

/// Passes a hit to the sort. `key` is a buffer that is used again for each hit.
fn push(sorter: &mut Sorter<Hit>, plan: &Plan, filter: &Filter, hit: &Hit, key: &mut Vec<u8>) -> Result<()> {
    key.clear();
    key.extend_from_slice(&hit.sort_key);
    if let (Some(sort), false, Some(document)) = (&plan.sort, plan.sort_keys, &hit.document) {
        let document = document.as_ref();
        match sort.by_metadata() {
            true => {
                let score = |_: &str| Ok(filter.text_score(document)?.unwrap_or(0.0));
                sort_key_with(document, score, sort, key)?;
            }
            false => sort_key(document, sort, key)?,
        }
    }
    sorter.push(key, hit)
}
