//! A search of one index, as a condition on documents.

use crate::fields::{Text, TextFields, is_whole, kept};
use crate::fold::{lower, without_marks};
use crate::languages::Language;
use crate::parse::parse;
use crate::score;
use crate::search::Search;
use crate::terms::{Analysis, Sensitivity};
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use std::sync::Arc;
use value::{Document, DocumentRef, Value, doc};

/// A search with the fields of the index that it is made of.
#[derive(Clone, Debug)]
pub struct Condition {
    fields: Arc<TextFields>,
    sensitivity: Sensitivity,
    /// The terms of which a document has at least one, numbered.
    places: HashMap<String, usize>,
    /// The same as they are compared, where case or marks matter.
    wanted: HashSet<String>,
    excluded: HashSet<String>,
    phrases: Vec<String>,
    excluded_phrases: Vec<String>,
}

impl Condition {
    /// What a search means for an index.
    pub fn new(search: &Search, fields: Arc<TextFields>) -> Condition {
        let language = search.language.unwrap_or(fields.default_language());
        let parts = parse(&search.text);
        let mut places = HashMap::default();
        for term in terms(&parts.wanted, language, Sensitivity::default()) {
            let next = places.len();
            places.entry(term).or_insert(next);
        }
        let compared = |sentence| {
            terms(sentence, language, search.sensitivity)
                .into_iter()
                .collect()
        };
        Condition {
            fields,
            sensitivity: search.sensitivity,
            places,
            wanted: compared(&parts.wanted),
            excluded: compared(&parts.excluded),
            phrases: parts.phrases,
            excluded_phrases: parts.excluded_phrases,
        }
    }

    /// The terms of an index of which each document that matches has at least one, in order.
    pub fn terms(&self) -> Vec<&str> {
        let mut terms: Vec<&str> = self.places.keys().map(|term| kept(term)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Whether a document matches just where it has one of the terms, so that an index alone can tell.
    pub fn is_terms_alone(&self) -> bool {
        self.sensitivity.is_none()
            && self.excluded.is_empty()
            && self.phrases.is_empty()
            && self.excluded_phrases.is_empty()
            && self.places.keys().all(|term| is_whole(term))
    }

    /// Whether a document matches. One whose language is none has no texts.
    pub fn matches(&self, document: DocumentRef<'_>) -> bool {
        self.has_term(document)
            && (self.sensitivity.is_none() || self.has_any(document, &self.wanted))
            && !self.has_any(document, &self.excluded)
            && self
                .phrases
                .iter()
                .all(|phrase| self.has_phrase(document, phrase))
            && !self
                .excluded_phrases
                .iter()
                .any(|phrase| self.has_phrase(document, phrase))
    }

    /// How well a document matches: what `{$meta: "textScore"}` gives; 0 for one without any of the terms.
    pub fn score(&self, document: DocumentRef<'_>) -> f64 {
        if self.places.is_empty() {
            return 0.0;
        }
        let mut scores = vec![0.0; self.places.len()];
        self.any_text(document, |text| {
            score::add(text, &self.places, &mut scores);
            false
        });
        scores.iter().sum()
    }

    /// What is searched, as `explain` shows it.
    pub fn to_document(&self) -> Document {
        let sorted = |terms: &HashSet<String>| {
            let mut terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            terms.sort_unstable();
            terms.into_iter().map(Value::from).collect::<Value>()
        };
        let listed = |texts: &[String]| {
            texts
                .iter()
                .map(|text| Value::from(text.as_str()))
                .collect::<Value>()
        };
        doc! {
            "terms": sorted(&self.wanted),
            "negatedTerms": sorted(&self.excluded),
            "phrases": listed(&self.phrases),
            "negatedPhrases": listed(&self.excluded_phrases),
        }
    }

    fn has_term(&self, document: DocumentRef<'_>) -> bool {
        if self.places.is_empty() {
            return false;
        }
        self.any_text(document, |text| {
            let mut found = false;
            Analysis::of_index(text.language).visit(text.text, &mut |term| {
                found = self.places.contains_key(term);
                !found
            });
            found
        })
    }

    fn has_any(&self, document: DocumentRef<'_>, wanted: &HashSet<String>) -> bool {
        if wanted.is_empty() {
            return false;
        }
        self.any_text(document, |text| {
            let analysis = Analysis {
                language: text.language,
                sensitivity: self.sensitivity,
                keeps_stop_words: true,
            };
            let mut found = false;
            analysis.visit(text.text, &mut |term| {
                found = wanted.contains(term);
                !found
            });
            found
        })
    }

    /// Whether one of the texts holds the phrase, which need not begin or end where a word does.
    fn has_phrase(&self, document: DocumentRef<'_>, phrase: &str) -> bool {
        self.any_text(document, |text| {
            let folded = |of| fold(of, self.sensitivity, text.language);
            folded(text.text).contains(&*folded(phrase))
        })
    }

    /// Whether something holds for one of the texts.
    fn any_text<'d>(&self, document: DocumentRef<'d>, mut holds: impl FnMut(Text<'d>) -> bool) -> bool {
        let mut found = false;
        let visited = self.fields.visit(document, &mut |text| {
            found = holds(text);
            !found
        });
        found && visited.is_ok()
    }
}

fn terms(sentence: &str, language: Language, sensitivity: Sensitivity) -> Vec<String> {
    let analysis = Analysis {
        language,
        sensitivity,
        keeps_stop_words: false,
    };
    let mut terms = Vec::new();
    analysis.visit(sentence, &mut |term| {
        terms.push(term.to_owned());
        true
    });
    terms
}

fn fold(text: &str, sensitivity: Sensitivity, language: Language) -> Cow<'_, str> {
    let cased = match sensitivity.case {
        true => Cow::Borrowed(text),
        false => lower(text, language.has_dotless_i()),
    };
    let bare = match (sensitivity.marks, cased) {
        (true, cased) => return cased,
        (false, Cow::Borrowed(text)) => without_marks(text),
        (false, Cow::Owned(text)) => Cow::Owned(without_marks(&text).into_owned()),
    };
    // Marks of ASCII, which stand alone.
    match bare.contains(['^', '`']) {
        true => Cow::Owned(bare.replace(['^', '`'], "")),
        false => bare,
    }
}
