//! Aggregation: stages over pages of documents.
//!
//! [`Pipeline::parse`] reads the stages once. [`Pipeline::split_leading`] returns the front that a query on the collection does
//! better (filter, sort, skip, limit, projection, with indexes). [`open`] runs that query and pushes its
//! pages through the remaining stages, each of which is a [`step::Step`]. Documents stay BSON until a stage builds
//! new ones. Stages reach other collections through [`Collections`].
//!
//! What must hold:
//! - a stage returns documents as soon as it has them; only stages that must see all of them (`$group`, `$sort` …) keep them, in
//!   bounded memory ([`STAGE_BYTES_MAX`]);
//! - a limit that is reached ends everything before it.
//!
//! Left to others: indexes and reading (`query`), expressions, accumulators and projections (`language`), names and rights
//! (`engine`).

mod chain;
mod collections;
mod fields;
mod fused;
mod implied;
mod join_key;
mod join_step;
mod kept;
mod leading;
mod open;
mod paged;
mod parse;
mod portion;
mod row;
mod run;
mod sorted_input;
mod stage;
mod stages;
mod step;
mod sub_pipeline;
mod waiting;
mod window;

pub use collections::{
    CollectionStatistics, Collections, DocumentCheck, NoCollections, Resolved, Searched, Searching, Subject,
    WantedOperations, WriteTarget,
};
pub use kept::STAGE_BYTES_MAX;
pub use leading::Leading;
pub use open::{OpenOptions, Opened, open};
pub use parse::{STAGES_MAX, SUB_PIPELINE_DEPTH_MAX, stage_names};
pub use stage::Surroundings;
pub use stages::accumulation::accumulator_names;
pub use stages::out_time_series::GRANULARITIES;
pub use window::window_function_names;

pub use query::{Code, QueryError, Result};

use chain::Chain;
use fused::Fused;
use language::expression::Variables;
use query::execute::{DocumentStream, Interruption};
use row::Row;
use run::{Input, Running};
use stage::{Origin, Position, Run, Stage, stage_name};
use std::sync::Arc;
use value::{Document, DocumentBuf};

/// Stands for the collection's name in a pipeline without a collection.
pub const COLLECTIONLESS: &str = "$cmd.aggregate";

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
    /// Documents in memory.
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
        self.origin().is_some()
    }

    /// Whether the first stage makes the documents without any collection.
    pub fn needs_no_collection(&self) -> bool {
        self.origin() == Some(Origin::Database)
    }

    fn origin(&self) -> Option<Origin> {
        match self.stages.first()?.position() {
            Position::First(origin) => Some(origin),
            Position::Anywhere | Position::FirstOnCollection | Position::Last => None,
        }
    }

    /// The name of the first stage.
    pub fn first_stage_name(&self) -> Option<String> {
        self.stages.first().map(|stage| stage_name(&**stage))
    }

    /// The collections that its stages, and the stages within them, read besides the one that it runs on.
    pub fn reads(&self) -> Vec<&store::Namespace> {
        self.stages.iter().flat_map(|stage| stage.reads()).collect()
    }

    /// Whether the last stage writes the documents, so that none are returned.
    pub fn writes(&self) -> bool {
        self.stages
            .last()
            .is_some_and(|stage| stage.position() == Position::Last)
    }

    /// Runs the stages on a source.
    pub fn run(
        &self,
        source: Source,
        surroundings: &Surroundings,
        interruption: Interruption,
    ) -> Box<dyn DocumentStream> {
        let input = match source {
            Source::Stream(stream) if self.stages.is_empty() => return stream,
            Source::Stream(stream) => Input::Stream(stream),
            Source::Documents(documents) => Input::Rows(documents.into_iter().map(Row::Raw).collect()),
            Source::Empty => Input::Rows(Default::default()),
        };
        Box::new(self.begin(0, input, surroundings, interruption))
    }

    /// Runs the stages on a query; those before the first group run as one.
    fn run_fused(
        &self,
        stream: Box<dyn DocumentStream>,
        fused: Fused,
        surroundings: &Surroundings,
        interruption: Interruption,
    ) -> Box<dyn DocumentStream> {
        let taken = fused.taken;
        Box::new(self.begin(taken, Input::Fused(stream, fused), surroundings, interruption))
    }

    fn begin(
        &self,
        taken: usize,
        input: Input,
        surroundings: &Surroundings,
        interruption: Interruption,
    ) -> Running {
        let run = Run {
            variables: Arc::clone(&self.variables),
            surroundings: surroundings.clone(),
            memory: interruption.memory.clone(),
        };
        let steps = self.stages[taken..].iter().map(|stage| stage.start(&run));
        let spill = surroundings.spill.clone();
        Running::new(input, Chain::new(steps.collect()), spill, interruption)
    }

    /// The stages as documents, as explain shows them.
    pub fn to_documents(&self) -> Vec<Document> {
        let stages = self.stages.iter().map(|stage| stage.to_document());
        // Stages that were added for another one are not shown.
        stages.filter(|stage| !stage.is_empty()).collect()
    }
}
