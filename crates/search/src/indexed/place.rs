//! Where an index has the terms of a field.

use fulltext::{Key, Lookup, Mask, Matcher, Part, Reader};
use querying::TermPattern;
use std::sync::Arc;

/// A key, and what each term begins with that is of the field: the keys of an object that is a field share one.
#[derive(Clone, Debug)]
pub(crate) struct FieldPlace {
    pub(crate) key: Key,
    prefix: String,
}

impl FieldPlace {
    pub(super) fn new(key: Key, prefix: String) -> FieldPlace {
        FieldPlace { key, prefix }
    }

    /// A term of the field as entries have it.
    pub(crate) fn term(&self, text: &str) -> String {
        format!("{}{text}", self.prefix)
    }

    /// What has any term of the field.
    pub(crate) fn present(&self) -> Lookup {
        match self.prefix.is_empty() {
            true => Lookup::Present(self.key),
            false => self.matching(Part::Word, "", |_| Some(true)),
        }
    }

    /// What has one of these terms.
    pub(super) fn terms<'t>(&self, part: Part, terms: impl IntoIterator<Item = &'t String>) -> Lookup {
        let terms = terms.into_iter().map(|term| self.term(term));
        Lookup::Terms(self.key, part, terms.collect())
    }

    /// What has a term that begins so and of which this is true; without an answer no more are asked.
    pub(super) fn matching(
        &self,
        part: Part,
        begin: &str,
        is_one: impl Fn(&str) -> Option<bool> + Send + Sync + 'static,
    ) -> Lookup {
        let prefix = self.prefix.clone();
        let is_one = move |term: &str| term.strip_prefix(&prefix).map_or(Some(false), &is_one);
        Lookup::Matching(self.key, part, self.term(begin), Matcher(Arc::new(is_one)))
    }

    /// What has a term of this pattern.
    pub(super) fn pattern(&self, part: Part, pattern: &TermPattern) -> Lookup {
        let begin = pattern.beginning();
        let pattern = pattern.clone();
        self.matching(part, &begin, move |text| pattern.answer(text))
    }

    /// How many words of the field entries have together.
    pub(super) fn words(&self, reader: &Reader, mask: &Mask) -> fulltext::Result<u64> {
        let mut words: u64 = 0;
        let mut see = |_: &str, count: u64| words += count;
        let any = |_: &str| Some(true);
        reader.terms(self.key, Part::Word, &self.prefix, &any, mask, &mut see)?;
        Ok(words)
    }

    /// Shows each term that may stand for a pattern, and how many entries have it; a term may come several times.
    pub(crate) fn expand(
        &self,
        reader: &Reader,
        part: Part,
        pattern: &TermPattern,
        mask: &Mask,
        see: &mut dyn FnMut(&str, u64),
    ) -> fulltext::Result<()> {
        let begin = self.term(&pattern.beginning());
        let is_one = |term: &str| {
            let text = term.strip_prefix(self.prefix.as_str());
            text.map_or(Some(false), |text| pattern.answer(text))
        };
        reader.terms(self.key, part, &begin, &is_one, mask, &mut |term, count| {
            see(term.strip_prefix(self.prefix.as_str()).unwrap_or(term), count);
        })
    }
}
