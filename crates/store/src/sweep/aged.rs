//! Documents of collections with their own `expireAfterSeconds`: by the date in `_id` in a clustered collection, by the
//! time field in a time series.
//!
//! A time series has no index on its times, but documents arrive in about that order. So the oldest are read page by
//! page, until a page has none that has expired. A document that was inserted among later ones goes with these.

use super::ttl;
use crate::{
    Collection, CollectionOptions, CommitOptions, Durability, Order, Outcome, PageLimit, Present, RecordId,
    SWEEP_PAGE_RECORDS, StoreError, Target, Transformed, WriteOp,
};
use std::sync::Arc;
use value::{RawDocument, Value, ValueRef};

/// Deletes documents that have expired by the collection's own option.
pub(super) async fn sweep(collection: &Arc<Collection>, now_ms: i64) -> Result<u64, StoreError> {
    let options = collection.options();
    let seconds = seconds_of(&options);
    let Some(latest_ms) = seconds.and_then(|seconds| now_ms.checked_sub((seconds as i64).checked_mul(1000)?))
    else {
        return Ok(0);
    };
    let expires = || seconds_of(&collection.options()) == seconds;
    if options.kept.contains("clusteredIndex") {
        return match collection.indexes().first() {
            Some(index) => ttl::sweep_until(collection, index, latest_ms, expires).await,
            None => Ok(0),
        };
    }
    match options.kept.get("timeseries") {
        Some(Value::Document(series)) => match series.get("timeField") {
            Some(Value::String(time_field)) => sweep_series(collection, time_field, latest_ms, expires).await,
            _ => Ok(0),
        },
        _ => Ok(0),
    }
}

fn seconds_of(options: &CollectionOptions) -> Option<f64> {
    options.kept.get("expireAfterSeconds")?.as_ref().as_f64()
}

async fn sweep_series(
    collection: &Arc<Collection>,
    time_field: &str,
    latest_ms: i64,
    expires: impl Fn() -> bool,
) -> Result<u64, StoreError> {
    let mut deleted = 0;
    let mut after = None;
    while expires() {
        let snapshot = collection.snapshot().await?;
        let limit = PageLimit {
            entries: SWEEP_PAGE_RECORDS,
            ..PageLimit::default()
        };
        let page = snapshot.records(after, Order::Forward, limit).await?;
        let mut operations = Vec::new();
        for record in page.iter() {
            after = Some(record.id);
            if has_expired(record.document.as_raw(), time_field, latest_ms) {
                operations.push(delete_if_expired(record.id, time_field.to_owned(), latest_ms));
            }
        }
        if operations.is_empty() {
            break;
        }
        let options = CommitOptions {
            ordered: false,
            durability: Durability::Soon,
            ..CommitOptions::default()
        };
        let outcomes = collection.commit(operations, options).await?;
        let gone = |outcome: &&Outcome| matches!(outcome, Outcome::Deleted { .. });
        deleted += outcomes.iter().filter(gone).count() as u64;
        if page.exhausted() {
            break;
        }
    }
    Ok(deleted)
}

fn has_expired(document: RawDocument<'_>, time_field: &str, latest_ms: i64) -> bool {
    matches!(document.get(time_field), Some(ValueRef::DateTime(ms)) if ms <= latest_ms)
}

fn delete_if_expired(record: RecordId, time_field: String, latest_ms: i64) -> WriteOp {
    WriteOp::modify(Target::Record(record), move |present: Option<Present<'_>>| {
        let expired =
            present.is_some_and(|present| has_expired(present.document.as_raw(), &time_field, latest_ms));
        Ok(if expired {
            Transformed::Delete
        } else {
            Transformed::NotMatched
        })
    })
}
