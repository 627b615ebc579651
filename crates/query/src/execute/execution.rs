//! One plan running: its source, what is done to what the source finds, and what came out so far.

use super::index_cursor::ScanCounters;
use super::run::{Run, Task};
use super::sort_key::{sort_key, sort_key_with};
use super::sorter::{Sorted, Sorter};
use super::source::{Hit, Source, Stopped};
use super::visitor::Visitor;
use crate::Result;
use crate::plan::{Access, Plan};
use language::filter::Filter;
use language::metrics;
use memory::Share;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use store::{RecordId, Snapshot};
use value::{Document, DocumentBuf};

/// The hits that are looked up and matched at a time: many, because records that lie near each other are then read
/// together, but no more than fit into about [`CHUNK_BYTES`].
const CHUNK_MAX: usize = 8192;
const CHUNK_BYTES: usize = 2 << 20;

/// The keys that are given to a sort of keys at a time.
const SORT_KEYS_AT_ONCE: usize = 512;

/// How many keys and records are looked at between two checks of time limit and kill.
const KEYS_BETWEEN_CHECKS: u64 = 4096;

/// A document that a query found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The record that it was read from.
    pub record: RecordId,
    /// The document, or only the needed fields if an index had them.
    pub document: DocumentBuf,
    /// Where in an array it matched, if that was asked for.
    pub position: Option<usize>,
    /// The index key under which it was found, if that was asked for.
    pub key: Option<Box<Document>>,
}

/// A plan running. Between pages it holds no snapshot.
#[derive(Debug)]
pub struct Execution {
    plan: Arc<Plan>,
    source: Source,
    /// The records that were found, if the plan can find one twice.
    seen: Option<HashSet<RecordId>>,
    sorter: Option<Sorter<Hit>>,
    /// What the sort has kept, once its input has ended.
    sorted: Option<Sorted<Hit>>,
    out: VecDeque<Found>,
    chunk: usize,
    exhausted: bool,
    /// What it did.
    pub counters: Counters,
}

/// What an execution did, as `explain` shows it.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Of each index scan.
    pub scans: Vec<ScanCounters>,
    /// Documents looked at.
    pub documents: u64,
    /// Records met again and dropped.
    pub repeated: u64,
    /// Documents (or keys) that the filter let through.
    pub matched: u64,
    /// Results before skip and limit.
    pub results: u64,
    /// Documents kept by the sort at its end, and their bytes.
    pub sorted: (u64, u64),
    /// Whether the sort went on in files.
    pub used_disk: bool,
}

impl Counters {
    /// Keys looked at in all scans.
    pub fn keys(&self) -> u64 {
        self.scans.iter().map(|scan| scan.keys).sum()
    }

    /// Keys within the bounds of all scans.
    fn found(&self) -> u64 {
        self.scans.iter().map(|scan| scan.found).sum()
    }

    /// The cost by which plans are compared: keys or documents looked at, whichever is more.
    pub fn works(&self) -> u64 {
        self.keys().max(self.documents)
    }
}

/// Why an execution paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paused {
    /// As many results as wanted are ready.
    Filled,
    /// The budget is spent.
    Spent,
    /// Nothing more will come.
    Exhausted,
}

impl Execution {
    /// A plan that has not begun. About `wanted` results are needed first.
    pub fn new(plan: Arc<Plan>, task: &Task, wanted: usize) -> Execution {
        // A sort reads everything before it gives anything.
        let first_page = if plan.sort.is_some() { usize::MAX } else { wanted };
        let source = Source::new(&plan, task, first_page);
        Execution {
            seen: plan.repeats().then(HashSet::new),
            sorter: plan.sort.is_some().then(|| task.spec.sorter()),
            sorted: None,
            source,
            plan,
            out: VecDeque::new(),
            chunk: 0,
            exhausted: false,
            counters: Counters::default(),
        }
    }

    /// The plan that runs.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Whether nothing is left, nor will come.
    pub fn is_finished(&self) -> bool {
        self.exhausted && self.out.is_empty()
    }

    /// The results that are ready.
    pub fn ready(&self) -> usize {
        self.out.len()
    }

    /// Takes the next result.
    pub fn take(&mut self) -> Option<Found> {
        self.out.pop_front()
    }

    /// Puts back a result that did not fit.
    pub fn put_back(&mut self, found: Found) {
        self.out.push_front(found);
    }

    /// Goes on until the results that are wanted are ready, or nothing is left.
    pub async fn fill(&mut self, run: &Run<'_>) -> Result<Paused> {
        let mut unlimited = u64::MAX;
        self.advance(run, &mut unlimited).await
    }

    /// Goes on until the results that are wanted are ready, the budget (of keys and records looked at) is spent, or
    /// nothing is left.
    pub async fn advance(&mut self, run: &Run<'_>, budget: &mut u64) -> Result<Paused> {
        let (keys, documents) = (self.keys(), self.counters.documents);
        let paused = self.work(run, budget).await;
        metrics::note(|metrics| {
            metrics.examined(self.keys() - keys, self.counters.documents - documents);
        });
        paused
    }

