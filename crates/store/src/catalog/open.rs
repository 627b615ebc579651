//! Reading the catalog at start.

use super::damage::Damage;
use super::disk::{self, CATALOG_SHARD, DROPPED, Disk, ENTRY, dropped_shard, entry_namespace};
use super::{Catalog, CatalogEntry, Namespace, StoreOptions};
use crate::record_cache::RecordCache;
use crate::{Collection, KeyRange, PageLimit, StoreError, index};
use kv::{Batch, Kv, Unreadable};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Reads all collections, finishes interrupted drops, and resumes index builds. Damage is noted, and does not keep the rest from
/// being read.
pub(super) async fn open(kv: Kv, options: StoreOptions) -> Result<Arc<Catalog>, StoreError> {
    let mut disk = Disk::open(&kv).await?;
    finish_drops(&kv, &mut disk).await?;
    let entries = read_all(&kv, ENTRY).await?;
    let damage = Damage {
        head: disk.damage().map(str::to_owned),
        entries: entries.unreadable,
    };
    for what in damage.findings() {
        tracing::error!(
            what,
            "the catalog is damaged: save what can be read (larder repair --into)"
        );
    }
    let catalog = Arc::new(Catalog {
        kv,
        record_cache: Arc::new(RecordCache::new(
            options.record_cache_bytes,
            options.scan_cache_bytes,
            options.entry_cache_bytes,
            options.idle_cache_bytes.clone(),
        )),
        options,
        collections: RwLock::new(BTreeMap::new()),
        disk: tokio::sync::Mutex::new(disk),
        generation: AtomicU64::new(0),
        damage,
    });
    for (key, value) in entries.read {
        let namespace = entry_namespace(&key).ok_or_else(|| StoreError::Corrupt {
            namespace: "the catalog".to_owned(),
            what: "a name that is none".to_owned(),
        })?;
        let collection = open_one(&catalog, namespace.clone(), &value).await?;
        catalog.collections.write().insert(namespace, collection);
    }
    let collections: Vec<Arc<Collection>> = catalog.collections.read().values().cloned().collect();
    for collection in collections.iter().filter(|one| one.check_sound().is_ok()) {
        index::renew(collection).await?;
        index::resume(collection);
    }
    Ok(catalog)
}

/// The collection of an entry. If the entry or the head is damaged, every operation on it fails with that reason.
async fn open_one(
    catalog: &Arc<Catalog>,
    namespace: Namespace,
    entry: &[u8],
) -> Result<Arc<Collection>, StoreError> {
    let (entry, what) = match CatalogEntry::decode(entry) {
        None => (CatalogEntry::lost(), "its entry in the catalog".to_owned()),
        Some(entry) => match Collection::open(catalog, namespace.clone(), entry.clone()).await {
            Err(StoreError::Corrupt { what, .. }) => (entry, what),
            Err(StoreError::Kv(error)) if error.is_damage() => (entry, error.to_string()),
            opened => return opened,
        },
    };
    tracing::error!(collection = %namespace, what, "a collection cannot be read: restore a backup, or save what can be read (larder repair --into)");
    Ok(Collection::unreadable(catalog, namespace, entry, &what))
}

/// Removes the marked shards: those of drops that a crash or a full disk interrupted.
pub(super) async fn finish_drops(kv: &Kv, disk: &mut Disk) -> Result<(), StoreError> {
    if disk.damage().is_some() {
        return Ok(());
    }
    let marks = read_all(kv, DROPPED).await?.read;
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

/// Whether something that can wait was done. Neither a full disk nor damage to something that is to be removed keeps the store from
/// opening.
fn is_made(done: Result<(), StoreError>) -> Result<bool, StoreError> {
    match done {
        Ok(()) => Ok(true),
        Err(StoreError::Kv(error)) if error.is_disk_full() || error.is_damage() => {
            tracing::warn!(%error, "what a dropped collection took on the disk is freed later");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// The keys and values of one kind, and the parts that cannot be read.
struct ReadAll {
    read: Vec<(Vec<u8>, Vec<u8>)>,
    unreadable: Vec<Unreadable>,
}

async fn read_all(kv: &Kv, kind: u8) -> Result<ReadAll, StoreError> {
    let snapshot = kv.snapshot(CATALOG_SHARD).await?;
    let mut range = KeyRange::prefix(&[kind]);
    let mut all = ReadAll {
        read: Vec::new(),
        unreadable: Vec::new(),
    };
    loop {
        let salvaged = snapshot.salvage(&range, PageLimit::default()).await?;
        let pairs = salvaged.page.iter();
        all.read
            .extend(pairs.map(|(key, value)| (key.to_vec(), value.to_vec())));
        all.unreadable.extend(salvaged.unreadable);
        match salvaged.next {
            Some(next) => range.low = Bound::Included(next),
            None => return Ok(all),
        }
    }
}
