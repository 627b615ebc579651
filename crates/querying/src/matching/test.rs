//! Tests on the terms and the values of one field.

use super::blend::Blend;
use super::expansion::Expanding;
use super::intervals::Rule;
use super::nearest::Nearest;
use super::patterns::TermPattern;
use super::phrase::{self, PhraseTerm};
use super::statistics::Statistics;
use mapping::fields::{Term, View};
use mapping::geo::Point;
use mapping::intervals::{Interval, Relation};
use mapping::{Field, FieldKind};
use std::collections::HashSet;
use std::net::Ipv6Addr;
use std::ops::Bound;
use std::sync::Arc;

/// What must be true of a field.
#[derive(Debug)]
#[allow(missing_docs, reason = "the variants say what their members are")]
pub enum Test {
    /// It has this term.
    Term(String),
    /// It has this term, which is as rare as in other fields: one of those.
    Blended {
        term: String,
        blend: Arc<Blend>,
        at: usize,
    },
    /// It has one of these terms.
    AnyTerm(HashSet<String>),
    /// It has a term of this pattern.
    Pattern(TermPattern),
    /// It has one of the terms that stand for a pattern.
    Expanded(Arc<Expanding>),
    /// It has these terms, each at its place one of several; at the last place, terms that stand for the beginnings of some.
    Phrase {
        terms: Vec<(u32, Vec<String>)>,
        slop: u32,
        beginnings: Vec<Arc<Expanding>>,
    },
    /// It has one of these values.
    Values(Vec<Term>),
    /// It has a value in a range.
    Range(Bound<Term>, Bound<Term>),
    /// It has a range that lies so to this one.
    Interval(Interval, Relation),
    /// It has an address in a network: the address and how many bits of it count.
    Network(Ipv6Addr, u32),
    /// It has a point this many metres from another at most.
    Near(Point, f64),
    /// It has a value, which is worth the more the nearer it is to a point, or to a time; half at the pivot.
    Nearness {
        point: Option<Point>,
        nanos: i64,
        pivot: f64,
    },
    /// It has a number or a time, which is worth the more the nearer it is to the first; half at the second.
    Distance(f64, f64),
    /// It has a point in a box: top, left, bottom, right.
    Within([f64; 4]),
    /// It has a vector, which is worth the more the nearer it is to another.
    Nearest(Box<Nearest>),
    /// Its terms stand as a rule says.
    Intervals(Box<Rule>),
    /// It has any value.
    Exists,
    /// The number of its last change is in a range.
    Sequence(Bound<u64>, Bound<u64>),
}

/// A test on a field, and how it is scored.
#[derive(Debug)]
pub struct Leaf {
    /// The field.
    pub field: Arc<Field>,
    /// What must be true of it.
    pub test: Test,
    pub(super) boost: f32,
}

/// The terms of a field in a document, with their places.
pub struct Terms {
    pub terms: Vec<(String, i64)>,
    /// `None` if it does not matter.
    pub(super) length: Option<u64>,
}

impl Terms {
    /// Those of several texts, whose lengths do not matter.
    pub(super) fn together(several: Vec<Terms>) -> Terms {
        let terms = several.into_iter().flat_map(|found| found.terms);
        Terms {
            terms: terms.collect(),
            length: Some(0),
        }
    }
}

/// The terms of a field in a document.
pub fn terms(view: &View<'_>, field: &Field) -> Terms {
    let values = view.terms(field).into_iter().filter_map(|term| match term {
        Term::Text(text) => Some(text),
        Term::Boolean(flag) => Some(flag_term(flag).to_owned()),
        _ => None,
    });
    if matches!(field.kind, FieldKind::Keyword | FieldKind::Boolean) {
        let mut terms: Vec<_> = values.map(|text| (text, 0)).collect();
        if terms.len() > 1 {
            let mut seen = HashSet::new();
            terms.retain(|(text, _)| seen.insert(text.clone()));
        }
        return Terms { terms, length: None };
    }
    let mut terms = Vec::new();
    let mut offset = 0;
    for text in values {
        let mut last = None;
        for token in field.analyzer.tokens(&text) {
            last = Some(i64::from(token.position));
            terms.push((token.text, offset + i64::from(token.position)));
        }
        offset += last.map_or(0, |last| last + 1) + i64::from(field.analyzer.gap);
    }
    Terms {
        length: Some(terms.len() as u64),
        terms,
    }
}

/// True or false as a term, as Lucene has them.
pub fn flag_term(flag: bool) -> &'static str {
    if flag { "T" } else { "F" }
}

