//! What all parsed stages have in common.

use super::step::Step;
use crate::expression::Variables;
use crate::plan::SortPattern;
use crate::projection::Projection;
use std::fmt::Debug;
use std::sync::Arc;
use value::{Document, Value};

/// A parsed stage.
pub(crate) trait Stage: Debug + Send + Sync {
    /// The stage at work, from its beginning.
    fn start(&self, variables: &Arc<Variables>) -> Box<dyn Step>;

    /// The stage as a document, as explain shows it.
    fn to_document(&self) -> Document;

    /// What the stage does that a query on a collection could do as well.
    fn part(&self) -> QueryPart<'_> {
        QueryPart::None
    }

    /// Whether the stage makes the documents itself, so that it can only be the first.
    fn is_source(&self) -> bool {
        false
    }

    /// Keeps only the first so many results, where that saves the stage something.
    fn limited(&self, _results_max: u64) -> Option<Box<dyn Stage>> {
        None
    }
}

/// What a stage asks that a query on a collection can answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueryPart<'s> {
    /// Nothing of the kind.
    None,
    /// `$match`
    Filter(&'s Document),
    /// `$sort`, with the limit that it has taken over
    Sort(&'s SortPattern, Option<u64>),
    /// `$skip`
    Skip(u64),
    /// `$limit`
    Limit(u64),
    /// `$project`, `$addFields`, `$set`, `$unset`
    Projection(&'s Arc<Projection>),
}

/// What stages are parsed with.
pub(crate) struct StageScope<'v> {
    /// The variables, with their values.
    pub(crate) variables: &'v Variables,
}

/// `{name: value}`
pub(crate) fn named(name: &str, value: impl Into<Value>) -> Document {
    Document::new().with(name, value)
}
