//! Views: a pipeline over a collection, or over another view, read as if it were a collection.

use crate::catalog::collations;
use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limits::FIRST_BATCH_DOCUMENTS_DEFAULT;
use crate::reading::aggregate::AggregateRequest;
use crate::reading::find::FindRequest;
use crate::tables::cursors::{Cursor, CursorReply};
use crate::time_series::TimeSeries;
use code::Code;
use query::execute::DistinctValues;
use std::collections::BTreeSet;
use store::Namespace;
use value::{Document, DocumentBuf, Value, doc};

/// How many views may stand on one another.
const VIEW_DEPTH_MAX: usize = 20;

/// The order of insertion, in a sort or a hint.
const NATURAL: &str = "$natural";
/// The only option of finds on collections that also works for time series, since the cursor of a pipeline can stay open too.
const NO_CURSOR_TIMEOUT: &str = "noCursorTimeout";

/// A resolved view.
pub(crate) struct Resolved {
    /// The collection below.
    pub(crate) namespace: Namespace,
    /// The stages of all views in between, the lowest first.
    pub(crate) pipeline: Vec<Value>,
}

impl Engine {
    /// Whether a name is read through a pipeline: a view, the buckets of a time series, or a described collection.
    pub(crate) fn reads_as_view(&self, namespace: &Namespace) -> bool {
        let present = self.store().collection(namespace);
        present.is_some_and(|present| present.is_view())
            || self.buckets_of(namespace).is_some()
            || self.is_described(namespace)
    }

    /// Whether MongoDB answers `count` and `distinct` on this name by a pipeline, as for a view or a time series.
    pub fn counts_by_pipeline(&self, namespace: &Namespace) -> bool {
        let present = self.store().collection(namespace);
        present.is_some_and(|present| present.is_view() || TimeSeries::of(&present.options()).is_some())
    }

    /// Follows views down to a collection. A name that is not a view resolves to itself.
    pub(crate) fn resolve_view(&self, namespace: &Namespace) -> Result<Resolved> {
        let mut at = namespace.clone();
        let mut pipeline: Vec<Value> = Vec::new();
        for _ in 0..VIEW_DEPTH_MAX {
            if let Some(buckets) = self.buckets_of(&at) {
                pipeline.splice(..0, [Value::from(buckets.series.packing())]);
                return Ok(Resolved {
                    namespace: buckets.collection.namespace(),
                    pipeline,
                });
            }
            let Some(view) = self.store().collection(&at).filter(|c| c.is_view()) else {
                pipeline.splice(..0, self.describing(&at).map(Value::from));
                return Ok(Resolved {
                    namespace: at,
                    pipeline,
                });
            };
            let options = view.options();
            if let Some(Value::Array(stages)) = options.kept.get("pipeline") {
                pipeline.splice(..0, stages.iter().cloned());
            }
            match options.kept.get("viewOn") {
                Some(Value::String(below)) => at = Namespace::new(&at.database, below),
                _ => break,
            }
        }
        let message = format!(
            "View depth too deep or cyclic: {namespace}; at most {VIEW_DEPTH_MAX} views on each other"
        );
        Err(Error::new(Code::VIEW_DEPTH_LIMIT_EXCEEDED, message))
    }

    /// Refuses a view whose pipeline is wrong, that reads views of another collation, or that is defined on itself, directly or
    /// through other views.
    pub(crate) fn check_view(&self, namespace: &Namespace, options: &Document) -> Result<()> {
        let mut level = self.view_reads(namespace, options)?;
        for read in &level {
            let Some(view) = self.store().collection(read).filter(|c| c.is_view()) else {
                continue;
            };
            if collations::default_of(&view)? != collations::of_options(options)? {
                let message = format!("View {namespace} has conflicting collation with view {read}");
                return Err(Error::new(Code::OPTION_NOT_SUPPORTED_ON_VIEW, message));
            }
        }
        for _ in 0..VIEW_DEPTH_MAX {
            if level.contains(namespace) {
                let message = format!("View cycle detected: {namespace}");
                return Err(Error::new(Code::GRAPH_CONTAINS_CYCLE, message));
            }
            let mut below = BTreeSet::new();
            for read in &level {
                if let Some(view) = self.store().collection(read).filter(|c| c.is_view()) {
                    below.append(&mut self.view_reads(read, &view.options().kept)?);
                }
            }
            if below.is_empty() {
                return Ok(());
            }
            level = below;
        }
        Err(Error::new(
            Code::VIEW_DEPTH_LIMIT_EXCEEDED,
            format!("View depth limit exceeded; maximum depth is {VIEW_DEPTH_MAX}"),
        ))
    }

    /// The collections and views that a view with these options reads; `None` if it is not a view.
    fn view_reads(&self, namespace: &Namespace, options: &Document) -> Result<BTreeSet<Namespace>> {
        let mut reads = BTreeSet::new();
        if let Some(Value::String(below)) = options.get("viewOn") {
            reads.insert(Namespace::new(&namespace.database, below));
            if let Some(Value::Array(stages)) = options.get("pipeline") {
                let pipeline = self.check_view_pipeline(namespace, stages)?;
                reads.extend(pipeline.reads().into_iter().cloned());
            }
        }
        Ok(reads)
    }

    /// Refuses another collation than the one that a view was made with.
    pub(crate) fn check_view_collation(&self, namespace: &Namespace, asked: Option<&Document>) -> Result<()> {
        let Some(view) = self.store().collection(namespace).filter(|c| c.is_view()) else {
            return Ok(());
        };
        let own = collations::default_of(&view)?;
        if collations::asked_or(asked, own.as_ref())? == own {
            return Ok(());
        }
        let message = format!("Cannot override a view's default collation: {namespace}");
        Err(Error::new(Code::OPTION_NOT_SUPPORTED_ON_VIEW, message))
    }

