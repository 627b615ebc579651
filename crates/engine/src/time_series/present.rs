//! Finding the measurements of inserted buckets that exist already.
//!
//! A series may have several documents with the same `_id`. In MongoDB, buckets have their own ids, so that restoring them twice does
//! not double them. Here there are no buckets, so a measurement that exists unchanged is refused instead.

use crate::error::{Error, Result};
use std::collections::HashMap;
use store::{Collection, Order, PageLimit, Snapshot, StatementId, StoreError};
use value::key::{self, Direction};
use value::{DocumentBuf, RawDocument, ValueRef, doc};

/// The places of the measurements that the collection has, in order, without those that the same statement has inserted before.
pub(super) async fn places(
    collection: &Collection,
    measurements: &[DocumentBuf],
    statements: &[Option<StatementId>],
) -> Result<Vec<usize>> {
    let snapshot = collection.snapshot().await?;
    let found = match snapshot.has_repeats(collection) {
        false => by_id(&snapshot, measurements).await?,
        true => among_all(&snapshot, measurements).await?,
    };
    let mut places = Vec::new();
    for at in found {
        let executed = match statements.get(at).copied().flatten() {
            Some(statement) => collection.executed(&statement).await?.is_some(),
            None => false,
        };
        if !executed {
            places.push(at);
        }
    }
    Ok(places)
}

/// Why such a measurement is refused.
pub(super) fn refusal(collection: &Collection, measurement: &DocumentBuf) -> Error {
    let id = measurement.as_raw().get("_id").unwrap_or(ValueRef::Null);
    let taken = StoreError::DuplicateKey {
        namespace: collection.namespace().to_string(),
        index: "_id_".to_owned(),
        pattern: doc! {"_id": 1},
        key: doc! {"_id": id.to_value()},
        collation: None,
    };
    taken.into()
}

async fn by_id(snapshot: &Snapshot, measurements: &[DocumentBuf]) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for (at, measurement) in measurements.iter().enumerate() {
        if let Some(id) = measurement.as_raw().get("_id")
            && let Some((_, present)) = snapshot.document_by_id(id).await?
            && is_same(present.as_raw(), measurement.as_raw())
        {
            places.push(at);
        }
    }
    Ok(places)
}

/// The same where the index on `_id` does not have all documents.
async fn among_all(snapshot: &Snapshot, measurements: &[DocumentBuf]) -> Result<Vec<usize>> {
    let mut wanted: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (at, measurement) in measurements.iter().enumerate() {
        wanted.entry(id_key(measurement.as_raw())).or_default().push(at);
    }
    let mut places = Vec::new();
    let mut after = None;
    loop {
        let page = snapshot
            .records(after, Order::Forward, PageLimit::default())
            .await?;
        for at in 0..page.len() {
            after = Some(page.id(at));
            let present = page.raw(at);
            let same = |&place: &usize| is_same(present, measurements[place].as_raw());
            let of_id = wanted.get(&id_key(present)).into_iter().flatten().copied();
            places.extend(of_id.filter(same));
        }
        if page.exhausted() {
            places.sort_unstable();
            places.dedup();
            return Ok(places);
        }
        tokio::task::yield_now().await;
    }
}

fn id_key(document: RawDocument<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(id) = document.get("_id") {
        key::encode(id, Direction::Ascending, &mut out);
    }
    out
}

/// Whether two documents have the same fields, in whatever order: a bucket keeps that of its columns.
fn is_same(one: RawDocument<'_>, other: RawDocument<'_>) -> bool {
    let has = |(name, value): (&str, ValueRef<'_>)| {
        other
            .get(name)
            .is_some_and(|own| value::compare(own, value).is_eq())
    };
    one.iter().count() == other.iter().count() && one.iter().all(has)
}
