//! The terms that stand for a pattern: the best of those that there are, as Lucene rewrites fuzzy words and beginnings of words.
//!
//! They are found when documents are counted, before any is scored.

use super::TermPattern;
use super::statistics::Statistics;
use super::test::Terms;
use crate::query::{TERMS_MAX, Weigh};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A pattern for which terms are to stand.
#[derive(Debug)]
pub struct Expanding {
    /// The pattern of the terms.
    pub pattern: TermPattern,
    /// How many terms at most; with one more than a query may have, those are too many.
    pub most: usize,
    /// How the terms that it becomes are weighed.
    pub weigh: Weigh,
    /// What it is known by among others of the field.
    pub(super) name: String,
}

/// The terms that stand for a pattern.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The nearest first, and of those that are as near the first ones in their order.
    best: BTreeSet<(Reverse<u32>, String)>,
    /// How near each is to what was asked for, and how many documents have it.
    terms: HashMap<String, (f32, u64)>,
}

impl Expanding {
    pub(super) fn new(pattern: TermPattern, most: usize, weigh: Weigh) -> Expanding {
        Expanding {
            name: format!("{pattern:?} {most} {weigh:?}"),
            pattern,
            most,
            weigh,
        }
    }

    /// All terms of a pattern, which must not be too many.
    pub(super) fn all(pattern: TermPattern) -> Expanding {
        Expanding::new(pattern, TERMS_MAX + 1, Weigh::Each)
    }

    /// Whether a term is one of those that stand for the pattern.
    pub fn has(&self, field: &str, term: &str, statistics: &Statistics) -> bool {
        match statistics.expansion(field, self) {
            Some(expansion) => expansion.terms.contains_key(term),
            None => self.pattern.is_match(term),
        }
    }

    /// How rare the terms are together.
    pub(super) fn rarity(&self, field: &str, statistics: &Statistics) -> f32 {
        let expansion = statistics.expansion(field, self);
        let terms = expansion.iter().flat_map(|expansion| expansion.terms.values());
        terms
            .map(|(_, documents)| statistics.rarity_of(field, *documents))
            .sum()
    }

    /// The score of a document with these terms; `None` if none of them stands for the pattern.
    pub(super) fn score(&self, field: &str, found: &Terms, statistics: &Statistics) -> Option<f32> {
        let Some(expansion) = statistics.expansion(field, self) else {
            // Where nothing was counted, all terms of the pattern stand for it.
            let is_there = found.terms.iter().any(|(text, _)| self.pattern.is_match(text));
            return is_there.then_some(1.0);
        };
        let mut frequencies: BTreeMap<&str, f32> = BTreeMap::new();
        for (text, _) in &found.terms {
            if expansion.terms.contains_key(text) {
                *frequencies.entry(text).or_default() += 1.0;
            }
        }
        let weighing = statistics.weighing(field);
        let one = |(text, frequency): (&&str, &f32)| match self.weigh {
            Weigh::Nearness => expansion.nearness(text),
            _ => {
                let weight = weighing.weight(*frequency, found.weighed);
                self.factor(field, text, statistics) * weight
            }
        };
        (!frequencies.is_empty()).then(|| frequencies.iter().map(one).sum())
    }

    /// What a term is worth, but for its weight in a text.
    pub fn factor(&self, field: &str, term: &str, statistics: &Statistics) -> f32 {
        let Some(expansion) = statistics.expansion(field, self) else {
            return 0.0;
        };
        let Some((nearness, documents)) = expansion.terms.get(term) else {
            return 0.0;
        };
        nearness
            * match self.weigh {
                Weigh::Each => statistics.rarity_of(field, *documents),
                Weigh::Blended => statistics.rarity_of(field, expansion.documents_max()),
                Weigh::Nearness => 1.0,
            }
    }
}

impl Expansion {
    /// Adds documents that have a term; whether there is one term more.
    pub(super) fn add(&mut self, term: &str, nearness: f32, documents: u64, most: usize) -> bool {
        if let Some((_, having)) = self.terms.get_mut(term) {
            *having += documents;
            return false;
        }
        let count = self.len();
        self.best.insert((Reverse(nearness.to_bits()), term.to_owned()));
        self.terms.insert(term.to_owned(), (nearness, documents));
        // What is not among the best now will not be among them later.
        if self.best.len() > most
            && let Some((_, worst)) = self.best.pop_last()
        {
            self.terms.remove(&worst);
        }
        self.best.len() > count
    }

    /// How many terms there are.
    pub(super) fn len(&self) -> usize {
        self.best.len()
    }

    pub fn terms(&self) -> impl Iterator<Item = &String> {
        self.best.iter().map(|(_, term)| term)
    }

    pub fn nearness(&self, term: &str) -> f32 {
        self.terms.get(term).map_or(0.0, |(nearness, _)| *nearness)
    }

    fn documents_max(&self) -> u64 {
        let documents = self.terms.values().map(|(_, documents)| *documents);
        documents.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_terms_are_kept_whatever_order_they_come_in() {
        let terms = [
            ("d", 0.5),
            ("b", 0.8),
            ("a", 0.5),
            ("c", 0.8),
            ("e", 1.0),
            ("a", 0.5),
        ];
        for turn in 0..terms.len() {
            let mut expansion = Expansion::default();
            for at in 0..terms.len() {
                let (term, nearness) = terms[(at + turn) % terms.len()];
                expansion.add(term, nearness, 1, 4);
            }
            let kept: Vec<&str> = expansion.terms().map(String::as_str).collect();
            assert_eq!(kept, ["e", "b", "c", "a"]);
            assert_eq!(expansion.terms["a"], (0.5, 2));
        }
    }
}