    /// Refuses options of a find that pipelines do not have, if MongoDB answers the find by a pipeline: on a view or a time series.
    pub(crate) fn refuse_options_of_collections(
        &self,
        namespace: &Namespace,
        find: &FindRequest,
    ) -> Result<()> {
        let options = [
            ("min", !find.min.is_empty()),
            ("max", !find.max.is_empty()),
            ("returnKey", find.return_key),
            ("showRecordId", find.show_record_id),
            (NO_CURSOR_TIMEOUT, find.no_cursor_timeout),
        ];
        let Some((option, _)) = options.into_iter().find(|(_, given)| *given) else {
            return Ok(());
        };
        let is_refused = self.counts_by_pipeline(namespace)
            || (option != NO_CURSOR_TIMEOUT && self.reads_as_view(namespace));
        match is_refused {
            true => Err(Error::new(
                Code::INVALID_PIPELINE_OPERATOR,
                format!("Option {option} not supported in aggregation, by which {namespace} is read"),
            )),
            false => Ok(()),
        }
    }

    pub(crate) async fn find_in_view(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &FindRequest,
    ) -> Result<CursorReply> {
        let pipeline = as_pipeline(request)?;
        let cursor = Cursor {
            never_idle: request.no_cursor_timeout,
            ..self.pipeline_cursor(context, namespace, &pipeline).await?
        };
        let batch_size = request.batch_size.unwrap_or(FIRST_BATCH_DOCUMENTS_DEFAULT);
        self.open_cursor(context, cursor, batch_size, request.single_batch)
            .await
    }

    pub(crate) async fn count_in_view(
        &self,
        context: &Context,
        namespace: &Namespace,
        find: &FindRequest,
    ) -> Result<u64> {
        let mut request = as_pipeline(find)?;
        request.pipeline.push(doc! {"$count": "n"}.into());
        let counted = self.collect(context, namespace, request).await?;
        let count = counted
            .first()
            .and_then(|document| document.as_raw().get("n")?.as_f64());
        Ok(count.unwrap_or(0.0) as u64)
    }

    pub(crate) async fn distinct_in_view(
        &self,
        context: &Context,
        namespace: &Namespace,
        find: &FindRequest,
        field: &str,
    ) -> Result<Vec<Value>> {
        let collation = self.collation(namespace, find.collation.as_ref())?;
        let mut values = DistinctValues::new(field, collation);
        let mut reply = self.first_of_all(context, namespace, as_pipeline(find)?).await?;
        loop {
            let mut documents = reply.batch.iter();
            if let Err(error) = documents.try_for_each(|document| values.add(document.as_ref())) {
                self.close_cursor(reply.id);
                return Err(error.into());
            }
            if reply.id == 0 {
                return Ok(values.into_sorted());
            }
            reply = self.more_of_all(context, &reply).await?;
        }
    }

    /// All documents of a pipeline.
    async fn collect(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: AggregateRequest,
    ) -> Result<Vec<DocumentBuf>> {
        let mut reply = self.first_of_all(context, namespace, request).await?;
        let mut documents = std::mem::take(&mut reply.batch);
        while reply.id != 0 {
            reply = self.more_of_all(context, &reply).await?;
            documents.append(&mut reply.batch);
        }
        Ok(documents)
    }

    /// The first batch of a pipeline whose documents are all wanted.
    async fn first_of_all(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: AggregateRequest,
    ) -> Result<CursorReply> {
        let request = AggregateRequest {
            batch_size: Some(u64::MAX),
            ..request
        };
        self.run_pipeline(context, namespace, &request).await
    }

    async fn more_of_all(&self, context: &Context, reply: &CursorReply) -> Result<CursorReply> {
        self.get_more(context, reply.id, &reply.namespace, None, None)
            .await
    }
}

/// A find as the pipeline that answers it. A sort by `$natural` is a hint there, as in MongoDB.
pub(crate) fn as_pipeline(find: &FindRequest) -> Result<AggregateRequest> {
    let is_natural = find.sort.contains(NATURAL);
    let hints_otherwise = |hint: &Value| !hint.as_document().is_some_and(|hint| hint.contains(NATURAL));
    if is_natural && find.hint.as_ref().is_some_and(hints_otherwise) {
        return Err(Error::new(
            Code::BAD_VALUE,
            "Sort and hint cannot be used together if one of them is $natural",
        ));
    }
    let hint = match (&find.hint, is_natural) {
        (None, true) => Some(find.sort.clone().into()),
        (hint, _) => hint.clone(),
    };
    Ok(AggregateRequest {
        pipeline: stages(find),
        batch_size: find.batch_size,
        hint,
        variables: find.variables.clone(),
        allow_disk_use: !find.refuse_disk_use,
        collation: find.collation.clone(),
        bypass_validation: false,
    })
}

fn stages(find: &FindRequest) -> Vec<Value> {
    let mut stages = Vec::new();
    let mut push = |name: &str, value: Value| stages.push(Value::Document(Document::new().with(name, value)));
    if !find.filter.is_empty() {
        push("$match", find.filter.clone().into());
    }
    if !find.sort.is_empty() && !find.sort.contains(NATURAL) {
        push("$sort", find.sort.clone().into());
    }
    if find.skip > 0 {
        push("$skip", Value::Int64(find.skip as i64));
    }
    if let Some(limit) = find.limit.filter(|limit| *limit > 0) {
        push("$limit", Value::Int64(limit as i64));
    }
    if !find.projection.is_empty() {
        push("$project", find.projection.clone().into());
    }
    stages
}
