//! CouchDB's query language (Mango): a selector parsed once, then matched against documents.
//!
//! A selector becomes a tree of [`Node`]s in CouchDB's normal form: implicit conjunctions written out, fields pushed down to their
//! tests, negations pushed down to what cannot be negated otherwise (`src/mango/src/mango_selector.erl`, `normalize`). [`Range`]s
//! of fields are what an index can be bounded by (`src/mango/src/mango_idx_view.erl`).
//!
//! It differs from MongoDB's filters (`language::filter`) in what documents it finds: values of all types are ordered with each other, strings
//! by the root collation; a missing field satisfies nothing but `$exists: false`; arrays are not looked into.
//!
//! Left to others: choosing an index and paging (`couch`), the order of values (`value::collated`).

mod error;
mod fields;
mod filter;
mod matches;
mod negate;
mod parse;
mod range;
mod show;

pub use error::SelectorError;
pub use range::{Range, Side};

use language::regex::Regex;
use value::path::FieldPath;
use value::{Document, DocumentRef, Value};

/// A parsed selector.
#[derive(Clone, Debug)]
pub struct Selector {
    root: Node,
    /// Whether it is an operator that is given no conditions.
    vacuous: bool,
}

/// A condition.
#[derive(Clone, Debug)]
enum Node {
    /// All hold.
    All(Vec<Node>),
    /// One holds, or there is none to hold.
    Any(Vec<Node>),
    /// None holds; only below `$elemMatch` and its like, where negations are not pushed down.
    None(Vec<Node>),
    /// It does not hold; likewise.
    Not(Box<Node>),
    /// What a path leads to passes a test.
    Field(Box<Field>),
}

/// A test of the value that a path leads to.
#[derive(Clone, Debug)]
struct Field {
    /// The path as it is written; empty for the value itself, below `$elemMatch` and its like.
    name: String,
    path: FieldPath,
    /// Whether the value must fail the test.
    negated: bool,
    test: Test,
}

/// A test of a value.
#[derive(Clone, Debug)]
enum Test {
    Lt(Value),
    Lte(Value),
    Eq(Value),
    Ne(Value),
    Gte(Value),
    Gt(Value),
    In(Vec<Value>),
    Nin(Vec<Value>),
    Exists(bool),
    Type(String),
    /// Divisor and remainder.
    Mod(i64, i64),
    Regex(Regex),
    All(Vec<Value>),
    Size(i64),
    BeginsWith(String),
    ElemMatch(Node),
    AllMatch(Node),
    KeyMapMatch(Node),
}

impl Selector {
    /// Parses a selector.
    pub fn parse(selector: &Document) -> Result<Selector, SelectorError> {
        let mut members = selector.iter();
        let vacuous = match (members.next(), members.next()) {
            (Some(("$and" | "$or", Value::Array(parts))), None) => parts.is_empty(),
            _ => false,
        };
        Ok(Selector {
            root: parse::selector(selector)?,
            vacuous,
        })
    }

    /// Whether the document matches.
    pub fn matches(&self, document: DocumentRef<'_>) -> bool {
        self.matches_with(document, &Document::new())
    }

    /// Whether the document matches that has these members besides, or instead of its own: `_rev`, `_conflicts`, …
    pub fn matches_with(&self, document: DocumentRef<'_>, members: &Document) -> bool {
        self.root.matches(matches::Place::Root { document, members })
    }
}

impl value::DocumentFilter for Selector {
    fn matches(&self, document: DocumentRef<'_>) -> bool {
        Selector::matches(self, document)
    }
}
