//! Where a plan's documents come from: records, ids or index entries, in the plan's order.

use super::collection_cursor::CollectionCursor;
use super::covered;
use super::hit::Hit;
use super::index_cursor::{IndexCursor, ScanCounters, Step};
use super::lookup::CHUNK_BYTES;
use super::merge::MergeCursor;
use super::near_cursor::NearCursor;
use super::run::Task;
use super::sort_key::KeySorter;
use crate::Result;
use crate::plan::facts::IndexFacts;
use crate::plan::{Access, IndexScan, Plan};
use bytes::Bytes;
use std::sync::Arc;
use store::{IndexEntry, RecordId, Snapshot};
use value::{DocumentBuf, Value};

/// Scans of indexes, one after the other.
#[derive(Debug)]
pub struct Scans {
    cursors: Vec<IndexCursor>,
    /// The one being read.
    current: usize,
    /// How their entries are read.
    reader: EntryReader,
}

/// What is made of an index entry.
#[derive(Clone, Debug)]
struct EntryReader {
    /// Whether documents are made from keys as long as these have all that is needed.
    covered: bool,
    /// Whether hits get the keys under which they were found.
    keys: bool,
    /// The fields of a document that is made from a key.
    needed: Arc<[String]>,
    /// Makes sort keys from keys, if hits are to be sorted by them.
    sorter: Option<KeySorter>,
}

/// A running access.
#[derive(Debug)]
pub enum Source {
    /// Nothing.
    Nothing,
    /// One document by its id; `None` once it has been read.
    Id(Option<Value>),
    /// All records.
    Collection(CollectionCursor),
    /// One scan after the other.
    Scans(Scans),
    /// Places by their distance.
    Near(Box<NearCursor>),
    /// Scans merged by a sort.
    Merge(MergeCursor),
}

/// Why a source stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// There are as many hits as were asked for.
    Filled,
    /// The budget is spent.
    Spent,
    /// Nothing is left.
    Exhausted,
}

impl Source {
    /// A plan's access before its first record. About `wanted` results are needed, which sizes the first page.
    pub fn new(plan: &Plan, task: &Task, wanted: usize) -> Source {
        let needed = task.needed.clone().unwrap_or_default();
        match &plan.access {
            Access::Nothing => Source::Nothing,
            Access::Id(id) => Source::Id(Some(id.clone())),
            Access::Collection(order) => Source::Collection(CollectionCursor::new(*order, wanted)),
            Access::Index(scan) => {
                let reader = EntryReader {
                    covered: plan.covered && !task.keys,
                    keys: task.keys,
                    needed,
                    sorter: plan
                        .sort
                        .as_ref()
                        .filter(|_| plan.sort_keys)
                        .map(|sort| KeySorter::new(scan, sort)),
                };
                Source::Scans(Scans::new(std::slice::from_ref(scan), reader, wanted))
            }
            Access::Union(scans) => {
                let reader = EntryReader {
                    covered: false,
                    keys: task.keys,
                    needed,
                    sorter: None,
                };
                Source::Scans(Scans::new(scans, reader, wanted))
            }
            Access::Near(scan) => Source::Near(Box::new(NearCursor::new(scan.clone()))),
            Access::Merge(scans, sort) => Source::Merge(MergeCursor::new(scans, sort, wanted, task.keys)),
        }
    }

    /// The bytes of the page that it is in; `None` if it does not read documents.
    pub fn page_bytes(&self) -> Option<usize> {
        match self {
            Source::Collection(cursor) => Some(cursor.page_bytes()),
            _ => None,
        }
    }