impl Leaf {
    pub(super) fn score(&self, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let name = self.field.name.as_str();
        match &self.test {
            Test::Exists => {
                let is_there = match self.field.kind {
                    FieldKind::Binary => !view.raw(&self.field).is_empty(),
                    FieldKind::Vector(_) => {
                        self.field.nested.as_deref() == view.scope && !view.vectors(&self.field).is_empty()
                    }
                    FieldKind::Text => view.terms(&self.field).iter().any(|term| match term {
                        Term::Text(text) => !self.field.analyzer.tokens(text).is_empty() || !text.is_empty(),
                        _ => true,
                    }),
                    _ => !view.terms(&self.field).is_empty(),
                };
                is_there.then_some(self.boost)
            }
            Test::Nearest(nearest) => nearest.score(&self.field, view).map(|score| score * self.boost),
            Test::Intervals(rule) => rule.score(view).map(|score| score * self.boost),
            Test::Sequence(low, high) => {
                use std::ops::RangeBounds;
                (*low, *high).contains(&view.sequence).then_some(self.boost)
            }
            Test::Nearness { point, nanos, pivot } => {
                let raw = view.raw(&self.field);
                let distances: Vec<f64> = match point {
                    Some(origin) => Point::all(&raw)
                        .into_iter()
                        .map(|point| point.distance(*origin))
                        .collect(),
                    None => raw
                        .into_iter()
                        .filter_map(|value| mapping::fields::nanos(&self.field, value))
                        .map(|found| found.abs_diff(*nanos) as f64)
                        .collect(),
                };
                let nearest = distances.into_iter().reduce(f64::min)?;
                Some(self.boost * (pivot / (pivot + nearest)) as f32)
            }
            Test::Distance(origin, pivot) => {
                let found = view.terms(&self.field);
                let distances = found.iter().filter_map(Term::as_f64);
                let nearest = distances.map(|number| (number - origin).abs()).reduce(f64::min)?;
                Some(self.boost * (pivot / (pivot + nearest)) as f32)
            }
            Test::Near(from, metres) => {
                let near =
                    |term: &Term| matches!(term, Term::Point(point) if point.distance(*from) <= *metres);
                view.terms(&self.field).iter().any(near).then_some(self.boost)
            }
            Test::Within([top, left, bottom, right]) => {
                let is_in = |term: &Term| match term {
                    Term::Point(point) => {
                        let across = match left <= right {
                            true => (*left..=*right).contains(&point.lon),
                            // Over the line where dates change.
                            false => point.lon >= *left || point.lon <= *right,
                        };
                        across && (*bottom..=*top).contains(&point.lat)
                    }
                    _ => false,
                };
                view.terms(&self.field).iter().any(is_in).then_some(self.boost)
            }
            Test::Values(wanted) => {
                let found = view.terms(&self.field);
                let is_there = found
                    .iter()
                    .any(|found| wanted.iter().any(|wanted| wanted.compare(found).is_eq()));
                is_there.then_some(self.boost)
            }
            Test::Range(low, high) if self.field.kind != FieldKind::Text => {
                let is_in = |term: &Term| is_above(term, low) && is_below(term, high);
                view.terms(&self.field).iter().any(is_in).then_some(self.boost)
            }
            Test::Range(low, high) => {
                let found = terms(view, &self.field);
                let mut found = found.terms.into_iter().map(|(text, _)| Term::Text(text));
                found
                    .any(|term| is_above(&term, low) && is_below(&term, high))
                    .then_some(self.boost)
            }
            Test::Interval(wanted, relation) => {
                let lies =
                    |term: &Term| matches!(term, Term::Interval(found) if found.lies(*relation, wanted));
                view.terms(&self.field).iter().any(lies).then_some(self.boost)
            }
            Test::Network(address, bits) => {
                let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
                let is_in = |term: &Term| matches!(term, Term::Ip(ip) if ip.to_bits() & mask == address.to_bits() & mask);
                view.terms(&self.field).iter().any(is_in).then_some(self.boost)
            }
            Test::AnyTerm(wanted) => {
                let found = terms(view, &self.field);
                found
                    .terms
                    .iter()
                    .any(|(text, _)| wanted.contains(text))
                    .then_some(self.boost)
            }
            Test::Term(term) => {
                let weight = self.weight(term, view, statistics)?;
                Some(self.boost * statistics.rarity(name, term) * weight)
            }
            Test::Blended { term, blend, at } => {
                let weight = self.weight(term, view, statistics)?;
                Some(self.boost * blend.rarity(*at, statistics) * weight)
            }
            Test::Pattern(pattern) => {
                let found = terms(view, &self.field);
                found
                    .terms
                    .iter()
                    .any(|(text, _)| pattern.is_match(text))
                    .then_some(self.boost)
            }
            Test::Expanded(expanding) => {
                let found = terms(view, &self.field);
                let score = expanding.score(name, &found, statistics)?;
                Some(self.boost * score)
            }
            Test::Phrase {
                terms: wanted,
                slop,
                beginnings,
            } => {
                let found = terms(view, &self.field);
                if is_too_short(&found.terms, wanted, *slop) {
                    return None;
                }
                let phrase = Wanted {
                    places: wanted,
                    beginnings,
                    field: name,
                    statistics,
                };
                let frequency = phrase::frequency(&phrase_terms(&found.terms, &phrase, *slop), *slop);
                (frequency > 0.0)
                    .then(|| self.boost * phrase.rarity() * statistics.weight(name, frequency, found.length))
            }
        }
    }

