//! The best entries that match, by scores that are made of what the index knows of each.

use crate::entry::Key;
use crate::error::Result;
use crate::lookup::{self, Lookup, Part};
use crate::mask::Mask;
use crate::opened::OpenSegment;
use crate::reader::{Reader, each};
use crate::statistics::Lengths;
use crate::top::Top;
use std::cmp::Ordering;
use std::sync::Arc;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::Scorer;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED};

/// How often progress is asked for.
const STEP: u64 = 1024;

/// Frequencies and lengths below these are remembered; most are.
const FREQUENCIES: usize = 8;
const LENGTHS: usize = 256;

/// How many of the best of a term are kept: the first of these that is enough for a search. A search for more keeps nothing.
const KEPT_COUNTS: [usize; 2] = [10, 100];

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
    Length(Option<Arc<Lengths>>),
    Is(Box<dyn Scorer>),
    /// What it says is known.
    Known(u64),
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
            OneProbe::Frequency(None) | OneProbe::Length(None) => 0,
            OneProbe::Known(said) => *said,
            OneProbe::Frequency(Some(postings)) => match is_at(&mut **postings, entry) {
                true => u64::from(postings.term_freq()),
                false => 0,
            },
            OneProbe::Length(Some(lengths)) => lengths.get(entry),
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

/// Whether an entry with this score may be among the best.
fn takes(best: &Top<Best>, score: f32) -> bool {
    best.last().is_none_or(|last| score >= last.score)
}

/// Takes an entry in, if it is among the best by its score; only then are its columns read.
fn offer(best: &mut Top<Best>, entry: DocId, score: f32, columns: &OpenSegment) {
    if takes(best, score) {
        best.put(Best {
            score,
            sequence: columns.sequences.values.get_val(entry),
            number: columns.numbers.values.get_val(entry),
        });
    }
}

fn numbers(best: Top<Best>) -> Vec<u64> {
    let best = best.into_sorted();
    best.iter().map(|best| best.number).collect()
}

/// A lookup and its scores, where they are of one term alone.
#[derive(Debug)]
struct OneTerm<'l> {
    key: Key,
    part: Part,
    text: &'l str,
    /// The key whose terms are counted for the score.
    length: Option<Key>,
}

impl<'l> OneTerm<'l> {
    fn of(lookup: &'l Lookup, probes: &[Probe]) -> Option<OneTerm<'l>> {
        let lookup = match lookup {
            Lookup::Every(all) if all.len() == 1 => &all[0],
            lookup => lookup,
        };
        let Lookup::Terms(key, part, texts) = lookup else {
            return None;
        };
        let [text] = &texts[..] else { return None };
        let (frequency, length) = match probes {
            [frequency] => (frequency, None),
            [frequency, Probe::Length(length)] => (frequency, Some(*length)),
            _ => return None,
        };
        let is_same = matches!(frequency, Probe::Frequency(k, p, t) if (k, p, t) == (key, part, text));
        is_same.then_some(OneTerm {
            key: *key,
            part: *part,
            text,
            length,
        })
    }
}

/// Entries of one term that may be among the best of a part of the index. Of those that have the term equally often, a shorter one is
/// better, and of those that are as long, the one that was changed first.
struct OfTerm {
    by_frequency: [Top<Candidate>; FREQUENCIES],
    /// How many entries have the term.
    matching: u64,
    /// Whether none was refused: one that was may be better than these.
    are_all: bool,
}

/// A better one is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    length: u64,
    sequence: u64,
    number: u64,
}

impl OfTerm {
    /// Empty; `count` are kept of each frequency.
    fn new(count: usize) -> OfTerm {
        OfTerm {
            by_frequency: std::array::from_fn(|_| Top::new(count)),
            matching: 0,
            are_all: true,
        }
    }

    /// Takes an entry in, if it may be among the best; false where it has the term too often or is too long to be told here.
    fn offer(&mut self, entry: DocId, frequency: u32, length: u64, columns: &OpenSegment) -> bool {
        let same = self.by_frequency.get_mut(frequency as usize);
        let Some(same) = same.filter(|_| length < LENGTHS as u64) else {
            self.are_all = false;
            return false;
        };
        if same.last().is_none_or(|last| length <= last.length) {
            same.put(Candidate {
                length,
                sequence: columns.sequences.values.get_val(entry),
                number: columns.numbers.values.get_val(entry),
            });
        }
        true
    }