    /// Adds up to `max` hits. Each key or record examined costs one of the budget. If hits are sorted by index keys, those whose
    /// sort key is not below `limit` are left out.
    pub async fn fill(
        &mut self,
        snapshot: &Snapshot,
        hits: &mut Vec<Hit>,
        max: usize,
        limit: Option<&[u8]>,
        budget: &mut u64,
    ) -> Result<Stopped> {
        let enough = hits.len().saturating_add(max);
        match self {
            Source::Nothing => Ok(Stopped::Exhausted),
            Source::Id(id) => {
                if let Some(id) = id.take()
                    && let Some((record, document)) = snapshot.document_by_id(id.as_ref()).await?
                {
                    *budget = budget.saturating_sub(1);
                    hits.push(Hit::whole(record, document));
                }
                Ok(Stopped::Exhausted)
            }
            Source::Collection(cursor) => {
                let mut bytes = 0;
                while hits.len() < enough && bytes < CHUNK_BYTES {
                    if *budget == 0 {
                        return Ok(Stopped::Spent);
                    }
                    *budget -= 1;
                    match cursor.next(snapshot).await? {
                        Some((record, document)) => {
                            bytes += document.bytes().len();
                            hits.push(Hit::whole(record, document));
                        }
                        None => return Ok(Stopped::Exhausted),
                    }
                }
                Ok(Stopped::Filled)
            }
            Source::Scans(scans) => scans.fill(snapshot, hits, enough, limit, budget).await,
            Source::Near(cursor) => cursor.fill(snapshot, hits, enough, budget).await,
            Source::Merge(cursor) => cursor.fill(snapshot, hits, enough, budget).await,
        }
    }

    /// Whether only records are taken from index entries.
    pub fn gives_records(&self) -> bool {
        matches!(self, Source::Scans(scans) if scans.reader.is_plain())
    }

    /// Adds the records of more entries until there are `enough`. Each key examined costs one of the budget. To be called only if
    /// [`Source::gives_records`].
    pub async fn records(
        &mut self,
        snapshot: &Snapshot,
        records: &mut Vec<RecordId>,
        enough: usize,
        budget: &mut u64,
    ) -> Result<Stopped> {
        match self {
            Source::Scans(scans) => scans.records(snapshot, records, enough, budget).await,
            _ => Ok(Stopped::Exhausted),
        }
    }

    /// Stops making documents from keys.
    pub fn read_documents(&mut self) {
        if let Source::Scans(scans) = self {
            scans.reader.covered = false;
        }
    }

    /// Keeps only the position.
    pub fn suspend(&mut self) {
        match self {
            Source::Nothing | Source::Id(_) => {}
            Source::Collection(cursor) => cursor.suspend(),
            Source::Scans(scans) => scans.cursors.iter_mut().for_each(IndexCursor::suspend),
            Source::Near(cursor) => cursor.suspend(),
            Source::Merge(cursor) => cursor.suspend(),
        }
    }

    /// What each scan examined, in the plan's order.
    pub fn counters(&self) -> Vec<ScanCounters> {
        match self {
            Source::Nothing | Source::Id(_) | Source::Collection(_) => Vec::new(),
            Source::Scans(scans) => scans.cursors.iter().map(|cursor| cursor.counters).collect(),
            Source::Near(cursor) => vec![cursor.counters()],
            Source::Merge(cursor) => cursor.counters(),
        }
    }
}

impl Scans {
    fn new(scans: &[Arc<IndexScan>], reader: EntryReader, wanted: usize) -> Scans {
        Scans {
            cursors: scans
                .iter()
                .map(|scan| IndexCursor::new(scan.clone(), wanted))
                .collect(),
            current: 0,
            reader,
        }
    }

    /// Adds hits until there are `enough`; see [`Source::fill`].
    async fn fill(
        &mut self,
        snapshot: &Snapshot,
        hits: &mut Vec<Hit>,
        enough: usize,
        limit: Option<&[u8]>,
        budget: &mut u64,
    ) -> Result<Stopped> {
        let mut made = MadeDocuments::default();
        let stopped = self
            .fill_and_make(snapshot, hits, enough, limit, budget, &mut made)
            .await?;
        made.give_to(hits);
        Ok(stopped)
    }

