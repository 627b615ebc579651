//! A test on a field as a part of a query, and what it is worth.

use super::expansion::Expanding;
use super::spans::ReadySpan;
use super::statistics::Statistics;
use super::test::{Test, terms};
use super::wanted_phrase::WantedPhrase;
use mapping::fields::{Term, View};
use mapping::geo::Point;
use mapping::{Field, FieldKind};
use std::ops::RangeBounds;
use std::sync::Arc;

/// A test on a field, and how it is scored.
#[derive(Debug)]
pub struct Leaf {
    /// The field.
    pub field: Arc<Field>,
    /// What must be true of it.
    pub test: Test,
    pub(super) boost: f32,
}

impl Leaf {
    /// The score of a document that passes the test; `None` for one that does not.
    pub(super) fn score(&self, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let name = self.field.name.as_str();
        let constant = |passes: bool| passes.then_some(self.boost);
        match &self.test {
            Test::Term(term) => {
                let weight = self.weight(term, view, statistics)?;
                Some(self.boost * statistics.rarity(name, term) * weight)
            }
            Test::Blended { term, blend, at } => {
                let weight = self.weight(term, view, statistics)?;
                Some(self.boost * blend.rarity(*at, statistics) * weight)
            }
            Test::AnyTerm(_) | Test::Pattern(_) => {
                let found = terms(view, &self.field).terms;
                constant(found.iter().any(|(text, _)| self.test.asks_term(text)))
            }
            Test::Expanded(expanding) => {
                let score = expanding.score(name, &terms(view, &self.field), statistics)?;
                Some(self.boost * score)
            }
            Test::Phrase { .. } => {
                let phrase = self.phrase(statistics)?;
                let found = terms(view, &self.field);
                let frequency = phrase.frequency(&found.terms);
                (frequency > 0.0)
                    .then(|| self.boost * phrase.rarity() * statistics.weight(name, frequency, found.weighed))
            }
            Test::Range(..) if self.field.kind == FieldKind::Text => {
                let found = terms(view, &self.field).terms.into_iter();
                let mut found = found.map(|(text, _)| Term::Text(text));
                constant(found.any(|term| self.test.asks_value(&term)))
            }
            Test::Values(_)
            | Test::Range(..)
            | Test::Interval(..)
            | Test::Network(..)
            | Test::Near(..)
            | Test::Within(_) => {
                let found = view.terms(&self.field);
                constant(found.iter().any(|term| self.test.asks_value(term)))
            }
            Test::Nearness { point, nanos, pivot } => self.nearness(view, *point, *nanos, *pivot),
            Test::Distance(origin, pivot) => {
                let found = view.terms(&self.field);
                let numbers = found.iter().filter_map(Term::as_f64);
                self.worth(numbers.map(|number| (number - origin).abs()), *pivot)
            }
            Test::Nearest(nearest) => nearest.score(&self.field, view).map(|score| score * self.boost),
            Test::Intervals(rule) => rule.score(view).map(|score| score * self.boost),
            Test::Spans(span) => self.span(span, view, statistics),
            Test::Exists => constant(self.exists(view)),
            Test::Sequence(low, high) => constant((*low, *high).contains(&view.sequence)),
        }
    }

    /// All terms of spans count as rare as they are together.
    fn span(&self, span: &ReadySpan, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let frequency = span.frequency(view);
        if frequency <= 0.0 {
            return None;
        }
        let name = self.field.name.as_str();
        let rarities = self.scored_terms();
        let rarities = rarities.iter().map(|term| statistics.rarity(name, term));
        let rarity = rarities.reduce(|a, b| a + b).unwrap_or(1.0);
        let weighed = terms(view, &self.field).weighed;
        Some(self.boost * rarity * statistics.weight(name, frequency, weighed))
    }

    fn exists(&self, view: &View<'_>) -> bool {
        match self.field.kind {
            FieldKind::Binary => !view.raw(&self.field).is_empty(),
            FieldKind::Vector(_) => {
                self.field.nested.as_deref() == view.scope && !view.vectors(&self.field).is_empty()
            }
            // A text is there although it has no terms.
            _ => !view.terms(&self.field).is_empty(),
        }
    }

    fn nearness(&self, view: &View<'_>, point: Option<Point>, nanos: i64, pivot: f64) -> Option<f32> {
        let raw = view.raw(&self.field);
        match point {
            Some(origin) => {
                let points = Point::all(&raw).into_iter();
                self.worth(points.map(|point| point.distance(origin)), pivot)
            }
            None => {
                let times = raw.into_iter();
                let times = times.filter_map(|value| mapping::fields::nanos(&self.field, value));
                self.worth(times.map(|found| found.abs_diff(nanos) as f64), pivot)
            }
        }
    }

    /// What the nearest of several values is worth, half at the pivot; `None` if there is none.
    fn worth(&self, distances: impl Iterator<Item = f64>, pivot: f64) -> Option<f32> {
        let nearest = distances.reduce(f64::min)?;
        Some(self.boost * (pivot / (pivot + nearest)) as f32)
    }

    /// How much of a text a term is; `None` if it is not there.
    fn weight(&self, wanted: &str, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let found = terms(view, &self.field);
        let frequency = found.terms.iter().filter(|(text, _)| text == wanted).count();
        (frequency > 0).then(|| statistics.weight(&self.field.name, frequency as f32, found.weighed))
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
            | Test::Spans(_)
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
        if let Some(phrase) = self.phrase(&Statistics::default()) {
            return phrase.found(terms);
        }
        let all = terms.iter().enumerate();
        all.filter(|(_, (text, _))| self.test.asks_term(text))
            .map(|(at, _)| at)
            .collect()
    }

    /// The phrase that it asks for, if it asks for one.
    fn phrase<'l>(&'l self, statistics: &'l Statistics) -> Option<WantedPhrase<'l>> {
        match &self.test {
            Test::Phrase {
                terms,
                slop,
                beginnings,
            } => Some(WantedPhrase {
                places: terms,
                slop: *slop,
                beginnings,
                field: &self.field.name,
                statistics,
            }),
            _ => None,
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
            Test::Spans(span) => {
                let mut terms = Vec::new();
                span.terms(&self.field.name, &mut terms);
                terms.sort_unstable();
                terms.dedup();
                terms
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
