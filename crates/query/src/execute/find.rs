//! Finding documents.

use super::clustered;
use super::execution::{Execution, Paused};
use super::in_hand::turn_to_answer;
use super::lookup::chunk_max;
use super::ready::FoundRecord;
use super::run::{Run, Task};
use super::sort_key::sort_values;
use super::sorter::Sorter;
use super::stream::{Batch, DocumentStream, StreamState, visit_all};
use super::tail::{TailCursor, tail};
use super::visitor::Visitor;
use crate::plan::{Hint, Ordering};
use crate::spill::{SpillFolder, Spilled};
use crate::{Code, QueryError, Result};
use bytes::Bytes;
use futures::future::BoxFuture;
use language::Interruption;
use language::expression::Variables;
use language::filter::{Filter, GEO_NEAR_DISTANCE, GEO_NEAR_POINT, TEXT_SCORE};
use language::metrics;
use language::projection::{Projection, RECORD_ID, SORT_KEY};
use memory::Share;
use std::borrow::Cow;
use std::sync::{Arc, Weak};
use store::{Collection, Moment, RecordId, Snapshot};
use value::raw::DocumentWriter;
use value::{Document, DocumentBuf, DocumentRef, ValueRef};

/// The number of results that a plan must return to win if the client gives no batch size (MongoDB's first batch).
pub const FIRST_BATCH: usize = 101;

/// The assumed size of a projected document, by which a buffer is sized before the first documents of a batch are known.
const PROJECTED_BYTES: usize = 64;
const PROJECTED_AT_ONCE: usize = 1024;

/// A request to the executor in its only form, for finds and counts, for the front of a pipeline, and for statements that change what
/// they find. Everything in it is parsed; a [`Task`] is what must be read for it.
#[derive(Clone, Debug)]
pub struct FindSpec {
    /// What documents must match.
    pub filter: Arc<Filter>,
    /// The order of results. Plans that find them in another order sort.
    pub ordering: Ordering,
    /// The part of each document that is returned; `None` for all of it.
    pub projection: Option<Arc<Projection>>,
    /// The projection as it was given, which only an explanation shows.
    pub given_projection: Option<Document>,
    /// The fields that are needed if there is no projection; `None` for all.
    pub needed: Option<Arc<[String]>>,
    /// The variables that the projection's expressions see.
    pub variables: Variables,
    /// The number of results to skip.
    pub skip: u64,
    /// The most results to return; `None` for all.
    pub limit: Option<u64>,
    /// The index that must be used.
    pub hint: Option<Hint>,
    /// `min`: the first index key that is read.
    pub min: Option<Document>,
    /// `max`: the index key before which reading ends.
    pub max: Option<Document>,
    /// Whether reading every document is allowed.
    pub allow_full_scan: bool,
    /// Whether index keys are returned instead of documents.
    pub return_key: bool,
    /// Whether each document gets its `$recordId`.
    pub show_record_id: bool,
    /// Whether the cursor stays at the end of a capped collection, to return what is inserted.
    pub tailable: bool,
    /// The number of documents in the first batch; with 0 only the plan is made.
    pub first_batch: usize,
    /// Whether the documents go into an answer as they are found, so that long ones wait until answers of others are sent.
    pub is_answer: bool,
    /// The moment to read at, which must still be kept; `None` reads the present state.
    pub moment: Option<Weak<Moment>>,
    /// Where a sort writes what exceeds its memory; `None` if it may not use files.
    pub spill: Option<Arc<SpillFolder>>,
    /// When to end early.
    pub interruption: Interruption,
}

impl FindSpec {
    /// Everything that a filter matches.
    pub fn new(filter: Arc<Filter>) -> FindSpec {
        FindSpec {
            filter,
            ordering: Ordering::Any,
            projection: None,
            given_projection: None,
            needed: None,
            variables: Variables::default(),
            skip: 0,
            limit: None,
            hint: None,
            min: None,
            max: None,
            allow_full_scan: true,
            return_key: false,
            show_record_id: false,
            tailable: false,
            first_batch: FIRST_BATCH,
            is_answer: false,
            moment: None,
            spill: None,
            interruption: Interruption::default(),
        }
    }

    /// The collection at the moment that is to be read.
    pub(super) async fn snapshot(&self, collection: &Collection) -> Result<Snapshot> {
        match self.moment.as_ref().map(Weak::upgrade) {
            None => Ok(collection.snapshot().await?),
            Some(Some(moment)) => Ok(collection.snapshot_at(&moment).await?),
            Some(None) => Err(QueryError::new(
                Code::SNAPSHOT_TOO_OLD,
                "the snapshot that is read was kept as long as snapshots are; read again at the present time",
            )),
        }
    }

