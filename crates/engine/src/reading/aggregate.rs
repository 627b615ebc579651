//! Running aggregation pipelines.

use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limits::FIRST_BATCH_DOCUMENTS_DEFAULT;
use crate::reading::find::{parse_hint, variables};
use crate::reading::stage_collections::StageCollections;
use crate::tables::cursors::{Cursor, CursorReply};
use code::Code;
use language::expression::Variables;
use pipeline::{COLLECTIONLESS, OpenOptions, Opened, Pipeline, Surroundings};
use std::sync::Arc;
use store::Namespace;
use value::{Document, DocumentBuf, Value};

/// The bytes that the stages of a view may have, as in MongoDB.
const VIEW_PIPELINE_BYTES_MAX: usize = 16 * 1000 * 1000;

/// What a pipeline reads.
#[derive(Clone, Debug)]
pub enum AggregateSource {
    /// A collection or view.
    Collection(Namespace),
    /// No collection: the first stage makes the documents (`$documents`, `$currentOp` …).
    Database(String),
}

impl AggregateSource {
    /// The name under which the pipeline runs.
    pub fn namespace(&self) -> Namespace {
        match self {
            AggregateSource::Collection(namespace) => namespace.clone(),
            AggregateSource::Database(database) => Namespace::new(database, COLLECTIONLESS),
        }
    }
}

/// A client's aggregation.
#[derive(Clone, Debug, Default)]
pub struct AggregateRequest {
    /// The stages.
    pub pipeline: Vec<Value>,
    /// Documents in the first batch; `None` for the default.
    pub batch_size: Option<u64>,
    /// The index to use.
    pub hint: Option<Value>,
    /// The order of strings; `None` for the collection's.
    pub collation: Option<Document>,
    /// Variables that all stages see.
    pub variables: Document,
    /// Whether large stages may use the disk.
    pub allow_disk_use: bool,
    /// Whether `$out` and `$merge` bypass the target's validator.
    pub bypass_validation: bool,
}

impl AggregateRequest {
    pub(crate) fn open_options(&self, context: &Context) -> Result<OpenOptions> {
        Ok(OpenOptions {
            hint: parse_hint(self.hint.as_ref())?,
            first_batch: self
                .batch_size
                .map(|size| usize::try_from(size).unwrap_or(usize::MAX)),
            interruption: context.interruption(),
        })
    }
}

impl Engine {
    /// Runs a pipeline. Returns the first batch, and a cursor if there are more documents.
    pub async fn aggregate(
        &self,
        context: &Context,
        source: &AggregateSource,
        request: &AggregateRequest,
    ) -> Result<CursorReply> {
        self.run_pipeline(context, &source.namespace(), request).await
    }

    /// Runs a pipeline on a collection, or on the pipeline of a view.
    pub(crate) async fn run_pipeline(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &AggregateRequest,
    ) -> Result<CursorReply> {
        let cursor = self.pipeline_cursor(context, namespace, request).await?;
        let batch_size = request.batch_size.unwrap_or(FIRST_BATCH_DOCUMENTS_DEFAULT);
        self.open_cursor(context, cursor, batch_size, false).await
    }

    /// The cursor of a pipeline, before anything is read.
    pub(crate) async fn pipeline_cursor(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &AggregateRequest,
    ) -> Result<Cursor> {
        self.check_view_collation(namespace, request.collation.as_ref())?;
        let surroundings = self.surroundings(context, request);
        let collation = self.collation(namespace, request.collation.as_ref())?;
        let variables = variables(context, &request.variables, collation)?;
        let options = request.open_options(context)?;
        let opened = Opened::resolve(namespace, &request.pipeline, &variables, &surroundings, &options)?;
        self.room_for_answer(context).await?;
        let stream = opened.start(&surroundings, context.interruption()).await?;
        Ok(Cursor::new(context, namespace, stream))
    }

    /// What a pipeline may use.
    pub(crate) fn surroundings(&self, context: &Context, request: &AggregateRequest) -> Surroundings {
        Surroundings {
            collections: Arc::new(StageCollections::new(self, context, request.bypass_validation)),
            moment: context.moment.clone(),
            spill: self.spill().filter(|_| request.allow_disk_use),
        }
    }

    /// Checks the pipeline of a view: refuses stages that are wrong, or that a view cannot have.
    pub(crate) fn check_view_pipeline(&self, namespace: &Namespace, stages: &[Value]) -> Result<Pipeline> {
        let pipeline = Pipeline::parse(stages, &Variables::default(), namespace)?;
        if pipeline.writes() {
            let message = "The pipeline of a view cannot write: it has a stage $out or $merge";
            return Err(Error::new(Code::OPTION_NOT_SUPPORTED_ON_VIEW, message));
        }
        if pipeline.needs_no_collection() {
            let message =
                "The pipeline of a view cannot make its documents: its first stage reads no collection";
            return Err(Error::new(Code::INVALID_NAMESPACE, message));
        }
        let bytes = DocumentBuf::from(&Document::new().with("pipeline", stages.to_vec()))
            .bytes()
            .len();
        if bytes > VIEW_PIPELINE_BYTES_MAX {
            let message =
                format!("View pipeline exceeds maximum size; maximum size is {VIEW_PIPELINE_BYTES_MAX}");
            return Err(Error::new(Code::VIEW_PIPELINE_MAX_SIZE_EXCEEDED, message));
        }
        Ok(pipeline)
    }
}
