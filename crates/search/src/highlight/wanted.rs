//! Where in a text stands what a query looks for.

use crate::matching::{Clauses, Leaf, Node, compile};
use crate::query::Query;
use mapping::error::Result;
use mapping::{Field, Mapping};

/// What a query looks for in fields.
#[derive(Debug)]
pub(super) struct Wanted(Node);

/// Where something stands, in bytes, and the term that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) term: String,
}

impl Wanted {
    pub(super) fn of(query: &Query, mapping: &Mapping, now_ms: i64) -> Result<Wanted> {
        Ok(Wanted(compile(query, mapping, now_ms, &Clauses::default())?))
    }

    /// Where it stands, in order; with `matches_field` only what is looked for in this field counts.
    pub(super) fn places(&self, field: &Field, text: &str, matches_field: bool) -> Vec<Place> {
        let mut leaves: Vec<&Leaf> = Vec::new();
        self.0.leaves(&mut leaves);
        leaves.retain(|leaf| !matches_field || leaf.is_of(field));
        if leaves.is_empty() {
            return Vec::new();
        }
        if field.is_keyword() {
            let value = match &field.normalizer {
                Some(normalizer) => normalizer.normalize(text),
                None => text.to_owned(),
            };
            let is_found = leaves
                .iter()
                .any(|leaf| !leaf.found(&[(value.clone(), 0)]).is_empty());
            return is_found
                .then_some(Place {
                    start: 0,
                    end: text.len(),
                    term: value,
                })
                .into_iter()
                .collect();
        }
        let tokens = field.analyzer.tokens(text);
        // Offsets of tokens are counted in characters.
        let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let byte_at = |offset: usize| bytes.get(offset).copied().unwrap_or(text.len());
        let terms: Vec<(String, i64)> = tokens
            .iter()
            .map(|token| (token.text.clone(), i64::from(token.position)))
            .collect();
        let mut places: Vec<Place> = Vec::new();
        for leaf in leaves {
            for at in leaf.found(&terms) {
                if let Some(token) = tokens.get(at) {
                    let (start, end) = (byte_at(token.start), byte_at(token.end));
                    places.push(Place {
                        start,
                        end,
                        term: token.text.clone(),
                    });
                }
            }
        }
        places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
        places.dedup_by(|next, before| next.start < before.end);
        places
    }
}
