//! The best entries that match, by scores that are made of what the index knows of each.

use crate::entry::Key;
use crate::error::Result;
use crate::lookup::{Lookup, Part, term};
use crate::mask::Mask;
use crate::reader::{Reader, each};
use crate::schema::{NUMBER, SEQUENCE, length_column};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use tantivy::columnar::{Column, ColumnType};
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::Scorer;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet};

/// How often progress is asked for.
const STEP: u64 = 1024;

/// What is asked of each entry for its score.
#[derive(Clone, Debug)]
pub enum Probe {
    /// How often it has a term.
    Frequency(Key, Part, String),
    /// How many terms of a key it has.
    Length(Key),
    /// Whether something is true of it.
    Is(Lookup),
}

/// The probes of a part of the index. Entries are asked in their order.
pub struct Probes(Vec<OneProbe>);

enum OneProbe {
    Frequency(Option<Box<SegmentPostings>>),
    Length(Option<Column<u64>>, u64),
    Is(Box<dyn Scorer>),
}

impl std::fmt::Debug for Probes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Probes({})", self.0.len())
    }
}

impl Probes {
    /// What the probe at this place says of an entry: a frequency, a length, or 1 where something is true; 0 for none.
    pub fn ask(&mut self, at: usize, entry: DocId) -> u64 {
        match &mut self.0[at] {
            OneProbe::Frequency(None) | OneProbe::Length(None, _) => 0,
            OneProbe::Frequency(Some(postings)) => match is_at(&mut **postings, entry) {
                true => u64::from(postings.term_freq()),
                false => 0,
            },
            OneProbe::Length(Some(lengths), base) => lengths.first(entry).map_or(0, |length| length - *base),
            OneProbe::Is(entries) => u64::from(is_at(entries, entry)),
        }
    }
}

fn is_at(entries: &mut impl DocSet, entry: DocId) -> bool {
    if entries.doc() < entry {
        entries.seek(entry);
    }
    entries.doc() == entry
}

/// Orders better ones first, and of those that are equally good the one that was changed first.
#[derive(Debug, PartialEq)]
struct Best {
    score: f32,
    sequence: u64,
    number: u64,
}

impl Eq for Best {}

impl PartialOrd for Best {
    fn partial_cmp(&self, other: &Best) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Best {
    fn cmp(&self, other: &Best) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| self.sequence.cmp(&other.sequence))
    }
}

/// How entries get their scores.
pub struct Scoring<'s> {
    /// What is asked of each.
    pub probes: &'s [Probe],
    /// Makes a score of what the probes say of an entry.
    pub score: &'s mut dyn FnMut(&mut Probes, DocId) -> f32,
    /// Counts entries; false where it takes too long.
    pub step: &'s mut dyn FnMut(usize) -> bool,
}

impl std::fmt::Debug for Scoring<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scoring({:?})", self.probes)
    }
}

impl Reader {
    /// The records of the best entries that match, and how many match; `None` where it took too long.
    pub fn best(
        &self,
        lookup: &Lookup,
        mask: &Mask,
        count: usize,
        scoring: &mut Scoring<'_>,
    ) -> Result<Option<(Vec<u64>, u64)>> {
        let weight = self.weight(lookup)?;
        // The worst of the best is on top.
        let mut best: BinaryHeap<Best> = BinaryHeap::with_capacity(count.min(STEP as usize) + 1);
        let (mut matching, mut goes_on) = (0_u64, true);
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let columns = segment.fast_fields();
            let (sequences, numbers) = (columns.u64(SEQUENCE)?, columns.u64(NUMBER)?);
            let mut probes = self.probes(at, scoring.probes)?;
            each(&*weight, at, segment, mask, &mut |entry| {
                matching += 1;
                if matching.is_multiple_of(STEP) {
                    goes_on = (scoring.step)(STEP as usize);
                }
                let score = (scoring.score)(&mut probes, entry);
                let is_full = best.len() >= count;
                if is_full && best.peek().is_none_or(|worst| score < worst.score) {
                    return goes_on;
                }
                best.push(Best {
                    score,
                    sequence: sequences.values.get_val(entry),
                    number: numbers.values.get_val(entry),
                });
                if is_full {
                    best.pop();
                }
                goes_on
            })?;
            if !goes_on {
                return Ok(None);
            }
        }
        let best = best.into_sorted_vec();
        Ok(Some((best.iter().map(|best| best.number).collect(), matching)))
    }

    fn probes(&self, part: usize, probes: &[Probe]) -> Result<Probes> {
        let segment = self.searcher.segment_reader(part as u32);
        let probes = probes.iter().map(|probe| {
            Ok(match probe {
                Probe::Frequency(key, part, text) => {
                    let field = self.fields.part(*part);
                    let inverted = segment.inverted_index(field)?;
                    let term = term(field, *key, text);
                    let record = IndexRecordOption::WithFreqs;
                    OneProbe::Frequency(inverted.read_postings(&term, record)?.map(Box::new))
                }
                Probe::Length(key) => {
                    let name = length_column(*key);
                    match segment.fast_fields().u64_lenient_for_type(None, &name)? {
                        // Columns of whole numbers may be kept as signed ones, which begin elsewhere.
                        Some((lengths, ColumnType::I64)) => OneProbe::Length(Some(lengths), 1 << 63),
                        Some((lengths, _)) => OneProbe::Length(Some(lengths), 0),
                        None => OneProbe::Length(None, 0),
                    }
                }
                Probe::Is(lookup) => OneProbe::Is(self.weight(lookup)?.scorer(segment, 1.0)?),
            })
        });
        Ok(Probes(probes.collect::<Result<_>>()?))
    }
}
