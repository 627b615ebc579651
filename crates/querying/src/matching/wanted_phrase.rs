//! A phrase that is asked of a field: at each place one of several words, at the last perhaps the beginning of one.

use super::expansion::Expanding;
use super::phrase::{self, PhraseTerm};
use super::statistics::Statistics;
use std::sync::Arc;

/// A phrase that is wanted in a field.
pub(super) struct WantedPhrase<'w> {
    pub(super) places: &'w [(u32, Vec<String>)],
    /// How far from their places its words may be together.
    pub(super) slop: u32,
    /// Of what the terms at the last place may be the beginnings, where they may be.
    pub(super) beginnings: &'w [Arc<Expanding>],
    pub(super) field: &'w str,
    pub(super) statistics: &'w Statistics,
}

impl WantedPhrase<'_> {
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
    pub(super) fn rarity(&self) -> f32 {
        let words = (0..self.places.len()).flat_map(|at| self.words(at));
        let words: f32 = words.map(|word| self.statistics.rarity(self.field, word)).sum();
        let begun = self.beginnings.iter();
        words
            + begun
                .map(|one| one.rarity(self.field, self.statistics))
                .sum::<f32>()
    }

    /// How often it is in a text of these terms; what is looser counts less.
    pub(super) fn frequency(&self, terms: &[(String, i64)]) -> f32 {
        match is_too_short(terms, self.places, self.slop) {
            true => 0.0,
            false => phrase::frequency(&self.phrase_terms(terms), self.slop),
        }
    }

    /// Where its terms stand among those of a text.
    fn phrase_terms(&self, terms: &[(String, i64)]) -> Vec<PhraseTerm> {
        let places = self.places;
        let has_word_of =
            |at: usize, other: usize| self.words(at).iter().any(|word| self.is_one(word, other));
        (0..places.len())
            .map(|at| {
                let offset = i64::from(places[at].0);
                let there = terms.iter().filter(|(text, _)| self.is_one(text, at));
                let mut found: Vec<i64> = there.map(|(_, position)| position - offset).collect();
                found.sort_unstable();
                found.dedup();
                let shares = |other: usize| has_word_of(at, other) || has_word_of(other, at);
                // In its own place each is another word anyway.
                let first = (0..places.len()).find(|other| self.slop > 0 && *other != at && shares(*other));
                PhraseTerm {
                    offset,
                    places: found,
                    // Those that share a word are of the group of the first of them.
                    group: first.map(|first| first.min(at)),
                }
            })
            .collect()
    }

    /// Which of the terms of a text stand in it.
    pub(super) fn found(&self, terms: &[(String, i64)]) -> Vec<usize> {
        let places = self.places;
        // Where the words of each place stand: by their positions, and which terms they are.
        let mut there: Vec<Vec<(i64, usize)>> = Vec::with_capacity(places.len());
        for at in 0..places.len() {
            let found = terms
                .iter()
                .enumerate()
                .filter(|(_, (text, _))| self.is_one(text, at));
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
                    Some((position, one)) if position.abs_diff(due) <= u64::from(self.slop) => {
                        whole.push(*one);
                    }
                    _ => break,
                }
            }
            if whole.len() == places.len() {
                found.extend(whole);
            }
        }
        found
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
