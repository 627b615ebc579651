//! Finding, counting, distinct values.

use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limits::FIRST_BATCH_DOCUMENTS_DEFAULT;
use crate::tables::cursors::{Cursor, CursorReply, Tailing};
use crate::time_series::TimeSeries;
use code::Code;
use language::expression::Variables;
use language::filter::{Filter, FilterPlace, FilterScope};
use language::projection::{Projection, RECORD_ID, SORT_KEY};
use query::execute::{self, FindSpec};
use query::plan::{Hint, Ordering};
use std::sync::Arc;
use store::Namespace;
use value::collation::Collation;
use value::date::now_ms;
use value::{Document, Value};

/// A client's query, in MongoDB's form.
#[derive(Clone, Debug, Default)]
pub struct FindRequest {
    /// What documents must match, in MongoDB's query language.
    pub filter: Document,
    /// The sort; empty for any order.
    pub sort: Document,
    /// The projection; empty for whole documents.
    pub projection: Document,
    /// The number of results to skip.
    pub skip: u64,
    /// The most results to return; `None` for all.
    pub limit: Option<u64>,
    /// Documents in the first batch; `None` for the default.
    pub batch_size: Option<u64>,
    /// Whether the cursor is closed after the first batch.
    pub single_batch: bool,
    /// The index to use: its name or key, or `{$natural: ±1}`.
    pub hint: Option<Value>,
    /// `min`: the first index key that is read.
    pub min: Document,
    /// `max`: the index key before which reading ends.
    pub max: Document,
    /// Whether index keys are returned instead of documents.
    pub return_key: bool,
    /// Whether each document gets its `$recordId`.
    pub show_record_id: bool,
    /// Whether the cursor stays open at the end of a capped collection.
    pub tailing: Tailing,
    /// Whether the cursor stays open however long it is not used.
    pub no_cursor_timeout: bool,
    /// Whether `$expr` may not read the clock, as in `count` and `distinct` on a collection; on a view these are pipelines.
    pub withholds_clock: bool,
    /// Variables for `$expr`.
    pub variables: Document,
    /// The order of strings; `None` for the collection's.
    pub collation: Option<Document>,
    /// Whether reading the whole collection is refused.
    pub refuse_full_scan: bool,
    /// Whether a sort that does not fit into memory is refused. Otherwise it uses files.
    pub refuse_disk_use: bool,
}

/// A `count` request.
#[derive(Clone, Debug, Default)]
pub struct CountRequest {
    /// What documents must match, in MongoDB's query language.
    pub filter: Document,
    /// The number of matches to skip.
    pub skip: u64,
    /// The most matches to count; `None` for all.
    pub limit: Option<u64>,
    /// The index to use.
    pub hint: Option<Value>,
    /// The order of strings; `None` for the collection's.
    pub collation: Option<Document>,
}

/// A `distinct` request.
#[derive(Clone, Debug, Default)]
pub struct DistinctRequest {
    /// The path whose values are wanted.
    pub field: String,
    /// What documents must match, in MongoDB's query language.
    pub filter: Document,
    /// The index to use.
    pub hint: Option<Value>,
    /// The order of strings; `None` for the collection's.
    pub collation: Option<Document>,
}

/// The variables of a command: the time that it began, the roles of who sent it, the order of strings, and its `let`.
pub(crate) fn variables(
    context: &Context,
    definitions: &Document,
    collation: Option<Collation>,
) -> Result<Variables> {
    let mut variables = Variables::new(now_ms())
        .with_collation(collation)
        .with_user_roles(context.user_roles.clone());
    variables.set_let(definitions)?;
    Ok(variables)
}

/// Parses a command's filter.
pub(crate) fn parse_filter(filter: &Document, variables: &Variables) -> Result<Arc<Filter>> {
    let scope = FilterScope {
        place: FilterPlace::Query,
        variables: Some(variables),
    };
    Ok(Arc::new(Filter::parse(filter, &scope)?))
}

/// Parses a command's projection; `None` for an empty document.
pub(crate) fn parse_projection(
    projection: &Document,
    filter: &Filter,
    variables: &Variables,
) -> Result<Option<Arc<Projection>>> {
    if projection.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(Projection::parse_find(
        projection,
        Some(filter),
        variables,
    )?)))
}

/// Parses a command's hint; `None` for an empty document.
pub(crate) fn parse_hint(hint: Option<&Value>) -> Result<Option<Hint>> {
    Ok(match hint {
        Some(hint) => Hint::parse(hint)?,
        None => None,
    })
}

impl From<&CountRequest> for FindRequest {
    fn from(request: &CountRequest) -> FindRequest {
        FindRequest {
            filter: request.filter.clone(),
            skip: request.skip,
            limit: request.limit,
            hint: request.hint.clone(),
            collation: request.collation.clone(),
            ..FindRequest::default()
        }
    }
}

impl From<&DistinctRequest> for FindRequest {
    fn from(request: &DistinctRequest) -> FindRequest {
        FindRequest {
            filter: request.filter.clone(),
            hint: request.hint.clone(),
            collation: request.collation.clone(),
            ..FindRequest::default()
        }
    }
}

impl FindRequest {
    /// Parses the projection, which may show a document's record id and sort key.
    fn parse_projection(&self, filter: &Filter, variables: &Variables) -> Result<Option<Arc<Projection>>> {
        if self.projection.is_empty() {
            return Ok(None);
        }
        let metadata = [RECORD_ID, SORT_KEY];
        let projection = Projection::parse_find_with(&self.projection, Some(filter), variables, &metadata)?;
        if projection.needs_metadata(SORT_KEY) && self.sort.is_empty() {
            return Err(Error::new(
                Code::BAD_VALUE,
                "cannot use sortKey $meta projection without a sort",
            ));
        }
        Ok(Some(Arc::new(projection)))
    }

