//! What an index holds of a document.

use super::ASKED;
use super::layout::{Layout, is_held, keyed_name};
use fulltext::{DocumentEntry, Key, Number, TextTerms};
use mapping::fields::{Term, View, text_at};
use mapping::flattened::Flattened;
use mapping::{Field, FieldKind, Mapping};
use querying::terms;
use std::borrow::Cow;
use std::collections::BTreeSet;
use value::DocumentBuf;

/// Places of terms beyond which an index does not count.
const PLACE_MAX: i64 = 1 << 30;

impl Layout {
    /// What the index holds of a document: its key, the number of its record, that of its last change.
    pub fn entry(
        &self,
        mapping: &Mapping,
        key: Vec<u8>,
        number: u64,
        sequence: u64,
        document: &DocumentBuf,
    ) -> DocumentEntry {
        let view = View::of_document(mapping, document.as_ref());
        let mut entry = DocumentEntry::new(key, number, sequence);
        let mut is_whole = true;
        for (name, field) in mapping.fields().filter(|(_, field)| is_held(field)) {
            if let Some(key) = self.key(name) {
                is_whole &= match &field.nested {
                    None if self.time() == Some(name) => {
                        let times = view.terms(field);
                        if let Some(time) = times.iter().filter_map(Term::as_time).max() {
                            entry.set_time(time);
                        }
                        add_values(&mut entry, key, &times);
                        true
                    }
                    None => {
                        let keyed = self.key(&keyed_name(name)).filter(|_| field.flattened.is_some());
                        let is_keyed = keyed.is_none_or(|key| add_keyed(&mut entry, key, field, &view));
                        add(&mut entry, key, field, &view) && is_keyed
                    }
                    Some(path) => add_nested(&mut entry, key, field, &view.nested(path)),
                };
            }
        }
        if !is_whole {
            entry.add_present(ASKED);
        }
        entry
    }
}

/// Adds the values of a field; false where not all of them could be said.
fn add(entry: &mut DocumentEntry, key: Key, field: &Field, view: &View<'_>) -> bool {
    match &field.kind {
        FieldKind::Text if is_plain(field) => add_plain(entry, key, field, view),
        FieldKind::Text => {
            let mut found = terms(view, field).terms;
            if !view.terms(field).is_empty() {
                entry.add_present(key);
            }
            found.sort_by_key(|(_, place)| *place);
            let fits = found.iter().all(|(_, place)| (0..PLACE_MAX).contains(place));
            let mut terms = TextTerms::new(found.iter().map(|(text, _)| text.len()).sum());
            for (text, place) in &found {
                terms.push(text, (*place).clamp(0, PLACE_MAX) as u32);
            }
            entry.add_text(key, terms) && fits
        }
        FieldKind::Keyword => {
            let found = terms(view, field).terms;
            if !found.is_empty() {
                entry.add_present(key);
            }
            let fits = entry.add_words(key, found.iter().map(|(text, _)| text.as_str()));
            if !field.doc_values {
                entry.add_count(key, found.len() as u64);
            } else if fits {
                entry.add_strings(key, found.into_iter().map(|(text, _)| text).collect());
            }
            fits
        }
        FieldKind::Binary => {
            if !view.raw(field).is_empty() {
                entry.add_present(key);
            }
            true
        }
        FieldKind::Vector(_) => {
            if !view.vectors(field).is_empty() {
                entry.add_present(key);
            }
            true
        }
        FieldKind::Range(_) | FieldKind::Completion => {
            if !view.raw(field).is_empty() || !view.terms(field).is_empty() {
                entry.add_present(key);
            }
            true
        }
        FieldKind::Point | FieldKind::Ip => {
            if !view.terms(field).is_empty() {
                entry.add_present(key);
            }
            true
        }
        _ => {
            add_values(entry, key, &view.terms(field));
            true
        }
    }
}

/// Adds what an object that is a field holds with the keys; false where not all of it could be said.
fn add_keyed(entry: &mut DocumentEntry, key: Key, field: &Field, view: &View<'_>) -> bool {
    let keyed = view.held(field).into_iter().filter_map(|(key, term)| match term {
        Term::Text(text) => Some(Flattened::keyed(&key, &text)),
        _ => None,
    });
    let words: BTreeSet<String> = keyed.collect();
    entry.add_words(key, words.iter().map(String::as_str))
}

/// Whether the terms of a field are those of the texts that lie at its place, cut as texts usually are.
fn is_plain(field: &Field) -> bool {
    field.analyzer.is_plain() && field.null_value.is_none()
}

/// Adds the terms of such a field without a copy of its texts; false where not all of them could be said.
fn add_plain(entry: &mut DocumentEntry, key: Key, field: &Field, view: &View<'_>) -> bool {
    let values = view.raw(field);
    let texts: Vec<Cow<'_, str>> = values.into_iter().filter_map(text_at).collect();
    if !texts.is_empty() {
        entry.add_present(key);
    }
    let mut terms = TextTerms::new(texts.iter().map(|text| text.len()).sum());
    let (mut begin, mut fits) = (0, true);
    for text in &texts {
        let mut end = begin;
        field.analyzer.each_term(text, &mut |term, place| {
            let place = begin + i64::from(place);
            fits &= place < PLACE_MAX;
            terms.push(term, place.min(PLACE_MAX) as u32);
            end = place + 1;
        });
        begin = end + i64::from(field.analyzer.gap);
    }
    entry.add_text(key, terms) && fits
}

/// Adds values that are numbers.
fn add_values(entry: &mut DocumentEntry, key: Key, found: &[Term]) {
    if !found.is_empty() {
        entry.add_present(key);
    }
    entry.add_numbers(key, found.iter().filter_map(number).collect());
}

/// Adds the terms of a field of nested objects, which are all one here: a lookup finds more than the query.
fn add_nested(entry: &mut DocumentEntry, key: Key, field: &Field, objects: &[View<'_>]) -> bool {
    let is_there = |view: &View<'_>| !view.raw(field).is_empty() || !view.terms(field).is_empty();
    if objects.iter().any(is_there) {
        entry.add_present(key);
    }
    if !field.is_textual() {
        return true;
    }
    let mut found = Vec::new();
    for view in objects {
        found.extend(terms(view, field).terms.into_iter().map(|(text, _)| text));
    }
    found.sort_unstable();
    found.dedup();
    entry.add_words(key, found.iter().map(String::as_str))
}

/// The first bit of a number.
const FIRST_BIT: u64 = 1 << 63;

/// The number without a sign that a column has as this one.
pub(crate) fn unsigned(number: i64) -> u64 {
    number.cast_unsigned() ^ FIRST_BIT
}

/// A value of a column; `None` for those that have none.
pub(super) fn number(term: &Term) -> Option<Number> {
    Some(match term {
        Term::Integer(number) | Term::Date(number) => Number::Integer(*number),
        // With the first bit turned over, numbers with a sign have the order of those without.
        Term::Unsigned(number) => Number::Integer((*number ^ FIRST_BIT).cast_signed()),
        Term::Float(number) => Number::Float(*number),
        Term::Boolean(flag) => Number::Integer(i64::from(*flag)),
        Term::Text(_) | Term::Ip(_) | Term::Point(_) | Term::Interval(_) => return None,
    })
}
