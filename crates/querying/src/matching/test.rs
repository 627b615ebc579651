//! Tests on the terms and the values of one field.

use super::blend::Blend;
use super::expansion::Expanding;
use super::intervals::Rule;
use super::nearest::Nearest;
use super::patterns::TermPattern;
use super::spans::ReadySpan;
use crate::query::GeoArea;
use mapping::fields::{Term, View};
use mapping::geo::Point;
use mapping::intervals::{Interval, Relation};
use mapping::{Field, FieldKind};
use std::collections::HashSet;
use std::net::Ipv6Addr;
use std::ops::Bound;
use std::sync::Arc;

/// What must be true of a field.
#[derive(Debug)]
#[allow(missing_docs, reason = "the variants say what their members are")]
pub enum Test {
    /// It has this term.
    Term(String),
    /// It has this term, which is as rare as in other fields: one of those.
    Blended {
        term: String,
        blend: Arc<Blend>,
        at: usize,
    },
    /// It has one of these terms.
    AnyTerm(HashSet<String>),
    /// It has a term of this pattern.
    Pattern(TermPattern),
    /// It has one of the terms that stand for a pattern.
    Expanded(Arc<Expanding>),
    /// It has these terms, each at its place one of several; at the last place, terms that stand for the beginnings of some.
    Phrase {
        terms: Vec<(u32, Vec<String>)>,
        slop: u32,
        beginnings: Vec<Arc<Expanding>>,
    },
    /// It has one of these values.
    Values(Vec<Term>),
    /// It has a value in a range.
    Range(Bound<Term>, Bound<Term>),
    /// It has a range that lies so to this one.
    Interval(Interval, Relation),
    /// It has an address in a network: the address and how many bits of it count.
    Network(Ipv6Addr, u32),
    /// It has a point this many metres from another at most.
    Near(Point, f64),
    /// It has a value, which is worth the more the nearer it is to a point, or to a time; half at the pivot.
    Nearness {
        point: Option<Point>,
        nanos: i64,
        pivot: f64,
    },
    /// It has a number or a time, which is worth the more the nearer it is to the first; half at the second.
    Distance(f64, f64),
    /// It has a point in a part of the earth.
    Within(GeoArea),
    /// It has a vector, which is worth the more the nearer it is to another.
    Nearest(Box<Nearest>),
    /// Its terms stand as a rule says.
    Intervals(Box<Rule>),
    /// Its terms stand as spans say.
    Spans(Box<ReadySpan>),
    /// It has any value.
    Exists,
    /// The number of its last change is in a range.
    Sequence(Bound<u64>, Bound<u64>),
}

impl Test {
    /// Whether a term of a text is one that it asks for; a phrase is not asked term by term.
    pub(super) fn asks_term(&self, text: &str) -> bool {
        match self {
            Test::Term(wanted) | Test::Blended { term: wanted, .. } => text == wanted,
            Test::AnyTerm(wanted) => wanted.contains(text),
            Test::Pattern(pattern) => pattern.is_match(text),
            Test::Expanded(expanding) => expanding.pattern.is_match(text),
            Test::Intervals(rule) => rule.asks(text),
            Test::Spans(span) => span.asks(text),
            _ => false,
        }
    }

    /// Whether a value is one that it asks for, where it asks for single values.
    pub(super) fn asks_value(&self, value: &Term) -> bool {
        match (self, value) {
            (Test::Values(wanted), _) => wanted.iter().any(|wanted| wanted.compare(value).is_eq()),
            (Test::Range(low, high), _) => is_above(value, low) && is_below(value, high),
            (Test::Interval(wanted, relation), Term::Interval(found)) => found.lies(*relation, wanted),
            (Test::Network(address, bits), Term::Ip(ip)) => {
                let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
                ip.to_bits() & mask == address.to_bits() & mask
            }
            (Test::Near(from, metres), Term::Point(point)) => point.distance(*from) <= *metres,
            (Test::Within(area), Term::Point(point)) => area.has(*point),
            _ => false,
        }
    }
}

