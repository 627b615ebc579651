//! `$merge`: writes the results into a collection. Each replaces its counterpart there, is merged into it, or is inserted.

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
    /// The fields in which a result equals its counterpart.
    on: Vec<(String, FieldPath)>,
    matched: WhenMatched,
    not_matched: WhenNotMatched,
    /// The variables that a pipeline for matched documents sees.
    variables: Vec<(String, Expression)>,
}

/// What to do with a result that has a counterpart.
#[derive(Clone, Debug, PartialEq)]
enum WhenMatched {
    Replace,
    KeepExisting,
    Merge,
    Fail,
    Pipeline(Vec<Value>),
}

/// What to do with a result without a counterpart.
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
