//! What is looked up, and the engine's query for it.

use crate::entry::{Key, Number};
use crate::error::Result;
use crate::gathered::GatheredQuery;
use crate::pattern::PatternQuery;
use crate::reader::Reader;
use crate::schema::{Fields, path};
use crate::times::TimesQuery;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery, TermQuery, TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

/// Where the terms of a key are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Among those with places.
    Text,
    /// Among those without.
    Word,
}

/// Whether a question is true of a term; `None` where no answer is wanted any more: then no further term is asked about.
pub type Answer = dyn Fn(&str) -> Option<bool> + Send + Sync;

/// A question about a term.
#[derive(Clone)]
pub struct Matcher(pub Arc<Answer>);

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Matcher")
    }
}

/// What must be true of an entry.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// Nothing.
    All,
    /// What is true of none.
    Nothing,
    /// It has one of these terms.
    Terms(Key, Part, Vec<String>),
    /// It has a term that begins so and of which the question is true.
    Matching(Key, Part, String, Matcher),
    /// It has these terms at these places, counted from the first.
    Phrase(Key, Vec<(u32, String)>),
    /// It has a number in a range, which has one end at least.
    Range(Key, Bound<Number>, Bound<Number>),
    /// The same of the key whose values entries are sorted by.
    Times(Key, Bound<i64>, Bound<i64>),
    /// It has a value of the field.
    Present(Key),
    /// It is of one of these documents.
    Ids(Vec<Vec<u8>>),
    /// The number of its last change is in a range.
    Sequence(Bound<u64>, Bound<u64>),
    /// All of these.
    Every(Vec<Lookup>),
    /// As many of these as the number says.
    Some(Vec<Lookup>, usize),
    /// The first and none of the others.
    Except(Box<Lookup>, Vec<Lookup>),
}

impl Lookup {
    /// What is looked up, in words, of which two are the same only where the same is found; `None` where words do not tell.
    pub fn name(&self) -> Option<String> {
        (!self.asks_matchers()).then(|| format!("{self:?}"))
    }

    fn asks_matchers(&self) -> bool {
        match self {
            Lookup::Matching(..) => true,
            Lookup::Every(lookups) | Lookup::Some(lookups, _) => lookups.iter().any(Lookup::asks_matchers),
            Lookup::Except(lookup, others) => {
                lookup.asks_matchers() || others.iter().any(Lookup::asks_matchers)
            }
            Lookup::All
            | Lookup::Nothing
            | Lookup::Terms(..)
            | Lookup::Phrase(..)
            | Lookup::Range(..)
            | Lookup::Times(..)
            | Lookup::Present(_)
            | Lookup::Ids(_)
            | Lookup::Sequence(..) => false,
        }
    }

    pub(crate) fn query(&self, reader: &Reader) -> Result<Box<dyn Query>> {
        let fields = &reader.fields;
        Ok(match self {
            Lookup::All => Box::new(AllQuery),
            Lookup::Nothing => Box::new(EmptyQuery),
            Lookup::Terms(key, part, texts) => {
                let term = |text: &String| term(fields.part(*part), *key, text);
                match &texts[..] {
                    [] => Box::new(EmptyQuery),
                    [text] => Box::new(TermQuery::new(term(text), IndexRecordOption::Basic)),
                    texts => Box::new(TermSetQuery::new(texts.iter().map(term))),
                }
            }
            Lookup::Matching(key, part, prefix, matcher) => Box::new(PatternQuery::new(
                fields.part(*part),
                *key,
                prefix,
                matcher.clone(),
            )),
            Lookup::Phrase(key, terms) => {
                let terms = terms
                    .iter()
                    .map(|(place, text)| (*place as usize, term(fields.text, *key, text)));
                Box::new(PhraseQuery::new_with_offset(terms.collect()))
            }
            Lookup::Range(key, low, high) => {
                let end = |end: &Bound<Number>| end.map(|number| value(fields.columns, *key, number));
                Box::new(RangeQuery::new(end(low), end(high)))
            }
            Lookup::Times(key, low, high) => {
                let end = |end: &Bound<i64>| end.map(Number::Integer);
                Box::new(TimesQuery {
                    opened: reader.opened.clone(),
                    key: *key,
                    low: *low,
                    high: *high,
                    by_column: Lookup::Range(*key, end(low), end(high)).query(reader)?,
                })
            }
            Lookup::Present(key) => Box::new(TermQuery::new(
                Term::from_field_text(fields.present, &path(*key)),
                IndexRecordOption::Basic,
            )),
            Lookup::Ids(ids) => Box::new(TermSetQuery::new(
                ids.iter().map(|id| Term::from_field_bytes(fields.id, id)),
            )),
            Lookup::Sequence(low, high) => {
                let end = |end: &Bound<u64>| end.map(|number| Term::from_field_u64(fields.sequence, number));
                Box::new(RangeQuery::new(end(low), end(high)))
            }
            Lookup::Every(lookups) => match &lookups[..] {
                [] => Box::new(AllQuery),
                [only] => only.query(reader)?,
                lookups => Box::new(BooleanQuery::intersection(queries(lookups, reader)?)),
            },
            Lookup::Some(lookups, least) => at_least(*least, lookups, reader)?,
            Lookup::Except(lookup, others) => except(lookup, others, reader)?,
        })
    }
}

fn queries(lookups: &[Lookup], reader: &Reader) -> Result<Vec<Box<dyn Query>>> {
    lookups.iter().map(|lookup| lookup.query(reader)).collect()
}

/// What so many of these find.
fn at_least(least: usize, lookups: &[Lookup], reader: &Reader) -> Result<Box<dyn Query>> {
    Ok(match (lookups, least) {
        (_, 0) => Box::new(AllQuery),
        (lookups, least) if lookups.len() < least => Box::new(EmptyQuery),
        ([only], 1) => only.query(reader)?,
        (lookups, least) => Box::new(BooleanQuery::union_with_minimum_required_clauses(
            queries(lookups, reader)?,
            least,
        )),
    })
}

/// What the first finds and none of the others.
fn except(lookup: &Lookup, others: &[Lookup], reader: &Reader) -> Result<Box<dyn Query>> {
    let mut clauses = vec![(Occur::Must, lookup.query(reader)?)];
    for other in others {
        let gathered = GatheredQuery(other.query(reader)?);
        clauses.push((Occur::MustNot, Box::new(gathered)));
    }
    Ok(Box::new(BooleanQuery::new(clauses)))
}

impl Fields {
    pub(crate) fn part(&self, part: Part) -> Field {
        match part {
            Part::Text => self.text,
            Part::Word => self.word,
        }
    }
}

/// A term of a key.
pub(crate) fn term(field: Field, key: Key, text: &str) -> Term {
    let mut term = Term::from_field_json_path(field, &path(key), false);
    term.append_type_and_str(text);
    term
}

fn value(field: Field, key: Key, number: Number) -> Term {
    let mut term = Term::from_field_json_path(field, &path(key), false);
    match number {
        Number::Integer(number) => term.append_type_and_fast_value(number),
        Number::Float(number) => term.append_type_and_fast_value(number),
    }
    term
}
