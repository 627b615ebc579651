//! Texts that are looked for: what of them must be there, and how near it must be.

use super::rewrite::{EXPANSIONS, Rewrite};
use serde_json::Value;

/// What of a text must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// Its terms.
    Terms,
    /// Its terms, in their order.
    Phrase,
    /// The same, the last one being the beginning of a term.
    PhrasePrefix,
    /// Its terms, the last one being the beginning of a term.
    BoolPrefix,
}

impl MatchKind {
    /// The query of one field that looks for it.
    pub(crate) fn query(self) -> &'static str {
        match self {
            MatchKind::Terms => "match",
            MatchKind::Phrase => "match_phrase",
            MatchKind::PhrasePrefix => "match_phrase_prefix",
            MatchKind::BoolPrefix => "match_bool_prefix",
        }
    }
}

/// What a text without terms means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroTerms {
    /// No document.
    Nothing,
    /// All documents.
    All,
    /// Nothing: it is no clause of the query that it stands in.
    Skipped,
}

/// A text that is analyzed and looked for.
#[derive(Clone, Debug)]
pub struct Match {
    /// The text.
    pub text: Value,
    /// What of it must be there.
    pub kind: MatchKind,
    /// Whether all terms must be there.
    pub all: bool,
    /// How many terms must be there.
    pub minimum: Option<String>,
    /// The analyzer, where not that of the field.
    pub analyzer: Option<String>,
    /// How far terms may be from those of the text.
    pub fuzzy: Option<Fuzzy>,
    /// What fuzzy terms are worth.
    pub rewrite: Rewrite,
    /// The terms at most that stand for one that is the beginning of others.
    pub expansions_max: usize,
    /// How many places the terms of a phrase may be moved.
    pub slop: u32,
    /// Whether the words of a synonym of several must stand together, in their order.
    pub synonym_phrases: bool,
    /// What a text without terms means.
    pub zero_terms: ZeroTerms,
    /// Whether a value that the field cannot have matches nothing, in place of an error.
    pub lenient: bool,
    /// Whether it stands for a pattern, which only fields of words have.
    pub is_pattern: bool,
    /// Whether its terms count as clauses of the query that it is a clause of.
    pub is_spread: bool,
}

/// How the fields of a `multi_match` are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "Elasticsearch's names")]
pub enum MultiKind {
    Best,
    Most,
    Cross,
}

impl Match {
    /// A text whose terms are looked for as they are.
    pub fn of(text: impl Into<Value>, kind: MatchKind) -> Match {
        Match {
            text: text.into(),
            kind,
            all: false,
            minimum: None,
            analyzer: None,
            fuzzy: None,
            rewrite: Rewrite::Usual,
            expansions_max: EXPANSIONS,
            slop: 0,
            synonym_phrases: true,
            zero_terms: ZeroTerms::Nothing,
            lenient: false,
            is_pattern: false,
            is_spread: false,
        }
    }
}

/// How near terms must be to a word, and how many of them are looked for.
#[derive(Clone, Debug)]
pub struct Fuzzy {
    /// How many letters may be others.
    pub fuzziness: String,
    /// The letters at the beginning that may not.
    pub prefix_length: usize,
    /// Whether two neighbours that are swapped are one letter that is another.
    pub transpositions: bool,
    /// The terms at most.
    pub expansions_max: usize,
    /// Whether the word is changed as terms of its field are.
    pub normalizes: bool,
}

impl Default for Fuzzy {
    fn default() -> Fuzzy {
        Fuzzy {
            fuzziness: "AUTO".to_owned(),
            prefix_length: 0,
            transpositions: true,
            expansions_max: EXPANSIONS,
            normalizes: false,
        }
    }
}
