//! `$merge`: the results written into a collection, each over, into or beside the document that it belongs to.

mod parse;
mod target;
mod writing;

pub(crate) use parse::parse;

use crate::stage::{Position, Run, Stage, named};
use crate::step::Work;
use language::expression::Expression;
use std::sync::Arc;
use store::Namespace;
use value::path::FieldPath;
use value::{Document, Value};

/// A parsed `$merge`.
#[derive(Debug)]
struct Merge {
    operand: Value,
    into: Namespace,
    /// The fields in which documents that belong together are equal.
    on: Vec<(String, FieldPath)>,
    matched: WhenMatched,
    not_matched: WhenNotMatched,
    /// The variables that a pipeline for matched documents sees.
    variables: Vec<(String, Expression)>,
}

/// What becomes of a document that belongs to one in the collection.
#[derive(Clone, Debug, PartialEq)]
enum WhenMatched {
    Replace,
    KeepExisting,
    Merge,
    Fail,
    Pipeline(Vec<Value>),
}

/// What becomes of a document that belongs to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WhenNotMatched {
    Insert,
    Discard,
    Fail,
}

impl Stage for Arc<Merge> {
    fn start(&self, run: &Run) -> Work {
        Work::awaited(writing::Merging::new(Arc::clone(self), run))
    }

    fn to_document(&self) -> Document {
        named("$merge", self.operand.clone())
    }

    fn position(&self) -> Position {
        Position::Last
    }
}
