//! Where in a text stands what a query looks for.

use super::Value;
use super::marks::Marked;
use super::text::Text;
use mapping::error::Result;
use mapping::{Field, Mapping};
use querying::Query;
use querying::{Clauses, Leaf, Node, Test, compile};
use std::collections::HashMap;

/// What a query looks for in fields.
#[derive(Debug)]
pub(super) struct Wanted(Node);

/// Where something stands, in characters, and the term that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TermPlace {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) term: String,
}

impl TermPlace {
    pub(super) fn marked(&self) -> Marked {
        Marked {
            start: self.start,
            end: self.end,
            number: 0,
        }
    }
}

/// A term or a phrase as a whole: its words, those next to each other as one.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) words: Vec<Marked>,
}

impl Run {
    pub(super) fn start(&self) -> usize {
        self.words.first().map_or(0, |word| word.start)
    }

    pub(super) fn end(&self) -> usize {
        self.words.last().map_or(0, |word| word.end)
    }
}

impl Wanted {
    pub(super) fn of(query: &Query, mapping: &Mapping, now_ms: i64) -> Result<Wanted> {
        Ok(Wanted(compile(query, mapping, now_ms, &Clauses::default())?))
    }

    /// What is looked for in this field, or in any one.
    fn leaves(&self, field: &Field, matches_field: bool) -> Vec<&Leaf> {
        let mut leaves: Vec<&Leaf> = Vec::new();
        self.0.leaves(&mut leaves);
        leaves.retain(|leaf| !matches_field || leaf.is_of(field));
        leaves
    }

    /// A value of a field, with where things stand in it; with `matches_field` only what is looked for in this field counts.
    pub(super) fn value<'t>(&self, field: &Field, text: &'t str, matches_field: bool) -> Value<'t> {
        let leaves = self.leaves(field, matches_field);
        let tokens = terms_of(field, text);
        let terms = placed(&tokens);
        let mut places: Vec<TermPlace> = Vec::new();
        let mut phrases = HashMap::new();
        for leaf in leaves {
            let found = leaf.found(&terms);
            for at in &found {
                if let Some(token) = tokens.get(*at) {
                    places.push(TermPlace {
                        start: token.start,
                        end: token.end,
                        term: token.text.clone(),
                    });
                }
            }
            for phrase in phrase_length(leaf)
                .into_iter()
                .flat_map(|length| found.chunks(length))
            {
                if let [first, .., last] = phrase {
                    phrases.insert(*first, *last);
                }
            }
        }
        places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
        places.dedup_by(|next, before| next.end <= before.end);
        Value {
            text: Text::new(text),
            tokens: tokens.iter().map(|token| (token.start, token.end)).collect(),
            places,
            phrases,
        }
    }

    /// The terms and phrases in a text, in order; none begins within another.
    pub(super) fn runs(&self, fields: &[&Field], text: &str, matches_field: bool) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut number = 0;
        for field in fields {
            let tokens = terms_of(field, text);
            let terms = placed(&tokens);
            for leaf in self.leaves(field, matches_field) {
                let found = leaf.found(&terms);
                let length = phrase_length(leaf).unwrap_or(1).max(1);
                let words = found.chunks(length).map(|phrase| words(&tokens, phrase, number));
                runs.extend(words.filter(|words| !words.is_empty()).map(|words| Run { words }));
                number += 1;
            }
        }
        runs.sort_by_key(|run| (run.start(), run.end()));
        let mut end = 0;
        runs.retain(|run| {
            let is_apart = run.start() >= end;
            end = if is_apart { run.end() } else { end };
            is_apart
        });
        runs
    }
}

/// How many terms a phrase has.
fn phrase_length(leaf: &Leaf) -> Option<usize> {
    match &leaf.test {
        Test::Phrase { terms, .. } if !terms.is_empty() => Some(terms.len()),
        _ => None,
    }
}

/// A term of a text, with where it stands.
struct Term {
    text: String,
    start: usize,
    end: usize,
    position: u32,
}

/// The terms of a text; a keyword is one.
fn terms_of(field: &Field, text: &str) -> Vec<Term> {
    if !field.is_keyword() {
        let tokens = field.analyzer.tokens(text).into_iter();
        let terms = tokens.map(|token| Term {
            text: token.text,
            start: token.start,
            end: token.end,
            position: token.position,
        });
        return terms.collect();
    }
    let normalizer = field.normalizer.as_ref();
    vec![Term {
        text: normalizer.map_or_else(|| text.to_owned(), |normalizer| normalizer.normalize(text)),
        start: 0,
        end: text.chars().count(),
        position: 0,
    }]
}

fn placed(terms: &[Term]) -> Vec<(String, i64)> {
    let placed = terms
        .iter()
        .map(|term| (term.text.clone(), i64::from(term.position)));
    placed.collect()
}

/// Where some terms stand; those that follow each other are marked together.
fn words(tokens: &[Term], terms: &[usize], number: usize) -> Vec<Marked> {
    let mut found: Vec<&Term> = terms.iter().filter_map(|at| tokens.get(*at)).collect();
    found.sort_by_key(|token| (token.start, token.end));
    let mut words: Vec<Marked> = Vec::new();
    let mut last_position = None;
    for token in found {
        let follows = last_position.is_some_and(|last: u32| token.position.wrapping_sub(last) <= 1);
        match words.last_mut().filter(|_| follows) {
            Some(word) => word.end = word.end.max(token.end),
            None => words.push(Marked {
                start: token.start,
                end: token.end,
                number,
            }),
        }
        last_position = Some(token.position);
    }
    words
}
