//! Which strings of a document a text index holds.

use crate::error::TextError;
use crate::languages::Language;
use crate::score;
use crate::terms::Analysis;
use code::Code;
use std::collections::{BTreeMap, BTreeSet};
use value::{ArrayRef, Document, DocumentRef, Value, ValueRef};

/// The path in the weights that stands for all strings.
const ALL: &str = "$**";
/// The weight of a string that no path names.
const WEIGHT_DEFAULT: f64 = 1.0;
/// The bytes of a term that an index keeps; of a longer one the beginning.
const TERM_BYTES_MAX: usize = 256;

/// The fields of a text index, their weights and languages.
#[derive(Clone, Debug, PartialEq)]
pub struct TextFields {
    /// By path, in order.
    weights: Vec<(String, f64)>,
    all: bool,
    default_language: Language,
    language_override: String,
}

/// A string of a document with its language and weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'d> {
    pub(crate) text: &'d str,
    pub(crate) language: Language,
    pub(crate) weight: f64,
}

/// Where in a document the walk is.
#[derive(Clone, Copy)]
struct Place<'p> {
    path: &'p str,
    in_array: bool,
    language: Language,
}

type Take<'t, 'd> = &'t mut dyn FnMut(Text<'d>) -> bool;

impl TextFields {
    /// The fields that the options of an index name: `weights`, `default_language`, `language_override`.
    pub fn of_options(options: &Document) -> TextFields {
        let mut weights = Vec::new();
        let mut all = false;
        if let Some(Value::Document(given)) = options.get("weights") {
            for (path, weight) in given.iter() {
                match path {
                    ALL => all = true,
                    _ => weights.push((
                        path.to_owned(),
                        weight.as_ref().as_f64().unwrap_or(WEIGHT_DEFAULT),
                    )),
                }
            }
        }
        weights.sort_by(|(a, _), (b, _)| a.cmp(b));
        let text = |name: &str| options.get(name).and_then(|value| value.as_ref().as_str());
        TextFields {
            weights,
            all,
            default_language: text("default_language")
                .and_then(Language::parse)
                .unwrap_or(Language::English),
            language_override: text("language_override").unwrap_or("language").to_owned(),
        }
    }

    /// The language of texts and searches that name none.
    pub fn default_language(&self) -> Language {
        self.default_language
    }

    /// The terms of a document, in order, each once. Fails where it names a language that is none.
    pub fn terms(&self, document: DocumentRef<'_>) -> Result<BTreeSet<String>, TextError> {
        let mut terms = BTreeSet::new();
        self.visit(document, &mut |text| {
            Analysis::of_index(text.language).visit(text.text, &mut |term| {
                let term = kept(term);
                if !terms.contains(term) {
                    terms.insert(term.to_owned());
                }
                true
            });
            true
        })?;
        Ok(terms)
    }

    /// The terms of a document, in order, each with its weight: what it adds to the score of a search for it.
    pub fn weighed_terms(&self, document: DocumentRef<'_>) -> Result<BTreeMap<String, f64>, TextError> {
        let mut weights = BTreeMap::new();
        self.visit(document, &mut |text| {
            score::add_all(text, &mut weights);
            true
        })?;
        Ok(weights)
    }

    /// Hands over each string that is indexed, until it is told to stop.
    pub(crate) fn visit<'d>(&self, document: DocumentRef<'d>, take: Take<'_, 'd>) -> Result<bool, TextError> {
        let place = Place {
            path: "",
            in_array: false,
            language: self.default_language,
        };
        self.document(document, place, take)
    }

    fn document<'d>(
        &self,
        document: DocumentRef<'d>,
        place: Place<'_>,
        take: Take<'_, 'd>,
    ) -> Result<bool, TextError> {
        let place = Place {
            language: self.language(document, place.language)?,
            ..place
        };
        for (name, value) in document.iter() {
            if self.all && name == self.language_override {
                continue;
            }
            let path = match place.path {
                "" => name.to_owned(),
                path => format!("{path}.{name}"),
            };
            let here = Place { path: &path, ..place };
            if !self.value(value, here, take)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn array<'d>(
        &self,
        array: ArrayRef<'d>,
        place: Place<'_>,
        take: Take<'_, 'd>,
    ) -> Result<bool, TextError> {
        for value in array.iter() {
            if !self.value(value, place, take)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn value<'d>(
        &self,
        value: ValueRef<'d>,
        place: Place<'_>,
        take: Take<'_, 'd>,
    ) -> Result<bool, TextError> {
        match value {
            ValueRef::String(text) => Ok(match self.weight(place.path) {
                Some(weight) => take(Text {
                    text,
                    language: place.language,
                    weight,
                }),
                None => true,
            }),
            ValueRef::Document(inner) if self.reaches_below(place.path) => {
                let inside = Place {
                    in_array: false,
                    ..place
                };
                self.document(inner, inside, take)
            }
            // Arrays in arrays are looked into only where all strings are indexed.
            ValueRef::Array(inner) if self.all || !place.in_array => {
                let inside = Place {
                    in_array: true,
                    ..place
                };
                self.array(inner, inside, take)
            }
            _ => Ok(true),
        }
    }

    /// The weight of the strings at a path; `None` if they are not indexed.
    fn weight(&self, path: &str) -> Option<f64> {
        let known = self
            .weights
            .binary_search_by(|(known, _)| known.as_str().cmp(path));
        match known {
            Ok(at) => self.weights.get(at).map(|(_, weight)| *weight),
            Err(_) => self.all.then_some(WEIGHT_DEFAULT),
        }
    }

    fn reaches_below(&self, path: &str) -> bool {
        let is_below =
            |(known, _): &(String, f64)| known.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        self.all || self.weights.iter().any(is_below)
    }

    /// The language of a document's strings: its own, or that of the document around it.
    fn language(&self, document: DocumentRef<'_>, outer: Language) -> Result<Language, TextError> {
        match document.get(&self.language_override) {
            None => Ok(outer),
            Some(ValueRef::String(name)) => Language::parse(name).ok_or_else(|| {
                let message = format!("language override unsupported: {name}");
                TextError::new(Code::location(17_262), message)
            }),
            Some(_) => Err(TextError::new(
                Code::location(17_261),
                "found language override field in document with non-string type",
            )),
        }
    }
}

/// Whether an index keeps all of a term, and of no longer one the same.
pub(crate) fn is_whole(term: &str) -> bool {
    term.len() < TERM_BYTES_MAX - 3
}

/// What of a term an index keeps.
pub(crate) fn kept(term: &str) -> &str {
    if term.len() <= TERM_BYTES_MAX {
        return term;
    }
    // A character has four bytes at most.
    (TERM_BYTES_MAX - 3..=TERM_BYTES_MAX)
        .rev()
        .find_map(|end| term.get(..end))
        .unwrap_or(term)
}