    /// How much of a text a term is; `None` if it is not there.
    fn weight(&self, wanted: &str, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let found = terms(view, &self.field);
        let frequency = found.terms.iter().filter(|(text, _)| text == wanted).count();
        (frequency > 0).then(|| statistics.weight(&self.field.name, frequency as f32, found.length))
    }

    /// Whether the values of its field say all that it asks.
    pub(super) fn asks_values(&self) -> bool {
        match &self.test {
            Test::Term(_)
            | Test::Blended { .. }
            | Test::AnyTerm(_)
            | Test::Pattern(_)
            | Test::Expanded(_)
            | Test::Values(_)
            | Test::Range(..)
            | Test::Exists => true,
            Test::Phrase { .. }
            | Test::Interval(..)
            | Test::Intervals(_)
            | Test::Network(..)
            | Test::Near(..)
            | Test::Nearness { .. }
            | Test::Nearest(_)
            | Test::Distance(..)
            | Test::Within(_)
            | Test::Sequence(..) => false,
        }
    }

    /// What its score is multiplied by.
    pub fn boost(&self) -> f32 {
        self.boost
    }

    /// Whether it is on this field.
    pub fn is_of(&self, field: &Field) -> bool {
        self.field.name == field.name
    }

    /// Which of these terms, in their places, it is about.
    pub fn found(&self, terms: &[(String, i64)]) -> Vec<usize> {
        let having = |is_one: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let all = terms.iter().enumerate();
            all.filter(|(_, (text, _))| is_one(text))
                .map(|(at, _)| at)
                .collect()
        };
        match &self.test {
            Test::Term(wanted) | Test::Blended { term: wanted, .. } => having(&|text| text == wanted),
            Test::AnyTerm(wanted) => having(&|text| wanted.contains(text)),
            Test::Pattern(pattern) => having(&|text| pattern.is_match(text)),
            Test::Expanded(expanding) => having(&|text| expanding.pattern.is_match(text)),
            Test::Intervals(rule) => having(&|text| rule.asks(text)),
            Test::Phrase {
                terms: places,
                slop,
                beginnings,
            } => {
                let wanted = Wanted {
                    places,
                    beginnings,
                    field: &self.field.name,
                    statistics: &Statistics::default(),
                };
                in_phrase(terms, &wanted, *slop)
            }
            _ => Vec::new(),
        }
    }

    /// The terms whose rarity the score needs.
    pub(super) fn scored_terms(&self) -> Vec<&str> {
        match &self.test {
            Test::Term(term) | Test::Blended { term, .. } => vec![term],
            Test::Phrase {
                terms, beginnings, ..
            } => {
                let whole = terms.len() - usize::from(!beginnings.is_empty());
                let words = terms.iter().take(whole).flat_map(|(_, words)| words);
                words.map(String::as_str).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The patterns for which terms are to stand.
    pub fn expanding(&self) -> &[Arc<Expanding>] {
        match &self.test {
            Test::Expanded(expanding) => std::slice::from_ref(expanding),
            Test::Phrase { beginnings, .. } => beginnings,
            _ => &[],
        }
    }
}

/// A phrase that is wanted in a field.
struct Wanted<'w> {
    places: &'w [(u32, Vec<String>)],
    /// Of what the terms at the last place may be the beginnings, where they may be.
    beginnings: &'w [Arc<Expanding>],
    field: &'w str,
    statistics: &'w Statistics,
}

impl Wanted<'_> {
    /// The words at a place that must be there as they are.
    fn words(&self, at: usize) -> &[String] {
        match self.is_begun(at) {
            true => &[],
            false => &self.places[at].1,
        }
    }

    fn is_begun(&self, at: usize) -> bool {
        !self.beginnings.is_empty() && at + 1 == self.places.len()
    }

    /// Whether a term of a text is one of those that are wanted at this place.
    fn is_one(&self, text: &str, at: usize) -> bool {
        let begins = |one: &Arc<Expanding>| one.has(self.field, text, self.statistics);
        self.words(at).iter().any(|word| word == text)
            || (self.is_begun(at) && self.beginnings.iter().any(begins))
    }

    /// How rare its terms are together.
    fn rarity(&self) -> f32 {
        let words = (0..self.places.len()).flat_map(|at| self.words(at));
        let words: f32 = words.map(|word| self.statistics.rarity(self.field, word)).sum();
        let begun = self.beginnings.iter();
        words
            + begun
                .map(|one| one.rarity(self.field, self.statistics))
                .sum::<f32>()
    }
}

