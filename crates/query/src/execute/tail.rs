//! Following a capped collection: documents are returned as they are inserted.

use super::collection_cursor::CollectionCursor;
use super::find::{FIRST_BATCH, FindSpec, show};
use super::ready::FoundRecord;
use super::stream::{Batch, StreamState};
use crate::plan::Ordering;
use crate::{Code, QueryError, Result};
use language::Interruption;
use std::sync::Arc;
use store::{Collection, Order, RecordId, Snapshot};
use value::DocumentBuf;

/// A cursor that stays at the end of a capped collection. Between batches it holds the id of the last record that it
/// examined, but no snapshot, so the next batch sees what was inserted meanwhile.
#[derive(Debug)]
pub(super) struct TailCursor {
    collection: Arc<Collection>,
    spec: FindSpec,
    after: Option<RecordId>,
    skip_left: u64,
    limit_left: u64,
}

/// Begins to follow a capped collection in natural order.
pub(super) fn tail(collection: &Arc<Collection>, spec: FindSpec) -> Result<TailCursor> {
    if collection.options().capped.is_none() {
        return Err(QueryError::bad_value(format!(
            "error processing query: tailable cursor requested on non capped collection: {}",
            collection.namespace()
        )));
    }
    if !matches!(spec.ordering, Ordering::Any | Ordering::Natural(Order::Forward)) {
        return Err(QueryError::bad_value(
            "error processing query: cannot use tailable option with a sort other than {$natural: 1}",
        ));
    }
    if !spec.allow_full_scan {
        return Err(QueryError::new(
            Code::NO_QUERY_EXECUTION_PLANS,
            "error processing query: planner returned error :: caused by :: Running with 'notablescan', so tailable cursors \
             (which always do a table scan) are not allowed",
        ));
    }
    let limit_left = spec.limit.unwrap_or(u64::MAX);
    Ok(TailCursor {
        collection: collection.clone(),
        after: None,
        skip_left: spec.skip,
        limit_left,
        spec,
    })
}

impl TailCursor {
    /// Adds documents to a batch; see [`super::DocumentStream::fill`].
    pub(super) async fn next_batch(
        &mut self,
        batch: &mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> Result<StreamState> {
        let snapshot = self.collection.snapshot().await?;
        self.check_position(&snapshot).await?;
        let mut cursor = CollectionCursor::after(self.after, FIRST_BATCH);
        let projection = self.spec.projection.as_ref();
        let positions = projection.is_some_and(|projection| projection.needs_position());
        let mut batch = Batch::new(batch, documents_max, bytes_max);
        let mut examined = 0u64;
        while batch.room() > 0 && self.limit_left > 0 {
            if examined.is_multiple_of(1024) {
                self.spec.interruption.check()?;
            }
            examined += 1;
            let Some((record, document)) = cursor.next(&snapshot).await? else {
                return Ok(StreamState::Exhausted);
            };
            let (filter, mut position) = (&self.spec.filter, None);
            let matches = match positions {
                true => filter.matches_positioned(document.as_ref(), &mut position)?,
                false => filter.matches(document.as_ref())?,
            };
            if matches {
                let found = FoundRecord {
                    record,
                    document,
                    position,
                    key: None,
                };
                let shown = show(&self.spec, &found)?;
                // `after` still names the record before this one, so the next batch begins with it.
                if !batch.fits(&shown) {
                    return Ok(StreamState::More);
                }
                if self.skip_left > 0 {
                    self.skip_left -= 1;
                } else {
                    self.limit_left -= 1;
                    batch.push(shown);
                }
            }
            self.after = Some(record);
        }
        Ok(StreamState::More)
    }

    /// Fails if the record that was examined last is gone: the collection may then also have dropped records after it that the
    /// cursor has not seen.
    async fn check_position(&self, snapshot: &Snapshot) -> Result<()> {
        if self.collection.is_dropped() {
            return Err(QueryError::new(
                Code::QUERY_PLAN_KILLED,
                "collection dropped while a tailable cursor was open on it",
            ));
        }
        match self.after {
            Some(after) if snapshot.by_record(after).await?.is_none() => Err(QueryError::new(
                Code::CAPPED_POSITION_LOST,
                format!(
                    "CollectionScan died due to position in capped collection being deleted. Last seen record id: \
                     RecordId({})",
                    after.0
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Sets the operation under which the next batches run.
    pub(super) fn attach(&mut self, interruption: &Interruption) {
        self.spec.interruption = interruption.clone();
    }
}
