//! Reading an index of places nearest first: ring after ring around a centre, each ring sorted.

use super::hit::Hit;
use super::index_cursor::{IndexCursor, ScanCounters, Step};
use super::source::Stopped;
use crate::Result;
use crate::plan::NearScan;
use geometry::Centre;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use store::{RecordId, Snapshot};
use value::path::{self, Reached};
use value::{DocumentBuf, ValueRef};

/// The width of the first ring: on the sphere in radians (some metres), on a plane as a part of the way to the farthest place.
const FIRST_ON_SPHERE: f64 = 5e-6;
const FIRST_PART: f64 = 2e-6;

/// How much wider each ring is than the last, by what was found in it: nothing, some, or many. A fast growth skips empty space, a slow
/// one reads little more than is wanted.
const GROWTH_EMPTY: f64 = 4.0;
const GROWTH_SOME: f64 = 2.0;
const GROWTH_MANY: f64 = 1.3;
const MANY: usize = 200;

/// The most documents of a ring, and the most bytes, that are kept until they are returned. Those of larger rings are read again.
const KEPT_MAX: usize = 512;
const KEPT_BYTES_MAX: usize = 2 << 20;

/// The index entries of a ring that are expected at first.
const READ_MAX: usize = 1024;

/// A position in the rings.
#[derive(Debug)]
pub struct NearCursor {
    scan: Arc<NearScan>,
    /// The present ring: from (included) and to (excluded, except in the last ring).
    from: f64,
    to: f64,
    /// Nothing beyond this distance is wanted or exists.
    end: f64,
    done: bool,
    ring: Option<IndexCursor>,
    /// The records that the index has in the ring, and some around it.
    records: BTreeSet<RecordId>,
    /// The records in the ring, nearest first.
    sorted: VecDeque<(RecordId, Option<DocumentBuf>)>,
    counters: ScanCounters,
}

impl NearCursor {
    /// A cursor before the first ring.
    pub fn new(scan: Arc<NearScan>) -> NearCursor {
        let (from, end) = (scan.near.min, scan.near.max.min(scan.farthest()));
        let first = match scan.near.centre {
            Centre::Sphere(_) => FIRST_ON_SPHERE,
            Centre::Plane(_) => scan.farthest() * FIRST_PART,
        };
        NearCursor {
            done: from > end,
            to: (from + first).min(end),
            from,
            end,
            scan,
            ring: None,
            records: BTreeSet::new(),
            sorted: VecDeque::new(),
            counters: ScanCounters::default(),
        }
    }

    /// Adds hits until there are `enough`; each key examined costs one of the budget.
    pub async fn fill(
        &mut self,
        snapshot: &Snapshot,
        hits: &mut Vec<Hit>,
        enough: usize,
        budget: &mut u64,
    ) -> Result<Stopped> {
        loop {
            while hits.len() < enough
                && let Some((record, document)) = self.sorted.pop_front()
            {
                hits.push(match document {
                    Some(document) => Hit::whole(record, document),
                    None => Hit::of_record(record),
                });
            }
            if hits.len() >= enough {
                return Ok(Stopped::Filled);
            }
            if self.done {
                return Ok(Stopped::Exhausted);
            }
            let ring = match &mut self.ring {
                Some(ring) => ring,
                None => {
                    let scan = self.scan.ring(self.from, self.to);
                    self.ring.insert(IndexCursor::new(scan, READ_MAX))
                }
            };
            match ring.step(budget) {
                Step::Load => ring.load(snapshot).await?,
                Step::Spent => return Ok(Stopped::Spent),
                Step::Found(entry) => {
                    self.records.insert(entry.record);
                }
                Step::Done => self.end_ring(snapshot).await?,
            }
        }
    }

    /// Keeps only the position.
    pub fn suspend(&mut self) {
        if let Some(ring) = &mut self.ring {
            ring.suspend();
        }
        self.sorted.iter_mut().for_each(|(_, document)| *document = None);
    }

    /// What was examined so far.
    pub fn counters(&self) -> ScanCounters {
        let ring = self.ring.as_ref().map(|ring| ring.counters).unwrap_or_default();
        ScanCounters {
            keys: self.counters.keys + ring.keys,
            seeks: self.counters.seeks + ring.seeks,
            found: self.counters.found + ring.found,
        }
    }

    /// Sorts the records of the ring, and continues with the next ring.
    async fn end_ring(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.counters = self.counters();
        self.ring = None;
        let records: Vec<RecordId> = std::mem::take(&mut self.records).into_iter().collect();
        let last = self.to >= self.end;
        let mut near: Vec<(f64, RecordId, Option<DocumentBuf>)> = Vec::new();
        let mut kept_bytes = 0;
        let place = |record, document: DocumentBuf| -> Result<()> {
            let Some(distance) = self.distance(&document) else {
                return Ok(());
            };
            if distance >= self.from && (distance < self.to || last && distance <= self.end) {
                kept_bytes += document.bytes().len();
                let keep = records.len() <= KEPT_MAX && kept_bytes <= KEPT_BYTES_MAX;
                near.push((distance, record, keep.then_some(document)));
            }
            Ok(())
        };
        snapshot.visit_documents(&records, place).await?;
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let growth = match near.len() {
            0 => GROWTH_EMPTY,
            MANY.. => GROWTH_MANY,
            _ => GROWTH_SOME,
        };
        let width = (self.to - self.from) * growth;
        self.from = self.to;
        self.to = (self.from + width).min(self.end);
        self.done = last;
        self.sorted = near
            .into_iter()
            .map(|(_, record, document)| (record, document))
            .collect();
        Ok(())
    }

    /// The distance of the nearest place in the document; `None` if it has none.
    fn distance(&self, document: &DocumentBuf) -> Option<f64> {
        let mut nearest: Option<f64> = None;
        path::visit(document.as_ref(), &self.scan.path, &mut |reached: Reached<'_>| {
            let distance = reached
                .value
                .and_then(|value: ValueRef<'_>| self.scan.near.nearest(value));
            nearest = match (nearest, distance) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (known, found) => known.or(found),
            };
            false
        });
        nearest
    }
}