    /// The parsed request. All of its errors are found here, whether the collection exists or not.
    fn spec(&self, context: &Context, collation: Option<Collation>) -> Result<FindSpec> {
        let mut variables = variables(context, &self.variables, collation)?;
        if self.withholds_clock {
            variables = variables.without_clock();
        }
        let filter = parse_filter(&self.filter, &variables)?;
        let projection = self.parse_projection(&filter, &variables)?;
        let searches = filter.text().is_some();
        let mut spec = FindSpec::new(filter);
        spec.ordering = Ordering::parse_scored(&self.sort, searches)?.with_collation(variables.collation());
        spec.projection = projection;
        spec.skip = self.skip;
        spec.limit = self.limit;
        spec.hint = parse_hint(self.hint.as_ref())?;
        spec.min = (!self.min.is_empty()).then(|| self.min.clone());
        spec.max = (!self.max.is_empty()).then(|| self.max.clone());
        spec.return_key = self.return_key;
        spec.show_record_id = self.show_record_id;
        spec.allow_full_scan = !self.refuse_full_scan;
        spec.variables = variables;
        spec.tailable = self.tailing != Tailing::No;
        if let Some(size) = self.batch_size {
            spec.first_batch = usize::try_from(size).unwrap_or(usize::MAX);
        }
        spec.moment = context.moment.clone();
        spec.interruption = context.interruption();
        Ok(spec)
    }
}

impl Engine {
    /// Turns a client's request into the executor's; the only place that does so.
    pub(crate) fn find_spec(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &FindRequest,
    ) -> Result<FindSpec> {
        let collation = self.collation(namespace, request.collation.as_ref())?;
        let mut spec = request.spec(context, collation)?;
        spec.spill = self.spill().filter(|_| !request.refuse_disk_use);
        // Who names no condition wants the whole collection.
        let may_scan = request.filter.is_empty()
            || namespace.collection.starts_with("system.")
            || Namespace::is_own_database(&namespace.database);
        spec.allow_full_scan &= may_scan || !context.refuses_full_scans;
        Ok(spec)
    }

    /// Finds documents. Returns the first batch, and a cursor if there are more.
    pub async fn find(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &FindRequest,
    ) -> Result<CursorReply> {
        let mut spec = self.find_spec(context, namespace, request)?;
        spec.is_answer = true;
        self.refuse_options_of_collections(namespace, request)?;
        if self.reads_as_view(namespace) {
            if request.tailing != Tailing::No {
                let message = format!("tailable cursor requested on view {namespace}");
                return Err(Error::new(Code::INVALID_PIPELINE_OPERATOR, message));
            }
            // Boxed, because a pipeline's future would make that of each find larger, and futures are moved.
            return Box::pin(self.find_in_view(context, namespace, request)).await;
        }
        let Some(collection) = self.store().collection(namespace) else {
            return Ok(CursorReply::empty(namespace));
        };
        if request.tailing != Tailing::No && TimeSeries::of(&collection.options()).is_some() {
            let message = format!("tailable cursor requested on time series {namespace}");
            return Err(Error::new(Code::INVALID_PIPELINE_OPERATOR, message));
        }
        collection.check_sound()?;
        if request.tailing != Tailing::No && collection.stats().count == 0 {
            // Without a last document there is no position to wait after, so the cursor closes at once, as in
            // MongoDB.
            return Ok(CursorReply::empty(namespace));
        }
        if spec.filter.asks_near() && TimeSeries::of(&collection.options()).is_some() {
            let message =
                "$geoNear, $near, and $nearSphere are not allowed in this context: a time series is read";
            return Err(Error::new(Code::location(5_626_500), message));
        }
        self.room_for_answer(context).await?;
        let stream = Box::new(execute::find(&collection, spec).await?);
        let cursor = Cursor {
            tailing: request.tailing,
            never_idle: request.no_cursor_timeout,
            collection: (request.tailing == Tailing::Awaiting).then_some(collection),
            ..Cursor::new(context, namespace, stream)
        };
        let batch_size = request.batch_size.unwrap_or(FIRST_BATCH_DOCUMENTS_DEFAULT);
        self.open_cursor(context, cursor, batch_size, request.single_batch)
            .await
    }

    /// The number of documents that match.
    pub async fn count(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &CountRequest,
    ) -> Result<u64> {
        let find = FindRequest {
            withholds_clock: !self.counts_by_pipeline(namespace),
            ..FindRequest::from(request)
        };
        let spec = self.find_spec(context, namespace, &find)?;
        if self.reads_as_view(namespace) {
            return Box::pin(self.count_in_view(context, namespace, &find)).await;
        }
        match self.store().collection(namespace) {
            None => Ok(0),
            Some(collection) => Ok(execute::count(&collection, spec).await?),
        }
    }

    /// The distinct values of a path; each element of an array is a value.
    pub async fn distinct(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &DistinctRequest,
    ) -> Result<Vec<Value>> {
        let find = FindRequest {
            withholds_clock: !self.counts_by_pipeline(namespace),
            ..FindRequest::from(request)
        };
        let spec = self.find_spec(context, namespace, &find)?;
        if self.reads_as_view(namespace) {
            return Box::pin(self.distinct_in_view(context, namespace, &find, &request.field)).await;
        }
        match self.store().collection(namespace) {
            None => Ok(Vec::new()),
            Some(collection) => {
                self.room_for_answer(context).await?;
                Ok(execute::distinct(&collection, spec, &request.field).await?)
            }
        }
    }
}
