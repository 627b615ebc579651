//! The values of an index's first field, each once: after each value the scan jumps to the next one.

use super::index_cursor::{IndexCursor, ScanCounters, Step};
use super::run::Run;
use crate::Result;
use crate::plan::catalog::whole_indexes;
use crate::plan::facts::{FieldKind, IndexFacts};
use crate::plan::interval::Intervals;
use crate::plan::leaves::has_number;
use crate::plan::{Access, IndexFilters, IndexScan, Plan};
use language::filter::Node;
use language::metrics;
use std::sync::Arc;
use store::{Collection, Order, RecordId, after_prefix};
use value::{DocumentBuf, Value, ValueRef, key};

/// The number of entries that are read first. Jumps decide how many are read later.
const FIRST_ENTRIES: usize = 8;

/// The number of documents that are read together to find out whether they have null or no value.
const UNCERTAIN_MAX: usize = 256;

/// What a key leads to.
pub(super) enum ValueOrDocument<'v> {
    /// A value of the field.
    Value(ValueRef<'v>),
    /// A document that has null in the field, or no value: the key is the same for both.
    Document(DocumentBuf),
}

/// Receives the values.
pub(super) trait Taker {
    /// Takes a value, or the values of a document.
    fn take(&mut self, found: ValueOrDocument<'_>) -> Result<()>;

    /// Whether null was among the values.
    fn has_null(&self) -> bool;
}

/// What a walk has read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walked {
    /// What the scan has examined.
    pub(super) counters: ScanCounters,
    /// The number of documents that were read.
    pub(super) documents: u64,
}

/// A scan of a whole index that has all values of a field, if the query asks for all documents. Its use is counted.
pub(super) fn of_all(run: &Run<'_>, collection: &Collection, field: &str) -> Option<Arc<IndexScan>> {
    let scan = scan_of_all(run, collection, field)?;
    metrics::note(|metrics| {
        let plan = Plan {
            covered: true,
            ..Plan::of(Access::Index(scan.clone()))
        };
        metrics.planned(Arc::new(plan));
    });
    scan.index.note_use();
    Some(scan)
}

/// As [`of_all`], for an explanation, which is no use.
pub(crate) fn scan_of_all(run: &Run<'_>, collection: &Collection, field: &str) -> Option<Arc<IndexScan>> {
    let spec = &run.task.spec;
    let is_free = spec.hint.is_none() && spec.min.is_none() && spec.max.is_none();
    if !is_free
        || !matches!(spec.filter.root(), Node::AlwaysTrue)
        || IndexFilters::of(collection).allowed(spec).is_some()
    {
        return None;
    }
    let indexes = whole_indexes(collection, run.snapshot);
    let known = indexes.iter().find(|known| has_all(&known.facts, field))?;
    let bounds = known.facts.fields.iter().map(|_| Intervals::all()).collect();
    let scan = IndexScan::new(known.index.clone(), known.facts.clone(), bounds, Order::Forward);
    Some(Arc::new(scan))
}

/// The scan of a plan, if its keys have all values of a field in their order.
pub(crate) fn of_plan<'p>(plan: &'p Plan, field: &str) -> Option<&'p Arc<IndexScan>> {
    match &plan.access {
        Access::Index(scan) => {
            let is_first = scan.facts.fields.first().is_some_and(|first| first.name == field);
            let keys_suffice = plan.covered && !plan.residual && plan.sort.is_none();
            (is_first && keys_suffice && scan.order == Order::Forward).then_some(scan)
        }
        _ => None,
    }
}

/// Whether an index has a key with the field's value for each document that has one; several for an array.
fn has_all(facts: &IndexFacts, field: &str) -> bool {
    let first = facts.fields.first();
    let is_plain = !facts.hidden && facts.unusable.is_none() && facts.partial.is_none();
    is_plain
        && facts.collation.is_none()
        && !facts.is_multikey()
        && !has_number(field)
        && facts
            .fields
            .iter()
            .all(|field| matches!(field.kind, FieldKind::Ordered(_)))
        && first.is_some_and(|first| first.name == field)
}

/// Passes every value within the bounds of a scan to `taker`.
pub(super) async fn walk(run: &Run<'_>, scan: &Arc<IndexScan>, taker: &mut impl Taker) -> Result<Walked> {
    let mut cursor = IndexCursor::new(scan.clone(), FIRST_ENTRIES);
    let mut uncertain = Vec::new();
    let walked = walk_with(&mut cursor, run, taker, &mut uncertain).await;
    let read = Walked {
        counters: cursor.counters,
        documents: uncertain.len() as u64,
    };
    metrics::note(|metrics| metrics.examined(read.counters.keys, read.documents));
    walked.map(|()| read)
}

async fn walk_with(
    cursor: &mut IndexCursor,
    run: &Run<'_>,
    taker: &mut impl Taker,
    uncertain: &mut Vec<RecordId>,
) -> Result<()> {
    let first = cursor.scan().facts.fields.first();
    let Some(direction) = first.map(|field| field.kind.direction()) else {
        return Ok(());
    };
    let mut looked_at = 0;
    loop {
        let mut budget = u64::MAX;
        // `None` goes on with the next entry, `Some` jumps over all entries with this value: to a key, or to the end.
        let next = match cursor.step(&mut budget) {
            Step::Load => {
                run.task.spec.interruption.check()?;
                cursor.load(run.snapshot).await?;
                continue;
            }
            Step::Done | Step::Spent => break,
            Step::Found(entry) => {
                let (mut rest, mut bits) = (entry.key, entry.bits);
                let value = key::decode(&mut rest, &mut bits, direction);
                let value = value.unwrap_or(Value::Undefined);
                let prefix = &entry.key[..entry.key.len() - rest.len()];
                match value {
                    Value::Null if taker.has_null() => Some(after_prefix(prefix.to_vec())),
                    // Each document has to be read.
                    Value::Null | Value::Undefined => {
                        uncertain.push(entry.record);
                        None
                    }
                    value => {
                        taker.take(ValueOrDocument::Value(value.as_ref()))?;
                        Some(after_prefix(prefix.to_vec()))
                    }
                }
            }
        };
        match next {
            None if uncertain.len() - looked_at >= UNCERTAIN_MAX => {
                look_at(run, &uncertain[looked_at..], taker).await?;
                looked_at = uncertain.len();
            }
            None => {}
            Some(None) => break,
            Some(Some(behind)) => cursor.seek(behind),
        }
    }
    look_at(run, &uncertain[looked_at..], taker).await
}

/// Passes the documents of records to `taker`.
async fn look_at(run: &Run<'_>, records: &[RecordId], taker: &mut impl Taker) -> Result<()> {
    run.task.spec.interruption.check()?;
    let take = |_, document| taker.take(ValueOrDocument::Document(document));
    run.snapshot.visit_documents(records, take).await
}
