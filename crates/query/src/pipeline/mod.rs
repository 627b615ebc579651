//! Aggregation stages over pages of documents.

use crate::execute::{DocumentStream, Interruption};
use crate::expression::Variables;
use crate::filter::{Filter, FilterScope};
use crate::plan::SortPattern;
use crate::projection::Projection;
use crate::{QueryError, Result};
use std::sync::Arc;
use value::{Document, DocumentBuf, Value};

/// A parsed pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    variables: Arc<Variables>,
}

/// What a pipeline reads.
pub enum Source {
    /// The results of a query, which the front of the pipeline has become.
    Stream(Box<dyn DocumentStream>),
    /// Documents at hand.
    Documents(Vec<DocumentBuf>),
    /// Nothing.
    Empty,
}

/// What a query on the collection does for a pipeline.
#[derive(Clone, Debug, Default)]
pub struct Leading {
    /// All `$match`.
    pub filter: Document,
    /// `$sort`.
    pub sort: Option<SortPattern>,
    /// `$skip`.
    pub skip: u64,
    /// `$limit`.
    pub limit: Option<u64>,
    /// `$project`.
    pub projection: Option<Arc<Projection>>,
}

impl Leading {
    /// The filter, parsed.
    pub fn parse_filter(&self, variables: &Variables) -> Result<Filter> {
        Filter::parse(&self.filter, &FilterScope { variables: Some(variables), ..FilterScope::default() })
    }
}

impl Pipeline {
    /// Parses the stages.
    pub fn parse(_stages: &[Value], _variables: &Variables) -> Result<Pipeline> {
        Err(QueryError::bad_value("pipelines are not supported yet"))
    }

    /// The variables with which the pipeline runs.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Whether the first stage makes the documents.
    pub fn makes_documents(&self) -> bool {
        false
    }

    /// The name of the first stage.
    pub fn first_stage_name(&self) -> Option<String> {
        None
    }

    /// The front that a query on the collection does, and the stages that are left.
    pub fn split_leading(&self) -> (Leading, Pipeline) {
        (Leading::default(), self.clone())
    }

    /// Runs the stages on a source.
    pub fn run(&self, source: Source, _interruption: Interruption) -> Box<dyn DocumentStream> {
        match source {
            Source::Stream(stream) => stream,
            Source::Documents(_) | Source::Empty => unreachable!("no pipeline is parsed"),
        }
    }
}
