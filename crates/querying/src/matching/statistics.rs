//! What scores need to know of a whole collection: how many documents have a field and a term, how long texts are.

use super::clauses::SEARCH_CLAUSES_MAX;
use super::expansion::{Expanding, Expansion};
use crate::query::{TERMS_MAX, too_many_clauses};
use mapping::error::SearchError;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Statistics of the fields and terms that a query names.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// By field: documents that have it, and their terms.
    pub(super) fields: HashMap<String, (u64, u64)>,
    /// By field and term: the documents that have it.
    pub(super) terms: HashMap<(String, String), u64>,
    /// By field and name: the terms that stand for patterns.
    expansions: HashMap<String, HashMap<String, Expansion>>,
    /// How many those are together.
    expanded: usize,
    /// Whether all documents were counted that an index has.
    is_counted: bool,
    /// Why a score could not be made.
    failure: OnceLock<SearchError>,
}

/// How soon more of a term stops to matter.
const K1: f32 = 1.2;
/// How much the length of a text matters.
const B: f32 = 0.75;

impl Statistics {
    /// Adds the documents that have a field, and their terms together.
    pub fn add_field(&mut self, field: &str, documents: u64, terms: u64) {
        let counts = self.fields.entry(field.to_owned()).or_default();
        counts.0 += documents;
        counts.1 += terms;
    }

    /// Adds the documents that have a term.
    pub fn add_term(&mut self, field: &str, term: &str, documents: u64) {
        *self.terms.entry((field.to_owned(), term.to_owned())).or_default() += documents;
    }

    /// Remembers why a score could not be made; the first one counts.
    pub(super) fn fail(&self, error: SearchError) {
        self.failure.get_or_init(|| error);
    }

    /// Why a score could not be made, if one could not.
    pub fn failure(&self) -> Option<&SearchError> {
        self.failure.get()
    }

    /// Terms will be counted that stand for a pattern.
    pub fn expect(&mut self, field: &str, expanding: &Expanding) {
        let of_field = self.expansions.entry(field.to_owned()).or_default();
        of_field.entry(expanding.name.clone()).or_default();
    }

    /// Adds the documents that have a term of a pattern.
    pub fn expand(&mut self, field: &str, expanding: &Expanding, term: &str, nearness: f32, documents: u64) {
        let of_field = self.expansions.get_mut(field);
        let Some(expansion) = of_field.and_then(|of_field| of_field.get_mut(&expanding.name)) else {
            return;
        };
        self.expanded += usize::from(expansion.add(term, nearness, documents, expanding.most));
        if expansion.len() > TERMS_MAX {
            self.fail(too_many_clauses(TERMS_MAX));
        }
        if self.expanded > SEARCH_CLAUSES_MAX {
            self.fail(too_many_clauses(SEARCH_CLAUSES_MAX));
        }
    }

    /// All documents were counted that an index has.
    pub fn set_counted(&mut self) {
        self.is_counted = true;
    }

    /// Whether all documents were counted that an index has.
    pub fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// The terms that stand for a pattern; `None` where none were counted.
    pub fn expansion(&self, field: &str, expanding: &Expanding) -> Option<&Expansion> {
        self.expansions.get(field)?.get(&expanding.name)
    }

    /// How rare a term is.
    pub fn rarity(&self, field: &str, term: &str) -> f32 {
        let key = (field.to_owned(), term.to_owned());
        self.rarity_of(field, self.terms.get(&key).copied().unwrap_or(1))
    }

    /// How many documents have a term.
    pub(super) fn having(&self, field: &str, term: &str) -> u64 {
        let key = (field.to_owned(), term.to_owned());
        self.terms.get(&key).copied().unwrap_or(0)
    }

    /// The terms of all documents in a field.
    pub(super) fn length(&self, field: &str) -> u64 {
        self.fields.get(field).map_or(0, |(_, terms)| *terms)
    }

    /// The rarity (IDF) of a term that `having` documents have.
    pub fn rarity_of(&self, field: &str, having: u64) -> f32 {
        let documents = self
            .fields
            .get(field)
            .map_or(1, |(documents, _)| *documents)
            .max(1) as f32;
        let having = (having as f32).min(documents);
        (1.0 + (documents - having + 0.5) / (having + 0.5)).ln()
    }

    /// How much of a text a term is, by how often it stands there and how long the text is.
    pub(super) fn weight(&self, field: &str, frequency: f32, length: u64) -> f32 {
        self.weighing(field).weight(frequency, length)
    }

    /// How terms of a field are weighed.
    pub fn weighing(&self, field: &str) -> Weighing {
        let average = match self.fields.get(field) {
            Some((documents, terms)) if *documents > 0 && *terms > 0 => {
                Some(*terms as f32 / *documents as f32)
            }
            _ => None,
        };
        Weighing { average }
    }
}

/// How terms of a field are weighed.
#[derive(Clone, Copy, Debug)]
pub struct Weighing {
    /// How long its texts are; `None` where nobody knows.
    average: Option<f32>,
}

impl Weighing {
    /// How much of a text a term is.
    pub fn weight(self, frequency: f32, length: u64) -> f32 {
        let norm = match self.average {
            Some(average) => 1.0 - B + B * length as f32 / average,
            None => 1.0,
        };
        (K1 + 1.0) * frequency / (frequency + K1 * norm)
    }
}
