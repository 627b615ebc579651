//! How a document is changed: update operators, replacement, pipeline.
//!
//! [`Update::parse`] turns an update into one of three kinds once; [`Update::apply`] changes one decoded document after
//! another. Operators are arranged by path in a tree ([`tree`]), which shows conflicts when it is built and gives
//! the order of application: fields of one document by name, numbers by value. The walk ([`apply`]) goes down the
//! document and the tree together.
//!
//! What must hold: a document is changed only in memory and only if the whole update succeeds is it used, so an
//! error half-way needs no undoing; an `_id` that was there stays equal; an update that changes nothing says so.
//!
//! Left to others: which documents are changed, and writing them (`query`).

mod apply;
mod array_filter;
mod context;
mod growth;
mod make_path;
mod operator_update;
mod operators;
mod path;
mod pipeline_update;
mod rename;
mod replacement;
mod seed;
pub mod stored;
mod tree;

pub use growth::too_large;
pub use operator_update::OPERATORS;
pub use seed::seed_document;

use language::expression::Variables;
use language::filter::{FilterPlace, FilterScope};
use language::{Error, Result};
use operator_update::OperatorUpdate;
use pipeline_update::PipelineUpdate;
use stored::only_id;
use value::{Document, Value};

/// An update as a command gives it.
#[derive(Clone, Debug)]
pub enum UpdateInput {
    /// Operators or a replacement, told apart by the first name.
    Document(Document),
    /// Stages.
    Pipeline(Vec<Value>),
}

/// What the parts of an update may refer to.
#[derive(Clone, Copy, Debug)]
pub struct UpdateScope<'a> {
    /// The command's variables, for the expressions of pipelines.
    pub variables: &'a Variables,
}

impl<'a> UpdateScope<'a> {
    /// The scope of conditions on elements: `$pull`, array filters.
    fn elements(&self) -> FilterScope<'a> {
        FilterScope {
            place: FilterPlace::Element,
            variables: Some(self.variables),
        }
    }
}

/// A parsed update.
#[derive(Clone, Debug)]
pub struct Update {
    kind: Kind,
    keeps_empty_timestamps: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Operators(OperatorUpdate),
    Replacement(Document),
    Pipeline(PipelineUpdate),
}

/// What an update did to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Nothing: the document was already as wanted.
    Unchanged,
    /// The document is another now.
    Changed,
}

impl Update {
    /// Parses an update and its array filters.
    pub fn parse(
        update: &UpdateInput,
        array_filters: &[Document],
        scope: &UpdateScope<'_>,
    ) -> Result<Update> {
        let kind = match update {
            UpdateInput::Pipeline(_) if !array_filters.is_empty() => {
                return Err(Error::failed_to_parse(
                    "arrayFilters may not be specified for pipeline-syle updates",
                ));
            }
            UpdateInput::Pipeline(stages) => Kind::Pipeline(PipelineUpdate::parse(stages, scope)?),
            UpdateInput::Document(document) if is_operators(document) => {
                Kind::Operators(OperatorUpdate::parse(document, array_filters, scope)?)
            }
            UpdateInput::Document(_) if !array_filters.is_empty() => {
                return Err(Error::failed_to_parse(
                    "arrayFilters may not be specified for replacement-syle updates",
                ));
            }
            UpdateInput::Document(replacement) => {
                // Whatever it meets: with two, nobody could say which document it is.
                only_id(replacement.into())?;
                Kind::Replacement(replacement.clone())
            }
        };
        Ok(Update {
            kind,
            keeps_empty_timestamps: false,
        })
    }

    /// Whether empty timestamps of a replacement stay so, instead of meaning now.
    #[must_use]
    pub fn keeping_empty_timestamps(mut self, keeps: bool) -> Update {
        self.keeps_empty_timestamps = keeps;
        self
    }

    /// Changes the document. `position` is where in an array the query matched (for `$`); `is_insert` is true for
    /// the document of an upsert. On an error the document is of no use.
    pub fn apply(
        &self,
        document: &mut Document,
        position: Option<usize>,
        is_insert: bool,
        variables: &Variables,
    ) -> Result<Applied> {
        match &self.kind {
            Kind::Operators(update) => update.apply(document, position, is_insert, variables),
            Kind::Replacement(replacement) => {
                let now_ms = match self.keeps_empty_timestamps {
                    true => None,
                    false => Some(variables.now_ms()?),
                };
                replacement::apply(replacement, document, is_insert, now_ms)
            }
            Kind::Pipeline(update) => update.apply(document, variables),
        }
    }

    /// Whether the update replaces whole documents.
    pub fn is_replacement(&self) -> bool {
        matches!(self.kind, Kind::Replacement(_))
    }

    /// Whether the update is made of operators.
    pub fn is_operators(&self) -> bool {
        matches!(self.kind, Kind::Operators(_))
    }

    /// Whether the position at which the query matched is needed.
    pub fn needs_position(&self) -> bool {
        matches!(&self.kind, Kind::Operators(update) if update.needs_position())
    }
}

/// Whether a document is made of operators: its first name decides.
pub fn is_operators(document: &Document) -> bool {
    document
        .iter()
        .next()
        .is_some_and(|(name, _)| name.starts_with('$'))
}
