//! Reading the catalog at start.

use super::disk::{self, CATALOG_SHARD, DROPPED, Disk, ENTRY, dropped_shard, entry_namespace};
use super::{Catalog, Entry, StoreOptions};
use crate::record_cache::RecordCache;
use crate::{Collection, KeyRange, Order, PageLimit, StoreError, index};
use kv::{Batch, Kv};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// Reads all collections, finishes drops that were interrupted, and goes on with index builds.
pub(super) async fn open(kv: Kv, options: StoreOptions) -> Result<Arc<Catalog>, StoreError> {
    let mut disk = Disk::open(&kv).await?;
    finish_drops(&kv, &mut disk).await?;
    let catalog = Arc::new(Catalog {
        kv,
        record_cache: Arc::new(RecordCache::new(
            options.record_cache_bytes,
            options.scan_cache_bytes,
            options.entry_cache_bytes,
        )),
        options,
        collections: RwLock::new(BTreeMap::new()),
        disk: tokio::sync::Mutex::new(disk),
    });
    let corrupt = |what: &str| StoreError::Corrupt {
        namespace: "the catalog".to_owned(),
        what: what.to_owned(),
    };
    for (key, value) in read_all(&catalog.kv, ENTRY).await? {
        let namespace = entry_namespace(&key).ok_or_else(|| corrupt("a name that is none"))?;
        let entry = Entry::decode(&value).ok_or_else(|| corrupt(&format!("the entry of {namespace}")))?;
        let collection = Collection::open(&catalog, namespace.clone(), entry).await?;
        catalog.collections.write().insert(namespace, collection);
    }
    let collections: Vec<Arc<Collection>> = catalog.collections.read().values().cloned().collect();
    for collection in &collections {
        index::renew(collection).await?;
        index::resume(collection);
    }
    Ok(catalog)
}

/// Removes the shards that are marked, of drops that a crash or a full disk ended.
pub(super) async fn finish_drops(kv: &Kv, disk: &mut Disk) -> Result<(), StoreError> {
    let marks = read_all(kv, DROPPED).await?;
    let mut done = Batch::new();
    for shard in marks.iter().filter_map(|(key, _)| dropped_shard(key)) {
        if is_made(kv.drop_shard(shard).await.map_err(StoreError::Kv))? {
            done.delete(&disk::dropped_key(shard));
        }
    }
    if !done.is_empty() {
        is_made(disk.commit(kv, done).await)?;
    }
    Ok(())
}

/// Whether something was done that can wait for a later time: a full disk is no reason not to start.
fn is_made(done: Result<(), StoreError>) -> Result<bool, StoreError> {
    match done {
        Ok(()) => Ok(true),
        Err(StoreError::Kv(error)) if error.is_disk_full() => {
            tracing::warn!(%error, "what a dropped collection took on the disk is freed later");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// All keys and values of one kind.
async fn read_all(kv: &Kv, kind: u8) -> Result<Vec<(Vec<u8>, Vec<u8>)>, StoreError> {
    let snapshot = kv.snapshot(CATALOG_SHARD).await?;
    let mut range = KeyRange::prefix(&[kind]);
    let mut all = Vec::new();
    loop {
        let page = snapshot
            .page(&range, Order::Forward, PageLimit::default())
            .await?;
        all.extend(page.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        match all.last() {
            Some((last, _)) if !page.exhausted() => range.low = Bound::Excluded(last.clone()),
            _ => return Ok(all),
        }
    }
}
