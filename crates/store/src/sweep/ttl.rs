//! Documents of TTL indexes, which expire some time after the date in the indexed field; the earliest date, if there are several.

use crate::index::EntrySet;
use crate::{
    Collection, CommitOptions, Durability, FieldKind, Index, IndexState, KeyRange, Order, Outcome, PageLimit,
    Present, RecordId, SWEEP_PAGE_RECORDS, StoreError, Target, Transformed, WriteOp, keys,
};
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;
use value::key::{self, Direction};
use value::{Type, ValueRef};

/// Deletes documents that have expired by this index, if it is a TTL index.
pub(super) async fn sweep(
    collection: &Arc<Collection>,
    index: &Arc<Index>,
    now_ms: i64,
) -> Result<u64, StoreError> {
    let seconds = index.spec().expire_after_seconds;
    match seconds.and_then(|seconds| now_ms.checked_sub(seconds.checked_mul(1000)?)) {
        Some(latest_ms) => {
            let expires = || {
                let set = collection.index_set();
                let present = set.numbered(index.id());
                present.is_some_and(|present| present.spec().expire_after_seconds == seconds)
            };
            sweep_until(collection, index, latest_ms, expires).await
        }
        None => Ok(0),
    }
}

/// Deletes documents with a date in this index up to the one given. Stops when the index is dropped or its time to live is raised:
/// whatever is not deleted by then stays.
pub(super) async fn sweep_until(
    collection: &Arc<Collection>,
    index: &Arc<Index>,
    latest_ms: i64,
    expires: impl Fn() -> bool,
) -> Result<u64, StoreError> {
    let Some(range) = expired_range(index, latest_ms) else {
        return Ok(0);
    };
    // Each page begins after the last one, since the engine's iterators step over deleted keys one by one.
    let mut left = range.clone();
    let mut deleted = 0;
    while expires() {
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
            _ => break,
        }
    }
    Ok(deleted)
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::{IndexSpec, Namespace, Store, StoreOptions};
    use kv::{Kv, Simulation};
    use std::cell::Cell;
    use value::{DocumentBuf, Value, doc};

    #[tokio::test]
    async fn the_sweep_stops_once_documents_do_not_expire() {
        let kv = Kv::simulated(&Simulation::new(1));
        let store = Store::open(kv, StoreOptions::default()).await.unwrap();
        let namespace = Namespace::new("db", "dated");
        let collection = store.create_if_missing(&namespace).await.unwrap();
        let spec = IndexSpec::new("at_1", doc! {"at": 1});
        collection.create_indexes(vec![spec]).await.unwrap();
        let documents = (0..SWEEP_PAGE_RECORDS as i32 * 2)
            .map(|id| DocumentBuf::from(&doc! {"_id": id, "at": Value::DateTime(0)}))
            .map(WriteOp::Insert);
        collection
            .commit(documents.collect(), CommitOptions::default())
            .await
            .unwrap();
        let index = collection.indexes()[1].clone();
        let pages = Cell::new(0);
        let expires = || pages.replace(pages.get() + 1) == 0;
        let deleted = sweep_until(&collection, &index, 1, expires).await.unwrap();
        assert_eq!(deleted, SWEEP_PAGE_RECORDS as u64);
        // A dropped index deletes nothing any more, though its entries may still be there.
        let spec = IndexSpec {
            expire_after_seconds: Some(0),
            ..index.spec().clone()
        };
        let expiring = Arc::new(index.with_spec(spec, 0));
        collection.drop_index("at_1").await.unwrap();
        assert_eq!(sweep(&collection, &expiring, 1).await.unwrap(), 0);
    }
}
