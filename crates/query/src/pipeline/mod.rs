//! Aggregation: stages over pages of documents.
//!
//! [`Pipeline::parse`] reads the stages once. [`Pipeline::split_leading`] gives what a query on the collection does
//! better (filter, sort, skip, limit, projection, with indexes); [`Pipeline::open`] runs that query and pushes its
//! pages through the stages that are left, each of which is a [`step::Step`]. Documents stay BSON until a stage builds
//! new ones.
//!
//! What must hold:
//! - a stage gives documents as soon as it has them; only those that must see all (`$group`, `$sort` …) keep them, in
//!   bounded memory ([`STAGE_BYTES_MAX`]);
//! - a limit that is reached ends everything before it.
//!
//! Left to others: indexes and reading (`plan`, `execute`), expressions and accumulators (`expression`), what
//! `$project` and its relatives mean (`projection`).

mod leading;
mod memory;
mod parse;
mod row;
mod run;
mod stage;
mod stages;
mod step;

pub use leading::Leading;
pub use memory::STAGE_BYTES_MAX;
pub use parse::STAGES_MAX;

use crate::execute::{DocumentStream, Interruption};
use crate::expression::Variables;
use row::Row;
use run::{Input, Running};
use stage::Stage;
use std::sync::Arc;
use value::{Document, DocumentBuf};

/// A parsed pipeline. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pipeline {
    stages: Vec<Arc<dyn Stage>>,
    variables: Arc<Variables>,
}

/// What a pipeline reads.
pub enum Source {
    /// The results of a query, which the front of the pipeline has become.
    Stream(Box<dyn DocumentStream>),
    /// Documents at hand.
    Documents(Vec<DocumentBuf>),
    /// Nothing: the collection does not exist, or the first stage makes the documents.
    Empty,
}

impl Pipeline {
    /// Whether no stage is left.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// The variables with which the pipeline runs.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Whether the first stage makes the documents, so that no collection is read.
    pub fn makes_documents(&self) -> bool {
        self.stages.first().is_some_and(|stage| stage.is_source())
    }

    /// The name of the first stage.
    pub fn first_stage_name(&self) -> Option<String> {
        self.stages.first().map(|stage| parse::stage_name(&**stage))
    }

    /// Runs the stages on a source.
    pub fn run(&self, source: Source, interruption: Interruption) -> Box<dyn DocumentStream> {
        let input = match source {
            Source::Stream(stream) if self.stages.is_empty() => return stream,
            Source::Stream(stream) => Input::Stream(stream),
            Source::Documents(documents) => Input::Rows(documents.into_iter().map(Row::Raw).collect()),
            Source::Empty => Input::Rows(Default::default()),
        };
        let steps = self.stages.iter().map(|stage| stage.start(&self.variables));
        Box::new(Running::new(input, steps.collect(), interruption))
    }

    /// The stages as documents, as explain shows them.
    pub fn to_documents(&self) -> Vec<Document> {
        self.stages.iter().map(|stage| stage.to_document()).collect()
    }
}
