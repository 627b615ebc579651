//! Documents of TTL indexes: deleted so long after the date in the indexed field, the earliest where there are many.

use crate::index::EntrySet;
use crate::{
    Collection, CommitOptions, Durability, FieldKind, Index, IndexState, KeyRange, Order, Outcome, PageLimit,
    Present, RecordId, SWEEP_PAGE_RECORDS, StoreError, Target, Transformed, WriteOp, keys,
};
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;
use value::key::{self, Direction};
use value::{Type, ValueRef};

/// Deletes what has expired by this index, if it is a TTL index.
pub(super) async fn sweep(
    collection: &Arc<Collection>,
    index: &Arc<Index>,
    now_ms: i64,
) -> Result<u64, StoreError> {
    let seconds = index.spec().expire_after_seconds;
    match seconds.and_then(|seconds| now_ms.checked_sub(seconds.checked_mul(1000)?)) {
        Some(latest_ms) => sweep_until(collection, index, latest_ms).await,
        None => Ok(0),
    }
}

/// Deletes documents with a date in this index that is no later than the one given.
pub(super) async fn sweep_until(
    collection: &Arc<Collection>,
    index: &Arc<Index>,
    latest_ms: i64,
) -> Result<u64, StoreError> {
    let Some(range) = expired_range(index, latest_ms) else {
        return Ok(0);
    };
    // Each page begins after the last one, since the engine's iterators step over deleted keys one by one.
    let mut left = range.clone();
    let mut deleted = 0;
    loop {
        let snapshot = collection.snapshot().await?;
        let limit = PageLimit {
            entries: SWEEP_PAGE_RECORDS,
            ..PageLimit::default()
        };
        let page = snapshot.entries(index, &left, Order::Forward, limit).await?;
        let mut records: Vec<RecordId> = page.iter().map(|entry| entry.record).collect();
        records.sort_unstable();
        records.dedup();
        let operations: Vec<WriteOp> = records
            .into_iter()
            .map(|record| delete_if_expired(record, index.clone(), range.clone()))
            .collect();
        let options = CommitOptions {
            ordered: false,
            durability: Durability::Soon,
            ..CommitOptions::default()
        };
        let outcomes = collection.commit(operations, options).await?;
        let gone = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Outcome::Deleted { .. }))
            .count();
        deleted += gone as u64;
        match page.last_position() {
            Some(last) if !page.exhausted() => left.low = Bound::Excluded(last),
            _ => return Ok(deleted),
        }
    }
}

/// The keys of dates that have expired; `None` if the index holds no dates or cannot be read yet.
fn expired_range(index: &Index, latest_ms: i64) -> Option<KeyRange> {
    let [field] = index.fields() else { return None };
    let direction = match field.kind {
        FieldKind::Ascending => Direction::Ascending,
        FieldKind::Descending => Direction::Descending,
        _ => return None,
    };
    if index.state() != IndexState::Ready {
        return None;
    }
    let mut latest = Vec::new();
    key::encode(ValueRef::DateTime(latest_ms), direction, &mut latest);
    let (first, end) = key::type_range(Type::DateTime, direction);
    Some(match direction {
        Direction::Ascending => KeyRange {
            low: Bound::Included(first),
            high: Bound::Included(latest),
        },
        Direction::Descending => KeyRange {
            low: Bound::Included(latest),
            high: Bound::Excluded(end),
        },
    })
}

fn delete_if_expired(record: RecordId, index: Arc<Index>, range: KeyRange) -> WriteOp {
    WriteOp::modify(Target::Record(record), move |present: Option<Present<'_>>| {
        let Some(present) = present else {
            return Ok(Transformed::NotMatched);
        };
        let mut entries = EntrySet::default();
        entries.push_index(0, &index, present.document.as_raw())?;
        let prefix_bytes = keys::index_prefix(index.id()).len();
        let bounds = (
            range.low.as_ref().map(Vec::as_slice),
            range.high.as_ref().map(Vec::as_slice),
        );
        let expired = |key: &[u8]| RangeBounds::<[u8]>::contains(&bounds, &key[prefix_bytes..]);
        let any = entries.all().iter().any(|&span| expired(entries.key(span)));
        Ok(if any {
            Transformed::Delete
        } else {
            Transformed::NotMatched
        })
    })
}
