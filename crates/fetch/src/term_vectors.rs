//! The terms of a document by field, with where they stand.

use mapping::analysis::{Analyzer, Token};
use mapping::fields::{Term, View, simple_match};
use mapping::{Field, Mapping};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use value::DocumentRef;

/// What is wanted of the terms of a document.
#[derive(Clone, Debug)]
pub struct TermVectors {
    /// Names of fields; those that keep their terms where there are none.
    pub fields: Option<Vec<String>>,
    /// How the texts of fields are cut, where not as the mapping says.
    pub analyzers: HashMap<String, Analyzer>,
    /// Whether the document comes with the request, so that fields need keep nothing.
    pub is_given: bool,
    /// Where terms begin and end.
    pub offsets: bool,
    /// Their places.
    pub positions: bool,
    /// How many documents have the field, and how many terms.
    pub field_statistics: bool,
    /// How many documents have a term, and how often.
    pub term_statistics: bool,
    /// Which terms are shown, where that is not all of them.
    pub filter: Option<TermFilter>,
}

/// Which terms of a field are shown: the best of those within bounds.
#[derive(Clone, Debug)]
pub struct TermFilter {
    /// How many.
    pub terms_max: usize,
    /// How often they are in the document.
    pub times: (u64, u64),
    /// How many documents have them.
    pub documents: (u64, u64),
    /// Their characters.
    pub chars: (u64, u64),
}

/// How often the terms of one document are in all documents, by field.
#[derive(Debug, Default)]
pub struct TermCounts(HashMap<String, FieldCounts>);

#[derive(Debug, Default)]
struct FieldCounts {
    documents: u64,
    /// Documents summed over terms.
    terms: u64,
    /// Occurrences.
    times: u64,
    /// By term: documents, occurrences.
    of_terms: HashMap<String, (u64, u64)>,
}

/// A term with its place, and where it begins and ends.
struct Placed {
    text: String,
    position: u64,
    start: usize,
    end: usize,
}

impl Default for TermFilter {
    fn default() -> TermFilter {
        TermFilter {
            terms_max: 25,
            times: (1, u64::MAX),
            documents: (1, u64::MAX),
            chars: (0, u64::MAX),
        }
    }
}

impl TermFilter {
    /// How much a term counts; `None` where it is not shown.
    fn score(&self, term: &str, times: u64, having: u64, documents: u64) -> Option<f32> {
        let within = |(least, most): (u64, u64), number: u64| (least..=most).contains(&number);
        let is_fine = within(self.chars, term.chars().count() as u64)
            && within(self.times, times)
            && within(self.documents, having);
        let rarity = ((documents as f64 + 1.0) / (having as f64 + 1.0)).ln() + 1.0;
        (is_fine && having > 0).then_some((times as f64 * rarity) as f32)
    }
}

impl TermVectors {
    /// Whether all documents must be counted.
    pub fn needs_counts(&self) -> bool {
        self.field_statistics || self.term_statistics || self.filter.is_some()
    }

    fn is_wanted(&self, name: &str, field: &Field) -> bool {
        field.is_textual()
            && match &self.fields {
                Some(names) => names.iter().any(|wanted| simple_match(wanted, name)),
                None => field.keeps_terms || (self.is_given && !field.is_keyword()),
            }
    }

    fn placed(&self, view: &View<'_>, field: &Field, analyzer: &Analyzer) -> Vec<Placed> {
        let mut found = Vec::new();
        let (mut place, mut offset) = (0, 0);
        for term in view.terms(field) {
            let Term::Text(text) = term else { continue };
            let tokens = analyzer.tokens(&text);
            let places = tokens.last().map_or(0, |token| u64::from(token.position) + 1);
            found.extend(tokens.into_iter().map(
                |Token {
                     text,
                     start,
                     end,
                     position,
                     ..
                 }| Placed {
                    text,
                    position: place + u64::from(position),
                    start: offset + start,
                    end: offset + end,
                },
            ));
            place += places + u64::from(analyzer.gap);
            offset += text.chars().count() + 1;
        }
        found
    }

    fn tokens(
        &self,
        mapping: &Mapping,
        document: DocumentRef<'_>,
        analyzers: &HashMap<String, Analyzer>,
    ) -> Vec<(String, Vec<Placed>)> {
        let view = View::of_document(mapping, document);
        let wanted = mapping
            .fields()
            .filter(|(name, field)| self.is_wanted(name, field));
        let found = wanted.map(|(name, field)| {
            let analyzer = analyzers.get(name).unwrap_or(&field.analyzer);
            (name.to_owned(), self.placed(&view, field, analyzer))
        });
        found.filter(|(_, tokens)| !tokens.is_empty()).collect()
    }

