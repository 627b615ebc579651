//! Running aggregation pipelines.

use crate::cursors::{Cursor, CursorReply};
use crate::find::{Tailing, parse_hint, variables};
use crate::limits::FIRST_BATCH_DOCUMENTS_DEFAULT;
use crate::{Context, Engine, Error, Result};
use query::Code;
use query::execute::{DocumentStream, FindSpec};
use query::pipeline::{Leading, Pipeline, Source};
use query::plan::Ordering;
use std::sync::Arc;
use store::Namespace;
use value::{Document, Value};

/// What a pipeline reads.
#[derive(Clone, Debug)]
pub enum AggregateSource {
    /// A collection or view.
    Collection(Namespace),
    /// No collection: the first stage makes the documents (`$documents`, `$currentOp` …).
    Database(String),
}

/// A pipeline as a client asks it.
#[derive(Clone, Debug, Default)]
pub struct AggregateRequest {
    /// The stages.
    pub pipeline: Vec<Value>,
    /// Documents in the first batch; none for the default.
    pub batch_size: Option<u64>,
    /// The index to use.
    pub hint: Option<Value>,
    /// Variables that all stages see.
    pub variables: Document,
    /// Whether large stages may use the disk.
    pub allow_disk_use: bool,
}

impl Engine {
    /// Runs a pipeline: the first batch, and a cursor where there are more documents.
    pub async fn aggregate(
        &self,
        context: &Context,
        source: &AggregateSource,
        request: &AggregateRequest,
    ) -> Result<CursorReply> {
        match source {
            AggregateSource::Collection(namespace) => {
                self.run_pipeline(context, namespace, request, false).await
            }
            AggregateSource::Database(database) => {
                let namespace = Namespace::new(database, "$cmd.aggregate");
                let pipeline = self.parse_pipeline(&request.pipeline, &request.variables)?;
                if !pipeline.makes_documents() {
                    let message = "{aggregate: 1} is not valid for this pipeline: its first stage must make the \
                                   documents, such as $documents; name a collection to read one";
                    return Err(Error::new(Code(73), message));
                }
                let stream = pipeline.run(Source::Empty, context.interruption());
                self.open_stream(context, namespace, stream, request.batch_size, false)
                    .await
            }
        }
    }

    /// Runs a pipeline on a collection, or on the pipeline of a view.
    pub(crate) async fn run_pipeline(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &AggregateRequest,
        single_batch: bool,
    ) -> Result<CursorReply> {
        let resolved = self.resolve_view(namespace)?;
        let mut stages = resolved.pipeline;
        stages.extend(request.pipeline.iter().cloned());
        let pipeline = self.parse_pipeline(&stages, &request.variables)?;
        if pipeline.makes_documents() {
            let first = pipeline.first_stage_name().unwrap_or_default();
            let message = format!(
                "{first} is only valid as the first stage of a pipeline on a database: {{aggregate: 1}}"
            );
            return Err(Error::new(Code(73), message));
        }
        let stream = match self.store().collection(&resolved.namespace) {
            None => pipeline.run(Source::Empty, context.interruption()),
            Some(collection) => {
                let (leading, rest) = pipeline.split_leading();
                let mut spec = leading_spec(&leading, &pipeline, request, context)?;
                let sort = leading
                    .sort
                    .as_ref()
                    .map(query::plan::SortPattern::to_document)
                    .unwrap_or_default();
                spec.allowed_indexes =
                    self.allowed_indexes(&resolved.namespace, &leading.filter, &sort, &Document::new());
                let found = query::execute::find(&collection, spec).await?;
                rest.run(Source::Stream(Box::new(found)), context.interruption())
            }
        };
        self.open_stream(
            context,
            namespace.clone(),
            stream,
            request.batch_size,
            single_batch,
        )
        .await
    }

    pub(crate) fn parse_pipeline(&self, stages: &[Value], definitions: &Document) -> Result<Pipeline> {
        Ok(Pipeline::parse(stages, &variables(definitions)?)?)
    }

    async fn open_stream(
        &self,
        context: &Context,
        namespace: Namespace,
        stream: Box<dyn DocumentStream>,
        batch_size: Option<u64>,
        single_batch: bool,
    ) -> Result<CursorReply> {
        let cursor = Cursor {
            namespace,
            stream,
            user: context.user.clone(),
            session: context.session,
            tailing: Tailing::No,
            never_idle: false,
            collection: None,
        };
        self.open_cursor(
            cursor,
            batch_size.unwrap_or(FIRST_BATCH_DOCUMENTS_DEFAULT),
            single_batch,
        )
        .await
    }
}

/// What the front of a pipeline asks of the collection.
pub(crate) fn leading_spec(
    leading: &Leading,
    pipeline: &Pipeline,
    request: &AggregateRequest,
    context: &Context,
) -> Result<FindSpec> {
    let variables = pipeline.variables();
    let mut spec = FindSpec::new(Arc::new(leading.parse_filter(variables)?));
    if let Some(sort) = &leading.sort {
        spec.ordering = Ordering::By(sort.clone());
    }
    spec.skip = leading.skip;
    spec.limit = leading.limit;
    spec.projection = leading.projection.clone();
    spec.variables = variables.clone();
    if let Some(size) = request.batch_size {
        spec.first_batch = usize::try_from(size).unwrap_or(usize::MAX);
    }
    spec.hint = parse_hint(request.hint.as_ref())?;
    spec.interruption = context.interruption();
    Ok(spec)
}