/// The terms of a field in a document, with their places.
pub struct Terms {
    pub terms: Vec<(String, i64)>,
    /// How many there are; of keywords, different ones.
    pub(super) length: u64,
    /// The length by which they are weighed: without norms each text is as one of a single term.
    pub(super) weighed: u64,
}

impl Terms {
    /// Those of one text, or of the keywords of a document.
    fn of(terms: Vec<(String, i64)>, field: &Field) -> Terms {
        let length = terms.len() as u64;
        Terms {
            length,
            weighed: if field.has_norms { length } else { 1 },
            terms,
        }
    }

    /// Those of several texts, whose lengths do not matter.
    pub(super) fn together(several: Vec<Terms>) -> Terms {
        let terms = several.into_iter().flat_map(|found| found.terms);
        Terms {
            terms: terms.collect(),
            length: 0,
            weighed: 0,
        }
    }
}

/// The terms of a field in a document.
pub fn terms(view: &View<'_>, field: &Field) -> Terms {
    let values = view.terms(field).into_iter().filter_map(|term| match term {
        Term::Text(text) => Some(text),
        Term::Boolean(flag) => Some(flag_term(flag).to_owned()),
        _ => None,
    });
    if matches!(field.kind, FieldKind::Keyword | FieldKind::Boolean) {
        let mut terms: Vec<_> = values.map(|text| (text, 0)).collect();
        if terms.len() > 1 {
            let mut seen = HashSet::new();
            terms.retain(|(text, _)| seen.insert(text.clone()));
        }
        return Terms::of(terms, field);
    }
    let mut terms = Vec::new();
    let mut offset = 0;
    for text in values {
        let mut last = None;
        for token in field.analyzer.tokens(&text) {
            last = Some(i64::from(token.position));
            terms.push((token.text, offset + i64::from(token.position)));
        }
        offset += last.map_or(0, |last| last + 1) + i64::from(field.analyzer.gap);
    }
    Terms::of(terms, field)
}

/// True or false as a term, as Lucene has them.
pub fn flag_term(flag: bool) -> &'static str {
    if flag { "T" } else { "F" }
}

/// Whether a term is within the lower end of a range.
pub fn is_above(term: &Term, low: &Bound<Term>) -> bool {
    match low {
        Bound::Unbounded => true,
        Bound::Included(low) => term.compare(low).is_ge(),
        Bound::Excluded(low) => term.compare(low).is_gt(),
    }
}