    /// What sorts the results.
    pub(super) fn sorter<T: Spilled>(&self) -> Sorter<T> {
        Sorter::new(self.results_max(), self.spill.clone(), &self.interruption.memory)
    }

    /// The most results that have to be found, including those that are skipped.
    pub fn results_max(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_add(self.skip))
    }
}

/// The results of a find, batch after batch. Between batches it holds no snapshot.
#[derive(Debug)]
pub struct FindCursor(Kind);

#[derive(Debug)]
enum Kind {
    Plan(Box<PlanCursor>),
    Tail(Box<TailCursor>),
}

#[derive(Debug)]
pub(super) struct PlanCursor {
    pub(super) collection: Arc<Collection>,
    pub(super) task: Task,
    pub(super) execution: Execution,
    /// The snapshot on which the plan was chosen, for the first batch.
    pub(super) snapshot: Option<Snapshot>,
    pub(super) skip_left: u64,
    pub(super) limit_left: u64,
}

/// Begins a find by choosing the plan. What was found while choosing goes into the first batch.
pub async fn find(collection: &Arc<Collection>, spec: FindSpec) -> Result<FindCursor> {
    if spec.tailable {
        return tail(collection, spec).map(|cursor| FindCursor(Kind::Tail(Box::new(cursor))));
    }
    // The snapshot is taken first, so that what is known of indexes afterwards, such as paths with arrays, covers everything in
    // it.
    let snapshot = spec.snapshot(collection).await?;
    let (skip_left, limit_left) = (spec.skip, spec.limit.unwrap_or(u64::MAX));
    let first_batch = spec.first_batch;
    let task = Task::new(clustered::in_order(collection, spec)?);
    let run = Run {
        snapshot: &snapshot,
        task: &task,
        wanted: wanted(limit_left, skip_left, first_batch.min(FIRST_BATCH)),
    };
    // One for all plans that are tried.
    let turn = match task.spec.is_answer {
        true => turn_to_answer(&snapshot, &task.spec.interruption).await?,
        false => None,
    };
    let mut execution = run.prepare(collection).await?.execution;
    if task.spec.is_answer {
        execution.in_hand.answers(turn.filter(|_| execution.ready() > 0));
    }
    let mut snapshot = Some(snapshot);
    if first_batch == 0 {
        execution.suspend();
        snapshot = None;
    }
    Ok(FindCursor(Kind::Plan(Box::new(PlanCursor {
        collection: collection.clone(),
        task,
        execution,
        snapshot,
        skip_left,
        limit_left,
    }))))
}