    /// Keys of indexes looked at. A document found by its id counts as one key of the index on `_id`.
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
        let mut hits = Vec::new();
        while !self.exhausted {
            if self.out.len() >= wanted {
                return Ok(Paused::Filled);
            }
            if *budget == 0 {
                return Ok(Paused::Spent);
            }
            task.spec.interruption.check()?;
            if self.sorted.is_some() {
                self.give_sorted(run).await?;
                continue;
            }
            // A part of the budget at a time, so that the checks come often enough.
            let mut part = (*budget).min(KEYS_BETWEEN_CHECKS);
            let given = part;
            let max = self.next_chunk(wanted - self.out.len(), chunk_max(snapshot));
            let limit = self.sorter.as_ref().and_then(Sorter::limit);
            let stopped = self
                .source
                .fill(snapshot, &mut hits, max, limit, &mut part)
                .await?;
            *budget -= given - part;
            self.counters.scans = self.source.counters();
            self.process(run, &mut hits).await?;
            if stopped == Stopped::Exhausted {
                self.end_source()?;
            }
            if stopped == Stopped::Spent {
                tokio::task::yield_now().await;
            }
        }
        Ok(if self.out.len() >= wanted {
            Paused::Filled
        } else {
            Paused::Exhausted
        })
    }

    /// Whether all that is left is to scan the collection and to match its documents.
    pub(super) fn only_scans(&self) -> bool {
        matches!(self.source, Source::Collection(_))
            && self.seen.is_none()
            && self.plan.sort.is_none()
            && self.out.is_empty()
            && !self.exhausted
    }

    /// Where [`Execution::only_scans`]: gives about as many documents as are wanted to a visitor, with the filter that they
    /// must match.
    pub(super) async fn visit(&mut self, run: &Run<'_>, visitor: &mut dyn Visitor) -> Result<Paused> {
        let Source::Collection(cursor) = &mut self.source else {
            return Ok(Paused::Spent);
        };
        let filter = self.plan.residual.then_some(&*run.task.spec.filter);
        let (mut looked_at, mut matched) = (0, 0);
        let mut paused = Paused::Filled;
        while looked_at < run.wanted {
            run.task.spec.interruption.check()?;
            let Some((page, places)) = cursor.next_page(run.snapshot).await? else {
                self.exhausted = true;
                paused = Paused::Exhausted;
                break;
            };
            looked_at += places.len();
            for at in places {
                matched += u64::from(visitor.visit(page.raw(at), filter)?);
            }
        }
        self.counters.documents += looked_at as u64;
        self.counters.matched += matched;
        self.counters.results += matched;
        metrics::note(|metrics| metrics.examined(0, looked_at as u64));
        Ok(paused)
    }

    /// Whether all that is left is to look up the records of index entries as they come, and to match their documents.
    pub(super) fn only_looks_up(&self) -> bool {
        self.source.gives_records()
            && self.seen.is_none()
            && self.plan.sort.is_none()
            && self.out.is_empty()
            && !self.exhausted
    }

    /// Where [`Execution::only_looks_up`]: the records of so many further entries that the results that are wanted can be expected
    /// of them.
    pub(super) async fn next_records(&mut self, run: &Run<'_>, records: &mut Vec<RecordId>) -> Result<()> {
        run.task.spec.interruption.check()?;
        let max = self.next_chunk(run.wanted, chunk_max(run.snapshot));
        let before = self.counters.keys();
        let mut budget = KEYS_BETWEEN_CHECKS;
        let stopped = self
            .source
            .records(run.snapshot, records, max, &mut budget)
            .await?;
        self.exhausted = stopped == Stopped::Exhausted;
        self.counters.scans = self.source.counters();
        metrics::note(|metrics| metrics.examined(self.counters.keys() - before, 0));
        if stopped == Stopped::Spent {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Documents of such records were looked at, and some were given that never were among those that are ready.
    pub(super) fn note_given(&mut self, documents: usize, matches: usize) {
        self.counters.documents += documents as u64;
        self.counters.matched += matches as u64;
        self.counters.results += matches as u64;
        metrics::note(|metrics| metrics.examined(0, documents as u64));
    }

    /// Adds a result behind those that are ready.
    pub(super) fn put_behind(&mut self, found: Found) {
        self.out.push_back(found);
    }

    /// Keeps only the position, so that the snapshot can go.
    pub fn suspend(&mut self) {
        self.source.suspend();
    }

    /// Before nobody asks for a while: what is in memory goes on under `idle`, or into files.
    pub fn rest(&mut self, idle: &mut Share) -> Result<()> {
        let ready: usize = self.out.iter().map(|found| found.document.bytes().len()).sum();
        idle.charge(idle.bytes() + ready);
        match &mut self.sorted {
            Some(sorted) => sorted.rest(idle),
            None => Ok(()),
        }
    }

    /// How many hits to look up next: as many as are missing if no filter drops any; otherwise twice as many each time,
    /// because it is unknown how many will match.
    fn next_chunk(&mut self, missing: usize, max: usize) -> usize {
        if self.plan.sort_keys {
            // Few at a time: once the sort is full, most keys need not be kept until it looks at them.
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

    /// Looks documents up, matches them, and passes them on to the sort or out.
    async fn process(&mut self, run: &Run<'_>, hits: &mut Vec<Hit>) -> Result<()> {
        let task = run.task;
        if let Some(seen) = &mut self.seen {
            let before = hits.len();
            hits.retain(|hit| seen.insert(hit.record));
            self.counters.repeated += (before - hits.len()) as u64;
        }
        // Documents are read late, or not at all, if neither the filter nor the sort needs them here.
        let late =
            self.plan.sort_keys || (task.records_only && !self.plan.residual && self.plan.sort.is_none());
        if !late {
            self.look_up(run.snapshot, hits).await?;
        }
        if self.sorter.is_none() && !self.plan.residual {
            self.out.reserve(hits.len());
        }
        // Of keys that are sorted the source leaves out those that come too late, which match as well.
        let matched_keys = self.plan.sort_keys.then(|| self.counters.found());
        let mut key = Vec::new();
        for hit in hits.drain(..) {
            let mut position = None;
            if let (false, Some(document)) = (hit.covered, &hit.document) {
                let matches = if task.positions {
                    task.spec
                        .filter
                        .matches_positioned(document.as_ref(), &mut position)?
                } else {
                    !self.plan.residual || task.spec.filter.matches(document.as_ref())?
                };
                if !matches {
                    continue;
                }
            } else if !late && hit.document.is_none() {
                continue;
            }
            self.counters.matched += 1;
            match &mut self.sorter {
                Some(sorter) => push(sorter, &self.plan, &task.spec.filter, &hit, &mut key)?,
                None => {
                    self.counters.results += 1;
                    self.out.push_back(found(hit, self.plan.residual, position));
                }
            }
        }
        self.counters.matched = matched_keys.unwrap_or(self.counters.matched);
        Ok(())
    }

    /// Reads the documents of hits that have none. A hit whose record is gone stays without a document.
    async fn look_up(&mut self, snapshot: &Snapshot, hits: &mut [Hit]) -> Result<()> {
        self.counters.documents += hits.iter().filter(|hit| !hit.covered).count() as u64;
        let lacks = |hit: &&mut Hit| hit.document.is_none();
        if let [hit] = hits {
            if lacks(&hit) {
                hit.document = snapshot.document(hit.record).await?;
            }
            return Ok(());
        }
        let mut ids = Vec::with_capacity(hits.len());
        ids.extend(hits.iter_mut().filter(lacks).map(|hit| hit.record));
        if !ids.is_empty() {
            let documents = snapshot.documents(&ids).await?;
            for (hit, document) in hits.iter_mut().filter(lacks).zip(documents) {
                hit.document = document;
            }
        }
        Ok(())
    }

    /// The source has ended: what the sort kept comes next.
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

    /// Gives a part of what the sort kept.
    async fn give_sorted(&mut self, run: &Run<'_>) -> Result<()> {
        let Run { snapshot, task, .. } = *run;
        // No more than is wanted: what waits here is in memory.
        let count = chunk_max(snapshot).min(run.wanted.saturating_sub(self.out.len()).max(1));
        let mut hits: Vec<Hit> = Vec::with_capacity(count);
        if let Some(sorted) = &mut self.sorted {
            while hits.len() < count
                && let Some(hit) = sorted.pop()?
            {
                hits.push(hit);
            }
        }
        if self.sorted.as_ref().is_none_or(Sorted::is_empty) {
            self.sorted = None;
            self.exhausted = true;
        }
        if !task.records_only {
            if hits.iter().any(|hit| hit.document.is_none()) {
                self.look_up(snapshot, &mut hits).await?;
            }
            hits.retain(|hit| hit.document.is_some());
        }
        for hit in hits {
            let mut position = None;
            if let (true, Some(document)) = (task.positions, &hit.document) {
                task.spec
                    .filter
                    .matches_positioned(document.as_ref(), &mut position)?;
            }
            self.out.push_back(found(hit, false, position));
        }
        Ok(())
    }
}

/// The documents of this collection that are looked up at a time.
pub(super) fn chunk_max(snapshot: &Snapshot) -> usize {
    let mean_bytes = (snapshot.data_bytes() / snapshot.count().max(1)).max(1);
    (CHUNK_BYTES / mean_bytes as usize).clamp(1, CHUNK_MAX)
}

/// Gives a hit to the sort; `key` is kept to be written again.
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

fn found(hit: Hit, copied: bool, position: Option<usize>) -> Found {
    let document = match hit.document {
        // A filter keeps few of many: a copy lets the page that the document was read with be freed.
        Some(document) if copied => document.as_raw().to_buf(),
        Some(document) => document,
        None => DocumentBuf::from(&Document::new()),
    };
    Found {
        record: hit.record,
        document,
        position,
        key: hit.key,
    }
}