/// Whether terms are nearer to each other than those of a phrase can be: then there is no need to look at each.
fn is_too_short(terms: &[(String, i64)], wanted: &[(u32, Vec<String>)], slop: u32) -> bool {
    let places = || terms.iter().map(|(_, place)| *place);
    let (Some(first), Some(last)) = (places().min(), places().max()) else {
        return true;
    };
    let wanted = || wanted.iter().map(|(place, _)| i64::from(*place));
    let span = wanted().max().unwrap_or(0) - wanted().min().unwrap_or(0);
    last - first + 2 * i64::from(slop) < span
}

/// Where the terms of a phrase stand among those of a text.
fn phrase_terms(terms: &[(String, i64)], wanted: &Wanted<'_>, slop: u32) -> Vec<PhraseTerm> {
    let places = wanted.places;
    let has_word_of =
        |at: usize, other: usize| wanted.words(at).iter().any(|word| wanted.is_one(word, other));
    (0..places.len())
        .map(|at| {
            let offset = i64::from(places[at].0);
            let there = terms.iter().filter(|(text, _)| wanted.is_one(text, at));
            let mut found: Vec<i64> = there.map(|(_, position)| position - offset).collect();
            found.sort_unstable();
            found.dedup();
            let shares = |other: usize| has_word_of(at, other) || has_word_of(other, at);
            // In its own place each is another word anyway.
            let first = (0..places.len()).find(|other| slop > 0 && *other != at && shares(*other));
            PhraseTerm {
                offset,
                places: found,
                // Those that share a word are of the group of the first of them.
                group: first.map(|first| first.min(at)),
            }
        })
        .collect()
}

/// Which terms stand in a phrase.
fn in_phrase(terms: &[(String, i64)], wanted: &Wanted<'_>, slop: u32) -> Vec<usize> {
    let places = wanted.places;
    // Where the words of each place stand: by their positions, and which terms they are.
    let mut there: Vec<Vec<(i64, usize)>> = Vec::with_capacity(places.len());
    for at in 0..places.len() {
        let found = terms
            .iter()
            .enumerate()
            .filter(|(_, (text, _))| wanted.is_one(text, at));
        let mut found: Vec<(i64, usize)> = found.map(|(one, (_, position))| (*position, one)).collect();
        found.sort_unstable();
        there.push(found);
    }
    let (Some((first_place, _)), Some((starts, others))) = (places.first(), there.split_first()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (begun, start) in starts {
        let mut whole = vec![*start];
        for ((place, _), there) in places.iter().skip(1).zip(others) {
            let due = begun + i64::from(*place) - i64::from(*first_place);
            let next = there.partition_point(|(position, _)| *position < due);
            let around = &there[next.saturating_sub(1)..there.len().min(next + 1)];
            match around.iter().min_by_key(|(position, _)| position.abs_diff(due)) {
                Some((position, one)) if position.abs_diff(due) <= u64::from(slop) => whole.push(*one),
                _ => break,
            }
        }
        if whole.len() == places.len() {
            found.extend(whole);
        }
    }
    found
}

/// Whether a term is within the lower end of a range.
pub fn is_above(term: &Term, low: &Bound<Term>) -> bool {
    match low {
        Bound::Unbounded => true,
        Bound::Included(low) => term.compare(low).is_ge(),
        Bound::Excluded(low) => term.compare(low).is_gt(),
    }
}

/// Whether a term is within the upper end of a range.
pub fn is_below(term: &Term, high: &Bound<Term>) -> bool {
    match high {
        Bound::Unbounded => true,
        Bound::Included(high) => term.compare(high).is_le(),
        Bound::Excluded(high) => term.compare(high).is_lt(),
    }
}