impl FindCursor {
    /// Adds documents to a batch; see [`DocumentStream::fill`].
    pub async fn next_batch(
        &mut self,
        batch: &mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> Result<StreamState> {
        match &mut self.0 {
            Kind::Plan(cursor) => cursor.next_batch(batch, documents_max, bytes_max).await,
            Kind::Tail(cursor) => cursor.next_batch(batch, documents_max, bytes_max).await,
        }
    }
}

/// The number of results that must be ready for a batch of this many, with those to be skipped, within the limit.
pub(super) fn wanted(limit_left: u64, skip_left: u64, documents: usize) -> usize {
    let within_limit = usize::try_from(limit_left).unwrap_or(usize::MAX).min(documents);
    let skipped = usize::try_from(skip_left).unwrap_or(usize::MAX);
    within_limit.saturating_add(skipped).max(1)
}

impl PlanCursor {
    /// Adds documents to a batch; see [`DocumentStream::fill`].
    pub async fn next_batch(
        &mut self,
        batch: &mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> Result<StreamState> {
        if self.is_exhausted() {
            return Ok(StreamState::Exhausted);
        }
        let snapshot = self.next_snapshot().await?;
        // A later batch is another operation, which continues with the plan of the first.
        metrics::note(|metrics| metrics.planned(self.execution.plan().clone()));
        let mut batch = Batch::new(batch, documents_max, bytes_max);
        let at_once = chunk_max(&snapshot);
        while batch.room() > 0 && self.limit_left > 0 {
            if self.gives_directly() {
                self.give_directly(&snapshot, &mut batch).await?;
                if self.execution.ready() > 0 || self.execution.is_finished() {
                    break;
                }
                continue;
            }
            let missing = batch.room().min(at_once);
            let run = Run {
                snapshot: &snapshot,
                task: &self.task,
                wanted: wanted(self.limit_left, self.skip_left, missing),
            };
            self.execution.keep(batch.bytes());
            let paused = self.execution.fill(&run).await?;
            let full = self.take_ready(&mut batch)?;
            if full || paused == Paused::Exhausted {
                break;
            }
        }
        self.execution.suspend();
        Ok(if self.is_exhausted() {
            StreamState::Exhausted
        } else {
            StreamState::More
        })
    }

    /// The snapshot for the next batch. The first batch reads the one on which the plan was chosen.
    pub(super) async fn next_snapshot(&mut self) -> Result<Snapshot> {
        if let Some(snapshot) = self.snapshot.take() {
            return Ok(snapshot);
        }
        let snapshot = self.task.spec.snapshot(&self.collection).await?;
        // A kept moment still has the entries of indexes that were dropped since.
        if self.task.spec.moment.is_none() {
            self.check_indexes()?;
        }
        // An index that had no arrays can have got some only in what is read from now on.
        let mut scans = self.execution.plan().scans().iter();
        if scans.any(|scan| scan.has_new_arrays()) {
            self.execution.expect_arrays();
        }
        Ok(snapshot)
    }

    /// Fails if an index that the plan reads was dropped: its entries are removed one by one, and those that are left would be taken for
    /// all. To be called after the snapshot was taken, which then has all entries of the indexes that are still there.
    fn check_indexes(&self) -> Result<()> {
        let indexes = self.collection.indexes();
        let is_there = |id: u32| indexes.iter().any(|index| index.id() == id);
        let plan = self.execution.plan();
        match plan.scans().iter().find(|scan| !is_there(scan.index.id())) {
            None => Ok(()),
            Some(gone) => Err(QueryError::new(
                Code::QUERY_PLAN_KILLED,
                format!("query plan killed :: index '{}' dropped", gone.facts.name),
            )),
        }
    }

    /// Moves ready results into the batch. Returns true once the next does not fit.
    fn take_ready(&mut self, batch: &mut Batch<'_>) -> Result<bool> {
        let spec = &self.task.spec;
        if let Some(projection) = spec.projection.clone()
            && !spec.return_key
            && !spec.show_record_id
        {
            return self.take_projected(&projection, batch);
        }
        batch.reserve(batch.room().min(self.execution.ready()));
        while batch.room() > 0 && self.limit_left > 0 {
            let Some(found) = self.execution.take() else {
                return Ok(false);
            };
            if self.skip_left > 0 {
                self.skip_left -= 1;
                continue;
            }
            let document = show(&self.task.spec, &found)?;
            if !batch.fits(&document) {
                self.execution.put_back(found);
                return Ok(true);
            }
            self.limit_left -= 1;
            batch.push(document);
        }
        Ok(batch.room() == 0)
    }

    /// As [`PlanCursor::take_ready`], for results that are projected: they are written into one buffer, which they share.
    fn take_projected(&mut self, projection: &Projection, batch: &mut Batch<'_>) -> Result<bool> {
        let expected = batch.room().min(self.execution.ready());
        let mut buffer = Vec::with_capacity(expected.min(PROJECTED_AT_ONCE) * PROJECTED_BYTES);
        let mut ends = Vec::with_capacity(expected);
        let mut is_full = false;
        while batch.room() > ends.len() && self.limit_left > 0 {
            let Some(found) = self.execution.take() else { break };
            if self.skip_left > 0 {
                self.skip_left -= 1;
                continue;
            }
            let start = buffer.len();
            project_found(&self.task.spec, projection, &found, &mut buffer)?;
            if !batch.fits_after(ends.len(), start, buffer.len() - start) {
                buffer.truncate(start);
                self.execution.put_back(found);
                is_full = true;
                break;
            }
            self.limit_left -= 1;
            ends.push(buffer.len());
        }
        batch.push_all(Bytes::from(buffer), &ends);
        Ok(is_full || batch.room() == 0)
    }

    /// Whether the results are all documents that were found, as they are.
    pub(super) fn gives_whole_documents(&self) -> bool {
        let spec = &self.task.spec;
        spec.projection.is_none()
            && !spec.return_key
            && !spec.show_record_id
            && !self.task.positions
            && self.skip_left == 0
            && self.limit_left == u64::MAX
    }

    /// Whether nothing is left.
    fn is_exhausted(&self) -> bool {
        self.limit_left == 0 || self.execution.is_finished()
    }
}

impl DocumentStream for FindCursor {
    fn fill<'a>(
        &'a mut self,
        batch: &'a mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>> {
        Box::pin(self.next_batch(batch, documents_max, bytes_max))
    }

