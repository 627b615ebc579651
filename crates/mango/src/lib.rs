//! CouchDB's query language (Mango): what a query asks, which documents match, which of the database's indexes answers.
//!
//! - [`Selector`]: a condition, parsed once, then matched against documents. It becomes a tree of nodes in CouchDB's
//!   normal form: implicit conjunctions written out, fields pushed down to their tests, negations pushed down as far
//!   as they go (`src/mango/src/mango_selector.erl`, `normalize`).
//! - [`options`]: the body of `_find`; [`index`], [`sort`]: an index as clients see it; [`new_index`]: the body of `_index`.
//! - [`text`]: text indexes, and selectors as they are asked.
//! - [`choice`]: the index that CouchDB would choose, because clients see which it is; [`explain`] tells why, [`warning`] what it cost. A
//!   [`Range`] is what a field of an index is bounded by (`src/mango/src/mango_idx_view.erl`).
//!
//! A selector differs from MongoDB's filters (`language::filter`) in what it finds: values of all types are ordered
//! with each other, strings by the root collation; a missing field satisfies nothing but `$exists: false`; arrays are
//! not looked into.
//!
//! Left to others: design documents, reading and paging (`couch`), the order of values (`value::collated`).

mod candidates;
pub mod choice;
mod error;
pub mod explain;
mod extract;
mod fields;
mod filter;
pub mod index;
mod matches;
pub mod name;
mod negate;
pub mod new_index;
pub mod options;
mod order;
mod parse;
mod range;
mod show;
pub mod sort;
pub mod text;
pub mod warning;

pub use error::{Error, Result, SelectorError, shown};
pub use extract::extract;
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
    /// Texts have what is searched for, which only a text index can say.
    Text(Value),
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
    /// Parses a selector; `$text` is refused, since no index is asked.
    pub fn parse(selector: &Document) -> Result<Selector, SelectorError> {
        let parsed = Selector::parse_query(selector)?;
        match parsed.searches_text() {
            true => Err(SelectorError::NotSupported("$text".to_owned())),
            false => Ok(parsed),
        }
    }

    /// Parses the selector of a query, in which `$text` may stand.
    pub fn parse_query(selector: &Document) -> Result<Selector, SelectorError> {
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
        self.root
            .matches(matches::MatchTarget::Root { document, members })
    }
}

impl value::DocumentFilter for Selector {
    fn matches(&self, document: DocumentRef<'_>) -> bool {
        Selector::matches(self, document)
    }
}