    fn iter(&self) -> impl Iterator<Item = (u32, Candidate)> {
        let by_frequency = (0..).zip(&self.by_frequency);
        by_frequency.flat_map(|(frequency, same)| same.iter().map(move |candidate| (frequency, *candidate)))
    }

    /// Offers those that it has to the best of all parts.
    fn give(&self, best: &mut Top<Best>, scores: &mut Scores, scoring: &mut Scoring<'_>) {
        for (frequency, candidate) in self.iter() {
            let score = scores.of(frequency, candidate.length, scoring);
            if takes(best, score) {
                best.put(Best {
                    score,
                    sequence: candidate.sequence,
                    number: candidate.number,
                });
            }
        }
    }

    fn bytes(&self) -> usize {
        let candidates = self.by_frequency.iter().map(Top::len).sum::<usize>();
        size_of::<OfTerm>() + candidates * size_of::<Candidate>()
    }
}

/// Entries of a term that are looked at together.
#[derive(Default)]
struct Page {
    entries: Vec<DocId>,
    frequencies: Vec<u32>,
    lengths: Vec<Option<u64>>,
}

impl Page {
    /// Reads the next entries that count; false where there are none.
    fn read(&mut self, postings: &mut SegmentPostings, counts: impl Fn(DocId) -> bool) -> bool {
        self.entries.clear();
        self.frequencies.clear();
        while self.entries.len() < STEP as usize && postings.doc() != TERMINATED {
            if counts(postings.doc()) {
                self.entries.push(postings.doc());
                self.frequencies.push(postings.term_freq());
            }
            postings.advance();
        }
        !self.entries.is_empty()
    }

    fn read_lengths(&mut self, lengths: Option<&Lengths>) {
        self.lengths.clear();
        self.lengths.resize(self.entries.len(), None);
        if let Some(lengths) = lengths {
            lengths.read(&self.entries, &mut self.lengths);
        }
    }

    fn iter(&self) -> impl Iterator<Item = (DocId, u32, u64)> {
        let both = self.frequencies.iter().zip(&self.lengths);
        let both = both.map(|(frequency, length)| (*frequency, length.unwrap_or(0)));
        let entries = self.entries.iter().zip(both);
        entries.map(|(entry, (frequency, length))| (*entry, frequency, length))
    }
}

/// Scores that were made, by frequency and length, which are all that they are made of.
struct Scores(Vec<Option<f32>>);

impl Scores {
    fn new() -> Scores {
        Scores(vec![None; FREQUENCIES * LENGTHS])
    }

    /// Whether the shorter of two entries that have a term equally often is always better.
    fn fall_with_length(&mut self, scoring: &mut Scoring<'_>) -> bool {
        // They fall ever more slowly, so that in the last step they are the first to be rounded to the same.
        let last = LENGTHS as u64 - 1;
        (1..FREQUENCIES as u32)
            .all(|frequency| self.of(frequency, last - 1, scoring) > self.of(frequency, last, scoring))
    }