    fn visit<'a>(
        &'a mut self,
        visitor: &'a mut dyn Visitor,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>> {
        Box::pin(async move {
            match &mut self.0 {
                Kind::Plan(cursor) => cursor.visit(visitor, documents_max, bytes_max).await,
                Kind::Tail(cursor) => {
                    let mut batch = Vec::new();
                    let state = cursor.next_batch(&mut batch, documents_max, bytes_max).await?;
                    visit_all(&batch, visitor)?;
                    Ok(state)
                }
            }
        })
    }

    fn attach(&mut self, interruption: &Interruption) {
        match &mut self.0 {
            Kind::Plan(cursor) => cursor.task.spec.interruption = interruption.clone(),
            Kind::Tail(cursor) => cursor.attach(interruption),
        }
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        match &mut self.0 {
            Kind::Plan(cursor) => cursor.execution.rest(idle),
            Kind::Tail(_) => Ok(()),
        }
    }
}

/// Appends a projected result.
fn project_found(
    spec: &FindSpec,
    projection: &Projection,
    found: &FoundRecord,
    out: &mut Vec<u8>,
) -> Result<()> {
    let place = FoundAt {
        position: found.position,
        key: found.key.as_deref(),
        record: Some(found.record),
    };
    project(spec, projection, found.document.as_ref(), place, out)
}

/// Where a document was found, if that is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FoundAt<'k> {
    /// The place of the array element that matched.
    position: Option<usize>,
    /// The index key.
    key: Option<&'k Document>,
    record: Option<RecordId>,
}

/// Appends a projected document.
pub(super) fn project(
    spec: &FindSpec,
    projection: &Projection,
    document: DocumentRef<'_>,
    place: FoundAt<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut variables = match place.key {
        Some(key) => Cow::Owned(spec.variables.clone().with_index_key(key.clone())),
        None => Cow::Borrowed(&spec.variables),
    };
    let metadata = metadata(spec, projection, document, place.record)?;
    if !metadata.is_empty() {
        variables.to_mut().set_metadata(metadata);
    }
    Ok(projection.apply(document, place.position, &variables, out)?)
}

/// The metadata of a document that a projection shows.
fn metadata(
    spec: &FindSpec,
    projection: &Projection,
    document: DocumentRef<'_>,
    record: Option<RecordId>,
) -> Result<Document> {
    let mut metadata = Document::new();
    let score = spec.filter.text_score(document)?;
    if let Some(score) = score {
        metadata.push(TEXT_SCORE, score);
    }
    if (projection.needs_metadata(GEO_NEAR_DISTANCE) || projection.needs_metadata(GEO_NEAR_POINT))
        && let Some((distance, place)) = spec.filter.nearest(document)
    {
        metadata.push(GEO_NEAR_DISTANCE, distance);
        metadata.push(GEO_NEAR_POINT, place);
    }
    if let Some(record) = record.filter(|_| projection.needs_metadata(RECORD_ID)) {
        metadata.push(RECORD_ID, record.0 as i64);
    }
    if let Ordering::By(pattern) = &spec.ordering
        && projection.needs_metadata(SORT_KEY)
    {
        let values = sort_values(document, |_| Ok(score.unwrap_or(0.0)), pattern)?;
        metadata.push(SORT_KEY, values);
    }
    Ok(metadata)
}

/// The document in the form that the client asked for.
pub(super) fn show(spec: &FindSpec, found: &FoundRecord) -> Result<DocumentBuf> {
    if spec.return_key {
        let key = found.key.as_deref().cloned().unwrap_or_default();
        return Ok(DocumentBuf::from(&key));
    }
    let document = match &spec.projection {
        Some(projection) => {
            let mut bytes = Vec::with_capacity(found.document.bytes().len());
            project_found(spec, projection, found, &mut bytes)?;
            DocumentBuf::from_validated(Bytes::from(bytes))
        }
        None => found.document.clone(),
    };
    if !spec.show_record_id {
        return Ok(document);
    }
    let mut bytes = Vec::with_capacity(document.bytes().len() + 20);
    let mut writer = DocumentWriter::new(&mut bytes);
    for (name, value) in document.as_raw().iter() {
        writer.put(name, value);
    }
    writer.put("$recordId", ValueRef::Int64(found.record.0 as i64));
    writer.finish();
    Ok(DocumentBuf::from_validated(Bytes::from(bytes)))
}
