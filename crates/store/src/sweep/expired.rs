//! Expired statements and tombstones.

use crate::commit::{Group, Session};
use crate::record::Tombstone;
use crate::{
    Collection, Durability, KeyRange, Order, PageLimit, STATEMENTS_KEPT_MS, StoreError, TOMBSTONES_KEPT_MS,
    TOMBSTONES_SWEPT_EVERY_MS, keys,
};

/// Forgets the statements of sessions that have been idle for too long.
pub(super) async fn sweep_sessions(collection: &Collection, now_ms: i64) -> Result<u64, StoreError> {
    let is_old = |value: &[u8]| {
        // A session that cannot be read is of no use for retries either.
        Session::decode(value).map_or(true, |session| {
            is_past(session.time_ms, STATEMENTS_KEPT_MS, now_ms)
        })
    };
    sweep(collection, keys::SESSION, is_old).await
}

/// Removes old tombstones, and their entries in the change log.
pub(super) async fn sweep_tombstones(collection: &Collection, now_ms: i64) -> Result<u64, StoreError> {
    // All tombstones are read, so this is done seldom.
    if collection.stats().deleted == 0
        || !collection.is_time_for_tombstones(now_ms, TOMBSTONES_SWEPT_EVERY_MS)
    {
        return Ok(0);
    }
    let is_old = |value: &[u8]| {
        Tombstone::decode(value).is_ok_and(|tombstone| is_past(tombstone.time_ms, TOMBSTONES_KEPT_MS, now_ms))
    };
    sweep(collection, keys::TOMBSTONE, is_old).await
}

fn is_past(time_ms: u64, kept_ms: u64, now_ms: i64) -> bool {
    u64::try_from(now_ms).is_ok_and(|now_ms| time_ms.saturating_add(kept_ms) < now_ms)
}

/// Deletes the old entries among all keys of a kind, page by page.
async fn sweep(collection: &Collection, kind: u8, is_old: impl Fn(&[u8]) -> bool) -> Result<u64, StoreError> {
    let mut range = KeyRange::prefix(&[kind]);
    let mut count = 0;
    loop {
        let snapshot = collection.kv.snapshot(collection.shard).await?;
        let page = snapshot
            .page(&range, Order::Forward, PageLimit::default())
            .await?;
        let old = page
            .iter()
            .filter(|(_, value)| is_old(value))
            .map(|(key, _)| key.to_vec())
            .collect();
        count += remove(collection, kind, old, &is_old).await?;
        if !range.go_on_after(&page, Order::Forward) {
            return Ok(count);
        }
    }
}

async fn remove(
    collection: &Collection,
    kind: u8,
    keys: Vec<Vec<u8>>,
    is_old: &impl Fn(&[u8]) -> bool,
) -> Result<u64, StoreError> {
    if keys.is_empty() {
        return Ok(0);
    }
    let mut writer = collection.writer.lock().await;
    let mut group = Group::begin(collection, &mut writer).await?;
    let mut count = 0;
    for (key, value) in keys.iter().zip(group.snapshot.get_many(&keys).await?) {
        let Some(value) = value.filter(|value| is_old(value)) else {
            continue;
        };
        match Tombstone::decode(&value) {
            Ok(tombstone) if kind == keys::TOMBSTONE => group.forget_deleted(tombstone).await?,
            _ => group.batch.delete(key),
        }
        count += 1;
    }
    if count > 0 {
        group.sequence += 1;
    }
    // If another process committed first, the next sweep will do it.
    Ok(if group.commit(Durability::Soon).await? {
        count
    } else {
        0
    })
}