    fn of(&mut self, frequency: u32, length: u64, scoring: &mut Scoring<'_>) -> f32 {
        let place = frequency as usize * LENGTHS + length as usize;
        let known = self.0.get_mut(place).filter(|_| length < LENGTHS as u64);
        if let Some(Some(score)) = known {
            return *score;
        }
        let said = [u64::from(frequency), length].map(OneProbe::Known);
        // What is known is the same whichever entry is asked.
        let score = (scoring.score)(&mut Probes(said.into()), 0);
        if let Some(known) = known {
            *known = Some(score);
        }
        score
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
        if let Some(term) = OneTerm::of(lookup, scoring.probes) {
            return self.best_of_term(&term, mask, count, scoring);
        }
        let weight = self.weight(lookup)?;
        let mut best = Top::new(count);
        let (mut matching, mut goes_on) = (0_u64, true);
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let columns = self.opened.of(segment)?;
            let mut probes = self.probes(at, scoring.probes)?;
            each(&*weight, at, segment, mask, &mut |entry| {
                matching += 1;
                if matching.is_multiple_of(STEP) {
                    goes_on = (scoring.step)(STEP as usize);
                }
                let score = (scoring.score)(&mut probes, entry);
                offer(&mut best, entry, score, &columns);
                goes_on
            })?;
            if !goes_on {
                return Ok(None);
            }
        }
        Ok(Some((numbers(best), matching)))
    }

    /// The same where a term is all that is looked up and scored: its list is gone through once, many entries at a time, and what may be
    /// among the best of it is kept.
    fn best_of_term(
        &self,
        term: &OneTerm<'_>,
        mask: &Mask,
        count: usize,
        scoring: &mut Scoring<'_>,
    ) -> Result<Option<(Vec<u64>, u64)>> {
        let mut best = Top::new(count);
        let mut matching = 0;
        let mut scores = Scores::new();
        let kept_count = KEPT_COUNTS.into_iter().find(|kept| count <= *kept);
        let kept_count = kept_count.filter(|_| term.length.is_none() || scores.fall_with_length(scoring));
        let name = kept_count.map(|count| format!("{count} best of {term:?}"));
        for part in 0..self.segments() {
            let kept = name
                .as_ref()
                .and_then(|name| self.kept::<OfTerm>(part, mask, name));
            let of_term = match kept {
                Some(of_term) => of_term,
                None => {
                    let mut of_term = OfTerm::new(kept_count.unwrap_or(0));
                    let goes_on = self.each_of_term(term, part, mask, &mut |page, columns| {
                        of_term.matching += page.entries.len() as u64;
                        for (entry, frequency, length) in page.iter() {
                            if kept_count.is_none() || !of_term.offer(entry, frequency, length, columns) {
                                let score = scores.of(frequency, length, scoring);
                                offer(&mut best, entry, score, columns);
                            }
                        }
                        (scoring.step)(page.entries.len())
                    })?;
                    if !goes_on {
                        return Ok(None);
                    }
                    let (bytes, of_term) = (of_term.bytes(), Arc::new(of_term));
                    if let Some(name) = name.as_ref().filter(|_| of_term.are_all) {
                        self.keep(part, mask, name, of_term.clone(), bytes);
                    }
                    of_term
                }
            };
            of_term.give(&mut best, &mut scores, scoring);
            matching += of_term.matching;
        }
        Ok(Some((numbers(best), matching)))
    }

    /// Shows the entries of a part that have a term, a page at a time, until no more are wanted; false then.
    fn each_of_term(
        &self,
        term: &OneTerm<'_>,
        part: usize,
        mask: &Mask,
        found: &mut dyn FnMut(&Page, &OpenSegment) -> bool,
    ) -> Result<bool> {
        let segment = self.searcher.segment_reader(part as u32);
        let field = self.fields.part(term.part);
        let inverted = segment.inverted_index(field)?;
        let named = lookup::term(field, term.key, term.text);
        let Some(mut postings) = inverted.read_postings(&named, IndexRecordOption::WithFreqs)? else {
            return Ok(true);
        };
        let columns = self.opened.of(segment)?;
        let lengths = match term.length {
            Some(key) => columns.lengths(segment, key)?,
            None => None,
        };
        let is_whole = !segment.has_deletes() && !mask.is_of(part);
        let mut page = Page::default();
        while page.read(&mut postings, |entry| {
            is_whole || !(segment.is_deleted(entry) || mask.hides(part, entry))
        }) {
            page.read_lengths(lengths.as_deref());
            if !found(&page, &columns) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn probes(&self, part: usize, probes: &[Probe]) -> Result<Probes> {
        let segment = self.searcher.segment_reader(part as u32);
        let probes = probes.iter().map(|probe| {
            Ok(match probe {
                Probe::Frequency(key, part, text) => {
                    let field = self.fields.part(*part);
                    let inverted = segment.inverted_index(field)?;
                    let term = lookup::term(field, *key, text);
                    let record = IndexRecordOption::WithFreqs;
                    OneProbe::Frequency(inverted.read_postings(&term, record)?.map(Box::new))
                }
                Probe::Length(key) => OneProbe::Length(self.opened.of(segment)?.lengths(segment, *key)?),
                Probe::Is(lookup) => OneProbe::Is(self.weight(lookup)?.scorer(segment, 1.0)?),
            })
        });
        Ok(Probes(probes.collect::<Result<_>>()?))
    }
}
