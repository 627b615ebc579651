//! Entries with a term of which a question is true: the terms of a key are gone through, from where they can begin.

use crate::entry::Key;
use crate::lookup::{Matcher, term};
use tantivy::query::{
    BitSetDocSet, ConstScorer, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{BitSet, DocId, DocSet, SegmentReader, TERMINATED};

#[derive(Clone, Debug)]
pub(crate) struct PatternQuery {
    field: Field,
    /// How terms begin, as they are in the dictionary.
    start: Vec<u8>,
    /// The part of it that is none of the term's text.
    head_bytes: usize,
    matcher: Matcher,
}

impl PatternQuery {
    pub(crate) fn new(field: Field, key: Key, prefix: &str, matcher: Matcher) -> PatternQuery {
        let head = term(field, key, "");
        PatternQuery {
            field,
            start: term(field, key, prefix).serialized_value_bytes().to_vec(),
            head_bytes: head.serialized_value_bytes().len(),
            matcher,
        }
    }
}

impl Query for PatternQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(PatternWeight(self.clone())))
    }
}

struct PatternWeight(PatternQuery);

impl Weight for PatternWeight {
    fn scorer(&self, reader: &SegmentReader, boost: f32) -> tantivy::Result<Box<dyn Scorer>> {
        let PatternWeight(query) = self;
        let inverted = reader.inverted_index(query.field)?;
        let mut found = BitSet::with_max_value(reader.max_doc());
        let answer = |text: &[u8]| std::str::from_utf8(text).map(|text| (query.matcher.0)(text));
        // Opening the terms takes as long as going through many of them.
        if let Ok(None) = answer(&query.start[query.head_bytes..]) {
            return Ok(Box::new(EmptyScorer));
        }
        let mut terms = inverted.terms().range().ge(&query.start).into_stream()?;
        while terms.advance() {
            let Some(text) = terms
                .key()
                .starts_with(&query.start)
                .then(|| &terms.key()[query.head_bytes..])
            else {
                break;
            };
            match answer(text) {
                Ok(Some(true)) => {}
                Ok(Some(false)) | Err(_) => continue,
                Ok(None) => break,
            }
            let mut postings =
                inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
            while postings.doc() != TERMINATED {
                found.insert(postings.doc());
                postings.advance();
            }
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(found), boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("a term that matches", 1.0))
    }
}
