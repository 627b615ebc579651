//! The terms of a document by field, with where they stand.

use mapping::fields::{Term, View};
use mapping::{FieldKind, Mapping};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};
use value::DocumentRef;

/// What is wanted of the terms of a document.
#[derive(Clone, Debug)]
pub struct TermVectors {
    /// Names of fields; all texts where there are none.
    pub fields: Option<Vec<String>>,
    /// Where terms begin and end.
    pub offsets: bool,
    /// Their places.
    pub positions: bool,
    /// How many documents have the field, and how many terms.
    pub field_statistics: bool,
    /// How many documents have a term, and how often.
    pub term_statistics: bool,
}

/// How often terms are in all documents.
#[derive(Debug, Default)]
pub struct TermCounts {
    /// By field and term: documents, occurrences.
    terms: BTreeMap<(String, String), (u64, u64)>,
    /// By field: documents, documents summed over terms, occurrences.
    fields: BTreeMap<String, (u64, u64, u64)>,
}

/// A term with its place, and where it begins and ends.
type Placed = (String, u32, usize, usize);

impl TermVectors {
    fn tokens(&self, mapping: &Mapping, document: DocumentRef<'_>) -> Vec<(String, Vec<Placed>)> {
        let view = View::of_document(mapping, document);
        let mut found = Vec::new();
        for (name, field) in mapping.fields() {
            let is_wanted = match &self.fields {
                Some(names) => names
                    .iter()
                    .any(|wanted| mapping::fields::simple_match(wanted, name)),
                None => field.kind == FieldKind::Text,
            };
            if !is_wanted || !field.is_textual() {
                continue;
            }
            let mut tokens = Vec::new();
            let (mut place, mut offset) = (0, 0);
            for term in view.terms(field) {
                let Term::Text(text) = term else { continue };
                let analyzed = field.analyzer.tokens(&text);
                let last = analyzed.last().map_or(0, |token| token.position + 1);
                tokens.extend(analyzed.into_iter().map(|token| {
                    (
                        token.text,
                        place + token.position,
                        offset + token.start,
                        offset + token.end,
                    )
                }));
                place += last + field.analyzer.gap;
                offset += text.chars().count() + 1;
            }
            if !tokens.is_empty() {
                found.push((name.to_owned(), tokens));
            }
        }
        found
    }

    /// Counts a document.
    pub fn count(&self, mapping: &Mapping, document: DocumentRef<'_>, counts: &mut TermCounts) {
        for (field, tokens) in self.tokens(mapping, document) {
            let different: HashSet<&str> = tokens.iter().map(|(text, ..)| text.as_str()).collect();
            let of_field = counts.fields.entry(field.clone()).or_default();
            of_field.0 += 1;
            of_field.1 += different.len() as u64;
            of_field.2 += tokens.len() as u64;
            if self.term_statistics {
                for term in different {
                    let times = tokens.iter().filter(|(text, ..)| text == term).count() as u64;
                    let entry = counts.terms.entry((field.clone(), term.to_owned())).or_default();
                    entry.0 += 1;
                    entry.1 += times;
                }
            }
        }
    }

    /// The terms of a document.
    pub fn of(
        &self,
        mapping: &Mapping,
        document: DocumentRef<'_>,
        counts: &TermCounts,
    ) -> Map<String, Value> {
        let mut out = Map::new();
        for (field, tokens) in self.tokens(mapping, document) {
            let mut by_term: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
            for (text, position, start, end) in &tokens {
                let mut token = Map::new();
                if self.positions {
                    token.insert("position".to_owned(), json!(position));
                }
                if self.offsets {
                    token.insert("start_offset".to_owned(), json!(start));
                    token.insert("end_offset".to_owned(), json!(end));
                }
                by_term.entry(text).or_default().push(Value::Object(token));
            }
            let mut terms = Map::new();
            for (term, found) in by_term {
                let mut one = Map::new();
                if self.term_statistics {
                    let key = (field.clone(), term.to_owned());
                    let (documents, times) = counts.terms.get(&key).copied().unwrap_or_default();
                    one.insert("doc_freq".to_owned(), json!(documents));
                    one.insert("ttf".to_owned(), json!(times));
                }
                one.insert("term_freq".to_owned(), json!(found.len()));
                if self.positions || self.offsets {
                    one.insert("tokens".to_owned(), Value::Array(found));
                }
                terms.insert(term.to_owned(), Value::Object(one));
            }
            let mut shown = Map::new();
            if self.field_statistics {
                let (documents, sum, times) = counts.fields.get(&field).copied().unwrap_or_default();
                let statistics = json!({"sum_doc_freq": sum, "doc_count": documents, "sum_ttf": times});
                shown.insert("field_statistics".to_owned(), statistics);
            }
            shown.insert("terms".to_owned(), Value::Object(terms));
            out.insert(field, Value::Object(shown));
        }
        out
    }
}
