//! Documents that were found.

use mapping::Mapping;
use mapping::decimals::double_text;
use mapping::fields::{Term, View};
use querying::Statistics;
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::sync::Arc;
use value::DocumentBuf;

/// A document that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The place of its index among those that are searched.
    pub index: usize,
    /// Its `_id` as text.
    pub id: String,
    /// The number of its last change.
    pub sequence: u64,
    /// How often it was changed.
    pub version: u64,
    /// How well it matches; `None` if nobody asks.
    pub score: Option<f32>,
    /// The document itself.
    pub document: DocumentBuf,
    /// The nested object that it is, after those that it is in: each by its path, and which one it is of those in the one before.
    pub nested: Vec<(String, usize)>,
    /// The fields some values of which were ignored.
    pub ignored: Vec<String>,
    /// The names of queries that it matches.
    pub matched: Vec<Arc<str>>,
    pub(crate) sort: Vec<SortValue>,
    /// What was counted of its index, by which what is nested in it is scored.
    pub(crate) counted: Option<Arc<Statistics>>,
}

impl Hit {
    /// A document alone, which nobody has searched for.
    pub fn of_document(document: DocumentBuf) -> Hit {
        Hit {
            index: 0,
            id: String::new(),
            sequence: 0,
            version: 0,
            score: None,
            document,
            nested: Vec::new(),
            ignored: Vec::new(),
            matched: Vec::new(),
            sort: Vec::new(),
            counted: None,
        }
    }

    /// The fields of the hit, or of the nested object that it is.
    pub fn view<'d>(&'d self, mapping: &'d Mapping) -> View<'d> {
        View {
            mapping,
            document: self.document.as_ref(),
            scope: self.nested.last().map(|(path, _)| path.as_str()),
            offset: self.nested.last().map_or(0, |(_, offset)| *offset),
            root: self.document.as_ref(),
            index_at: self.index,
            version: self.version,
            id: &self.id,
            index: "",
            sequence: self.sequence,
            row: None,
            score: None,
        }
    }

    /// About the bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let sort = self
            .sort
            .iter()
            .map(|value| size_of::<SortValue>() + value.text_bytes());
        let ignored = self.ignored.iter().map(|name| size_of::<String>() + name.len());
        size_of::<Hit>()
            + self.id.len()
            + self.document.bytes().len()
            + sort.sum::<usize>()
            + ignored.sum::<usize>()
    }

    /// Its place among others, without its document.
    #[must_use]
    pub fn place(&self) -> Hit {
        Hit {
            document: DocumentBuf::from(&value::Document::new()),
            ..self.clone()
        }
    }

    /// The values that it was sorted by, which `search_after` takes.
    pub fn sort_values(&self) -> Vec<Value> {
        self.sort.iter().map(SortValue::shown).collect()
    }
}

/// A value that hits are sorted by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortValue {
    Term(Term),
    /// A date in a form that the sort asks for.
    Formatted(i64, String),
    /// One with nanoseconds.
    FormattedNanos(i64, String),
    /// No value; before or after all others, however they are sorted.
    First,
    Last,
}

impl SortValue {
    fn text_bytes(&self) -> usize {
        match self {
            SortValue::Term(Term::Text(text))
            | SortValue::Formatted(_, text)
            | SortValue::FormattedNanos(_, text) => text.len(),
            _ => 0,
        }
    }

    pub(crate) fn shown(&self) -> Value {
        match self {
            SortValue::Term(Term::Integer(number) | Term::Date(number)) => (*number).into(),
            SortValue::Term(Term::Unsigned(number)) => (*number).into(),
            SortValue::Term(Term::Float(number)) => {
                // What has no end is a text, as Elasticsearch writes it.
                Number::from_f64(*number).map_or_else(|| double_text(*number).into(), Value::Number)
            }
            SortValue::Term(Term::Boolean(flag)) => i64::from(*flag).into(),
            SortValue::Term(Term::Text(text)) => text.as_str().into(),
            SortValue::Term(Term::Ip(ip)) => Term::ip_text(ip).into(),
            SortValue::Term(Term::Point(_) | Term::Interval(_)) => Value::Null,
            SortValue::Formatted(_, text) | SortValue::FormattedNanos(_, text) => text.as_str().into(),
            SortValue::First | SortValue::Last => Value::Null,
        }
    }

    pub(crate) fn rank(&self) -> u8 {
        match self {
            SortValue::First => 0,
            SortValue::Term(_) | SortValue::Formatted(..) | SortValue::FormattedNanos(..) => 1,
            SortValue::Last => 2,
        }
    }

    /// The value that is compared: texts where they lie, since hits are compared many times.
    pub(crate) fn term(&self) -> Option<Cow<'_, Term>> {
        match self {
            SortValue::Term(term) => Some(Cow::Borrowed(term)),
            SortValue::Formatted(ms, _) => Some(Cow::Owned(Term::Date(*ms))),
            SortValue::FormattedNanos(nanos, _) => Some(Cow::Owned(Term::Integer(*nanos))),
            _ => None,
        }
    }
}