    /// As [`Scans::fill`]. Documents that are made from keys are added to `made`, and hits are without them.
    async fn fill_and_make(
        &mut self,
        snapshot: &Snapshot,
        hits: &mut Vec<Hit>,
        enough: usize,
        limit: Option<&[u8]>,
        budget: &mut u64,
        made: &mut MadeDocuments,
    ) -> Result<Stopped> {
        let plain = self.reader.is_plain();
        let mut sort_key = Vec::new();
        while let Some(cursor) = self.cursors.get_mut(self.current) {
            // Shared, because a found entry borrows the cursor.
            let facts = (!plain).then(|| cursor.scan().facts.clone());
            loop {
                if hits.len() >= enough {
                    return Ok(Stopped::Filled);
                }
                match cursor.step(budget) {
                    Step::Load => {
                        cursor.load(snapshot).await?;
                        hits.reserve(cursor.loaded().min(enough - hits.len()));
                    }
                    Step::Spent => return Ok(Stopped::Spent),
                    Step::Done => break,
                    Step::Found(entry) => {
                        if let Some(sorter) = &self.reader.sorter {
                            sort_key.clear();
                            sorter.put_sort_key(entry.key, &mut sort_key);
                            if limit.is_some_and(|limit| limit <= sort_key.as_slice()) {
                                continue;
                            }
                        }
                        let hit = match &facts {
                            Some(facts) => self.reader.read(&entry, &sort_key, facts, hits.len(), made),
                            None => Hit::of_record(entry.record),
                        };
                        hits.push(hit);
                    }
                }
            }
            self.current += 1;
        }
        Ok(Stopped::Exhausted)
    }

    /// See [`Source::records`].
    async fn records(
        &mut self,
        snapshot: &Snapshot,
        records: &mut Vec<RecordId>,
        enough: usize,
        budget: &mut u64,
    ) -> Result<Stopped> {
        while let Some(cursor) = self.cursors.get_mut(self.current) {
            cursor.take_records(records, enough, budget);
            if records.len() >= enough {
                return Ok(Stopped::Filled);
            }
            match cursor.step(budget) {
                Step::Load => cursor.load(snapshot).await?,
                Step::Spent => return Ok(Stopped::Spent),
                Step::Done => self.current += 1,
                Step::Found(entry) => records.push(entry.record),
            }
        }
        Ok(Stopped::Exhausted)
    }
}

impl EntryReader {
    /// Whether only the record is taken from an entry.
    fn is_plain(&self) -> bool {
        !self.covered && !self.keys && self.sorter.is_none()
    }

    /// Makes the hit of an entry, which will be at this place.
    fn read(
        &self,
        entry: &IndexEntry<'_>,
        sort_key: &[u8],
        facts: &IndexFacts,
        place: usize,
        made: &mut MadeDocuments,
    ) -> Hit {
        let covered = self.covered && made.make(place, facts, &self.needed, entry);
        let key = self
            .keys
            .then(|| Box::new(covered::key_document(facts, entry.key, entry.bits)));
        Hit {
            record: entry.record,
            covered,
            document: None,
            sort_key: sort_key.to_vec(),
            key,
        }
    }
}

/// Documents made from keys, all in one buffer, which they share.
#[derive(Default)]
struct MadeDocuments {
    bytes: Vec<u8>,
    /// For each document, the place of its hit and its end in the buffer.
    ends: Vec<(usize, usize)>,
}

impl MadeDocuments {
    /// Makes the document of a hit. Returns false if the key does not determine all of it.
    fn make(&mut self, place: usize, facts: &IndexFacts, needed: &[String], entry: &IndexEntry<'_>) -> bool {
        let is_made = covered::write(facts, needed, entry.key, entry.bits, &mut self.bytes);
        if is_made {
            self.ends.push((place, self.bytes.len()));
        }
        is_made
    }

    fn give_to(self, hits: &mut [Hit]) {
        let bytes = Bytes::from(self.bytes);
        let mut start = 0;
        for (place, end) in self.ends {
            if let Some(hit) = hits.get_mut(place) {
                hit.document = Some(DocumentBuf::from_validated(bytes.slice(start..end)));
            }
            start = end;
        }
    }
}