/// Whether a term is within the upper end of a range.
pub fn is_below(term: &Term, high: &Bound<Term>) -> bool {
    match high {
        Bound::Unbounded => true,
        Bound::Included(high) => term.compare(high).is_le(),
        Bound::Excluded(high) => term.compare(high).is_lt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{Clauses, Scored, Statistics, compile};
    use crate::parse_query;
    use mapping::Mapping;
    use mapping::analysis::Analysis;
    use serde_json::json;
    use value::doc;

    /// The scores that documents have for this query.
    fn scores(mapping: &Mapping, documents: &[value::Document], query: &serde_json::Value) -> Vec<f32> {
        let query = parse_query(query).expect("a query");
        let node = compile(&query, mapping, 0, &Clauses::default()).expect("compiled");
        let mut scored = Scored::default();
        node.scored(&mut scored);
        let mut statistics = Statistics::default();
        let views = documents.iter();
        let views: Vec<View<'_>> = views
            .map(|document| View::of_document(mapping, document.into()))
            .collect();
        views.iter().for_each(|view| scored.count(view, &mut statistics));
        let scores = views.iter().filter_map(|view| node.score(view, &statistics));
        scores.collect()
    }

    #[test]
    fn keywords_are_weighed_by_how_many_documents_have_in_the_mean() {
        let source = json!({"properties": {"k": {"type": "keyword"}, "f": {"type": "boolean"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let documents = [
            // A word that occurs twice is one term.
            doc! {"k": ["a", "b", "a", "c"], "f": [true, false, true]},
            doc! {"k": "a", "f": true},
            doc! {"other": 1},
        ];
        let rarity = (1.0 + 0.5 / 2.5_f32).ln();
        let weights = [
            (json!({"term": {"k": "a"}}), 4.0 / 2.0),
            (json!({"term": {"f": true}}), 3.0 / 2.0),
        ];
        for (query, average) in weights {
            // Without norms, the keywords of each document count as one.
            let weight = 2.2 / (1.0 + 1.2 * (0.25 + 0.75 / average));
            let scores = scores(&mapping, &documents, &query);
            assert_eq!(scores.len(), 2);
            for score in scores {
                assert!((score - rarity * weight).abs() < 1e-6, "{query}: {score}");
            }
        }
    }

    #[test]
    fn what_an_object_holds_at_a_key_is_weighed_by_all_that_it_holds() {
        let source = json!({"properties": {"o": {"type": "flattened"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let documents = [
            doc! {"o": doc! {"a": "x", "b": ["y", "z", "y"]}},
            doc! {"o": doc! {"b": "x"}},
            doc! {"other": 1},
        ];
        // One of two documents has it, which hold four values.
        let rarity = (1.0 + 1.5 / 1.5_f32).ln();
        let weight = 2.2 / (1.0 + 1.2 * (0.25 + 0.75 / 2.0));
        let scores = scores(&mapping, &documents, &json!({"term": {"o.a": "x"}}));
        assert_eq!(scores.len(), 1);
        assert!((scores[0] - rarity * weight).abs() < 1e-6, "{scores:?}");
    }

    #[test]
    fn keywords_with_norms_are_weighed_as_texts_are() {
        let source = json!({"properties": {"k": {"type": "keyword", "norms": true}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let documents = [doc! {"k": ["a", "b", "c"]}, doc! {"k": "a"}];
        let scores = scores(&mapping, &documents, &json!({"term": {"k": "a"}}));
        assert!(scores[0] < scores[1], "{scores:?}");
    }

    #[test]
    fn texts_without_norms_are_weighed_as_if_they_were_of_one_term() {
        let source = json!({"properties": {"t": {"type": "text"}, "n": {"type": "text", "norms": false}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let documents = ["a", "a b c d e"].map(|text| doc! {"t": text, "n": text});
        let scores = |field: &str| scores(&mapping, &documents, &json!({"match": {field: "a"}}));
        let with = scores("t");
        assert!(with[0] > with[1], "{with:?}");
        let without = scores("n");
        assert_eq!(without[0], without[1]);
        // Of three terms in the mean: 2.2 / (1 + 1.2 * (0.25 + 0.75 / 3)), times the rarity.
        let rarity = (1.0 + 0.5 / 2.5_f32).ln();
        assert!((without[0] - rarity * 2.2 / 1.6).abs() < 1e-6, "{without:?}");
    }

    #[test]
    fn texts_are_there_although_they_have_no_terms() {
        let source = json!({"properties": {"t": {"type": "text"}, "k": {"type": "keyword"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let exists = |field: &str, name: &str, value: value::Value| {
            let document = value::Document::new().with(name, value);
            let query = parse_query(&json!({"exists": {"field": field}})).expect("a query");
            let node = compile(&query, &mapping, 0, &Clauses::default()).expect("compiled");
            let view = View::of_document(&mapping, (&document).into());
            node.score(&view, &Statistics::default()).is_some()
        };
        for field in ["t", "k"] {
            assert!(exists(field, field, "".into()), "{field}");
            assert!(exists(field, field, "-".into()), "{field}");
            assert!(!exists(field, field, value::Value::Null), "{field}");
            assert!(!exists(field, "other", "".into()), "{field}");
        }
    }
}
