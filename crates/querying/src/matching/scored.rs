//! What is counted of all documents before any is scored.

use super::Node;
use super::expansion::Expanding;
use super::leaf::Leaf;
use super::statistics::Statistics;
use super::test::{Terms, terms};
use mapping::Field;
use mapping::fields::{Term, View};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What is counted before documents are scored, by field.
#[derive(Debug, Default)]
pub struct Scored(BTreeMap<String, Counted>);

/// What is counted of a field.
#[derive(Debug)]
pub struct Counted {
    /// The field.
    pub field: Arc<Field>,
    /// Whether scores need to know how many documents have it, and how long its texts are.
    pub(super) is_scored: bool,
    /// The terms whose frequencies scores need.
    pub terms: HashSet<String>,
    /// The patterns for which terms are to stand.
    pub expanding: Vec<Arc<Expanding>>,
}

impl Scored {
    /// Whether scores need nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is counted of each field.
    pub fn fields(&self) -> impl Iterator<Item = &Counted> {
        self.0.values()
    }

    /// Adds the terms and the patterns of a test, if its score needs to know how frequent they are.
    pub(super) fn add(&mut self, leaf: &Leaf) {
        let terms = leaf.scored_terms();
        if terms.is_empty() && leaf.expanding().is_empty() {
            return;
        }
        let counted = self.entry(&leaf.field);
        counted.is_scored = true;
        counted.terms.extend(terms.into_iter().map(str::to_owned));
    }

    fn entry(&mut self, field: &Arc<Field>) -> &mut Counted {
        let entry = self.0.entry(field.name.clone());
        entry.or_insert_with(|| Counted {
            field: field.clone(),
            is_scored: false,
            terms: HashSet::new(),
            expanding: Vec::new(),
        })
    }

    /// Adds the patterns of a query, which filters look for as well.
    pub fn expand(&mut self, node: &Node, statistics: &mut Statistics) {
        let mut leaves = Vec::new();
        node.all_leaves(&mut leaves);
        for leaf in leaves {
            for expanding in leaf.expanding() {
                if statistics.expansion(&leaf.field.name, expanding).is_none() {
                    statistics.expect(&leaf.field.name, expanding);
                    self.entry(&leaf.field).expanding.push(expanding.clone());
                }
            }
        }
    }

    /// Counts a document: of each field how many have it, how long its texts are, and which of the terms are there.
    pub fn count(&self, view: &View<'_>, statistics: &mut Statistics) {
        self.0
            .values()
            .for_each(|counted| counted.count(view, statistics));
    }
}

impl Counted {
    /// Counts a document. What is nested in it counts by itself, as Lucene has it in documents of its own; beside an index, which
    /// knows what is nested in a document and not where, the document as a whole does.
    fn count<'v>(&'v self, view: &View<'v>, statistics: &mut Statistics) {
        let field = &self.field;
        let mut found = Vec::new();
        if field.nested.is_none() || field.in_root {
            found.push(self.found(view));
        }
        if let Some(path) = &field.nested {
            let nested = view.nested(path);
            found.extend(nested.iter().map(|nested| self.found(nested)));
        }
        if field.nested.is_some() && statistics.is_counted() {
            let is_there = found.iter().any(|(_, length)| length.is_some());
            let all = found.into_iter().map(|(terms, _)| terms).collect();
            found = vec![(Terms::together(all), is_there.then_some(0))];
        }
        for (terms, length) in found {
            if let Some(length) = length.filter(|_| self.is_scored) {
                statistics.add_field(&field.name, 1, length);
            }
            self.count_terms(&terms, statistics);
        }
    }

    /// The terms of the field in a document, and how many it has, if any.
    fn found(&self, view: &View<'_>) -> (Terms, Option<u64>) {
        let found = terms(view, &self.field);
        let length = match self.field.is_keyed() {
            true => held(view, &self.field),
            false => (!found.terms.is_empty()).then_some(found.length),
        };
        (found, length)
    }

    fn count_terms(&self, found: &Terms, statistics: &mut Statistics) {
        let name = &self.field.name;
        let there: HashSet<&str> = found.terms.iter().map(|(text, _)| text.as_str()).collect();
        for term in self.terms.iter().filter(|term| there.contains(term.as_str())) {
            statistics.add_term(name, term, 1);
        }
        for expanding in &self.expanding {
            for term in &there {
                if let Some(nearness) = expanding.pattern.nearness(term) {
                    statistics.expand(name, expanding, term, nearness, 1);
                }
            }
        }
    }
}

/// How many values the object holds that a key is of, each with its key; `None` if none. As Lucene has it, all keys are one field.
fn held(view: &View<'_>, field: &Field) -> Option<u64> {
    let whole = view.mapping.field(&field.path)?;
    let held = view.held(&whole).into_iter();
    let held: HashSet<(String, String)> = held
        .filter_map(|(key, term)| match term {
            Term::Text(text) => Some((key, text)),
            _ => None,
        })
        .collect();
    (!held.is_empty()).then_some(held.len() as u64)
}
