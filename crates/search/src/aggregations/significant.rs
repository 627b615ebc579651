//! Terms that what was found has more often than other documents have.

use super::copies::Runs;
use super::counts::Counts;
use super::heuristics::{Heuristic, Share};
use super::values::{Key, Source};
use super::wanted::{Wanted, is_wanted};
use mapping::error::Result;
use mapping::fields::{Term, View, text_of, values_at};
use querying::Query;

/// What is asked of significant terms.
#[derive(Clone, Debug)]
pub(super) struct SignificantSpec {
    pub(super) size: usize,
    pub(super) least: u64,
    pub(super) include: Option<Wanted>,
    pub(super) exclude: Option<Wanted>,
    /// The documents that others are compared with; all where there is none.
    pub(super) background: Option<Box<Query>>,
    pub(super) heuristic: Heuristic,
    /// Whether the terms are those of a text.
    pub(super) is_text: bool,
    /// Where the texts are in documents, if not at the field's place.
    pub(super) texts: Vec<String>,
    /// Whether what texts have in common with others is left out.
    pub(super) leaves_copies_out: bool,
}

/// A term, how much more often it is found, and how many of all documents have it.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) key: Key,
    pub(super) score: f64,
    pub(super) all: u64,
}

impl SignificantSpec {
    fn includes(&self, term: &Term) -> bool {
        is_wanted(self.include.as_ref(), self.exclude.as_ref(), term)
    }

    pub(super) fn name(&self) -> &'static str {
        match self.is_text {
            true => "significant_text",
            false => "significant_terms",
        }
    }

    /// The terms of a document that count; `runs` are those of the texts of others.
    pub(super) fn terms(&self, source: &Source, view: &View<'_>, runs: &mut Runs) -> Result<Vec<Term>> {
        let mut terms = match self.leaves_copies_out || !self.texts.is_empty() {
            false => source.terms(view)?,
            true => {
                let texts = self.tokens(source, view).into_iter();
                let fresh = texts.flat_map(|terms| match self.leaves_copies_out {
                    true => runs.fresh(terms),
                    false => terms,
                });
                fresh.map(Term::Text).collect()
            }
        };
        terms.retain(|term| self.includes(term));
        Ok(terms)
    }

    /// The terms of each text of a document.
    fn tokens(&self, source: &Source, view: &View<'_>) -> Vec<Vec<String>> {
        let Some(field) = view.mapping.field(&source.field) else {
            return Vec::new();
        };
        let mut raw = Vec::new();
        match self.texts.is_empty() {
            true => raw = view.raw(&field),
            false => self
                .texts
                .iter()
                .for_each(|path| values_at(view.document, path, &mut raw)),
        }
        let texts = raw.into_iter().filter_map(text_of);
        let tokens = texts.map(|text| field.analyzer.tokens(&text));
        tokens
            .map(|tokens| tokens.into_iter().map(|token| token.text).collect())
            .collect()
    }

    /// The most significant of terms with their counts in `seen` documents.
    pub(super) fn chosen<'k>(
        &self,
        found: impl Iterator<Item = (&'k Key, u64)>,
        seen: u64,
        background: &Counts,
    ) -> Result<Vec<Chosen>> {
        let mut chosen = Vec::new();
        for (key, having) in found.filter(|(_, count)| *count >= self.least) {
            let all = background.of(key);
            let usual = Share {
                having: all,
                all: background.total,
            };
            let score = self.heuristic.score(Share { having, all: seen }, usual)?;
            if score > 0.0 {
                chosen.push(Chosen {
                    key: key.clone(),
                    score,
                    all,
                });
            }
        }
        chosen.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        chosen.truncate(self.size);
        Ok(chosen)
    }
}
