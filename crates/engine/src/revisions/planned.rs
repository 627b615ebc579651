//! Answering selectors of another protocol by indexes of the MongoDB protocol.
//!
//! If a selector's own indexes do not fit, the planner gets the filter that the selector amounts to. It returns
//! ids in order. The caller reads and matches the documents, because the filter may match more than the selector.

use super::{Order, RevisionedCollection};
use crate::error::Result;
use language::filter::{Filter, FilterScope};
use language::projection::Projection;
use mango::Selector;
use query::execute::{self, FindCursor, FindSpec, StreamState};
use query::plan::Ordering;
use std::sync::Arc;
use store::{FieldKind, Index, IndexState};
use value::{Document, Value, doc};

/// The bytes of ids that are read at once.
const BATCH_BYTES: usize = 1 << 20;

/// The ids of documents that an index found, in order.
#[derive(Debug)]
pub struct FoundIds {
    cursor: FindCursor,
    exhausted: bool,
    /// The last id that was returned.
    last: Option<Value>,
}

impl RevisionedCollection {
    /// The ids that an index for MongoDB's filters has for a selector, and possibly more; `None` if no such index bounds it.
    pub async fn found_ids(&self, selector: &Selector, order: Order) -> Result<Option<FoundIds>> {
        let indexes = self.collection.indexes();
        let has_arrays = |field: &str| {
            let mut of_field = indexes.iter().filter(|index| is_led_by(index, field));
            of_field.all(|index| index.is_multikey())
        };
        let conditions = selector.conditions(has_arrays);
        let bounds = |(field, _): &(String, Document)| indexes.iter().any(|index| is_led_by(index, field));
        if !conditions.iter().any(bounds) {
            return Ok(None);
        }
        let conditions = conditions
            .into_iter()
            .map(|(_, condition)| Value::from(condition));
        let filter = Filter::parse(
            &doc! {"$and": (conditions.collect::<Value>())},
            &FilterScope::default(),
        )?;
        let mut spec = FindSpec::new(Arc::new(filter));
        let direction = if order == Order::Forward { 1 } else { -1 };
        spec.ordering = Ordering::parse(&doc! {"_id": direction})?;
        spec.projection = Some(Arc::new(Projection::parse_find(
            &doc! {"_id": 1},
            None,
            &spec.variables,
        )?));
        let cursor = execute::find(&self.collection, spec).await?;
        Ok(Some(FoundIds {
            cursor,
            exhausted: false,
            last: None,
        }))
    }
}

impl FoundIds {
    /// The next ids, at most the given number; empty at the end.
    pub async fn next(&mut self, limit: usize) -> Result<Vec<Value>> {
        let id = |found: &value::DocumentBuf| found.as_raw().get("_id").map(value::ValueRef::to_value);
        let mut ids = Vec::new();
        while ids.is_empty() && !self.exhausted {
            let mut batch = Vec::new();
            let state = self.cursor.next_batch(&mut batch, limit, BATCH_BYTES).await?;
            self.exhausted = matches!(state, StreamState::Exhausted);
            ids.extend(batch.iter().filter_map(id));
            // Documents of a time series may have one `_id`; they follow each other.
            ids.dedup();
            if ids.first() == self.last.as_ref() {
                ids.drain(..ids.len().min(1));
            }
            self.last = ids.last().cloned().or(self.last.take());
        }
        Ok(ids)
    }
}

/// Whether an index holds all documents by this field first, in MongoDB's order.
fn is_led_by(index: &Arc<Index>, field: &str) -> bool {
    let leads = |first: &store::IndexField| {
        let is_ordered = matches!(first.kind, FieldKind::Ascending | FieldKind::Descending);
        is_ordered && first.path.parts().join(".") == field
    };
    index.state() == IndexState::Ready
        && index.partial_filter().is_none()
        && index.collation().is_none()
        && !index.spec().sparse
        && index.fields().first().is_some_and(leads)
}