    /// What is counted for a document: nothing of terms that it does not have.
    pub fn counts(&self, mapping: &Mapping, document: DocumentRef<'_>) -> TermCounts {
        let counts_terms = self.term_statistics || self.filter.is_some();
        let fields = self.tokens(mapping, document, &self.analyzers).into_iter();
        let counts = fields.map(|(field, tokens)| {
            let terms = tokens.into_iter().filter(|_| counts_terms);
            let counts = FieldCounts {
                of_terms: terms.map(|token| (token.text, (0, 0))).collect(),
                ..FieldCounts::default()
            };
            (field, counts)
        });
        TermCounts(counts.collect())
    }

    /// Counts a document of the index, which is cut as the mapping says.
    pub fn count(&self, mapping: &Mapping, document: DocumentRef<'_>, counts: &mut TermCounts) {
        for (field, tokens) in self.tokens(mapping, document, &HashMap::new()) {
            let Some(counts) = counts.0.get_mut(&field) else {
                continue;
            };
            let mut times: HashMap<&str, u64> = HashMap::new();
            for token in &tokens {
                *times.entry(&token.text).or_default() += 1;
            }
            counts.documents += 1;
            counts.terms += times.len() as u64;
            counts.times += tokens.len() as u64;
            for (term, times) in times {
                if let Some(entry) = counts.of_terms.get_mut(term) {
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
        let nothing = FieldCounts::default();
        for (field, tokens) in self.tokens(mapping, document, &self.analyzers) {
            let counts = counts.0.get(&field).unwrap_or(&nothing);
            let mut by_term: BTreeMap<&str, Vec<&Placed>> = BTreeMap::new();
            for token in &tokens {
                by_term.entry(&token.text).or_default().push(token);
            }
            let scores = self.filter.as_ref().map(|filter| best(filter, &by_term, counts));
            let mut terms = Map::new();
            for (term, found) in by_term {
                let score = scores.as_ref().map(|scores| scores.get(term));
                if score == Some(None) {
                    continue;
                }
                let mut one = self.shown(term, &found, counts);
                if let Some(score) = score.flatten() {
                    // With the digits that it has, not those of the double next to it.
                    let score = serde_json::from_str(&format!("{score:?}")).unwrap_or_else(|_| json!(score));
                    one.insert("score".to_owned(), score);
                }
                terms.insert(term.to_owned(), Value::Object(one));
            }
            let mut shown = Map::new();
            if self.field_statistics {
                let statistics = json!({
                    "sum_doc_freq": counts.terms, "doc_count": counts.documents, "sum_ttf": counts.times,
                });
                shown.insert("field_statistics".to_owned(), statistics);
            }
            shown.insert("terms".to_owned(), Value::Object(terms));
            out.insert(field, Value::Object(shown));
        }
        out
    }

    /// A term of a document.
    fn shown(&self, term: &str, found: &[&Placed], counts: &FieldCounts) -> Map<String, Value> {
        let mut one = Map::new();
        let counted = counts.of_terms.get(term).filter(|(documents, _)| *documents > 0);
        if let Some((documents, times)) = counted.filter(|_| self.term_statistics) {
            one.insert("doc_freq".to_owned(), json!(documents));
            one.insert("ttf".to_owned(), json!(times));
        }
        one.insert("term_freq".to_owned(), json!(found.len()));
        if self.positions || self.offsets {
            let tokens = found.iter().map(|placed| {
                let mut token = Map::new();
                if self.positions {
                    token.insert("position".to_owned(), json!(placed.position));
                }
                if self.offsets {
                    token.insert("start_offset".to_owned(), json!(placed.start));
                    token.insert("end_offset".to_owned(), json!(placed.end));
                }
                Value::Object(token)
            });
            one.insert("tokens".to_owned(), tokens.collect());
        }
        one
    }
}

/// The best terms of a field, with how much they count.
fn best<'t>(
    filter: &TermFilter,
    terms: &BTreeMap<&'t str, Vec<&Placed>>,
    counts: &FieldCounts,
) -> HashMap<&'t str, f32> {
    let mut scores: Vec<(&str, f32)> = terms
        .iter()
        .filter_map(|(term, found)| {
            let having = counts.of_terms.get(*term).map_or(0, |(having, _)| *having);
            let score = filter.score(term, found.len() as u64, having, counts.documents)?;
            Some((*term, score))
        })
        .collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    scores.truncate(filter.terms_max);
    scores.into_iter().collect()
}
