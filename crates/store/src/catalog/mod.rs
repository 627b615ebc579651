//! The catalog: which collections there are, with their options and indexes.
//!
//! On disk it is a shard of its own, number 0: one document for each collection or view, and a mark for each shard
//! that is being dropped, so that an interrupted drop is finished at the next start.

mod change;
mod damage;
mod disk;
mod entry;
mod namespace;
mod open;
mod options;
mod store;

pub use change::to_the_end;
pub(crate) use disk::{CATALOG_SHARD, Disk, ENTRY, entry_key, entry_namespace};
pub(crate) use entry::{CatalogEntry, NO_SHARD};
pub use namespace::Namespace;
pub use options::{CappedOptions, CollectionOptions, RunApart, StoreOptions};
pub use store::Store;

use crate::record_cache::RecordCache;
use crate::{Collection, StoreError};
use damage::Damage;
use kv::{Batch, Kv, ShardId};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The catalog in memory. It is changed only under the lock of `disk`. A collection's own lock is taken after that one,
/// never before.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) kv: Kv,
    pub(crate) options: StoreOptions,
    pub(crate) record_cache: Arc<RecordCache>,
    pub(crate) collections: RwLock<BTreeMap<Namespace, Arc<Collection>>>,
    pub(crate) disk: tokio::sync::Mutex<Disk>,
    /// Counts the changes of names.
    generation: AtomicU64,
    /// The parts of it that could not be read.
    damage: Damage,
}

impl Catalog {
    /// The collection of this name. If damage hides whether there is one, a collection on which every operation fails.
    pub(crate) fn find(&self, namespace: &Namespace) -> Option<Arc<Collection>> {
        let known = self.collections.read().get(namespace).cloned();
        known.or_else(|| {
            let what = self.damage.hides(namespace)?;
            Some(Collection::unreadable(
                self,
                namespace.clone(),
                CatalogEntry::lost(),
                what,
            ))
        })
    }

    /// The collection of this name, or the error that there is none, or that it is damaged.
    pub(crate) fn require(&self, namespace: &Namespace) -> Result<Arc<Collection>, StoreError> {
        let found = self.find(namespace);
        let found = found.ok_or_else(|| StoreError::NamespaceNotFound(namespace.to_string()))?;
        found.check_sound()?;
        Ok(found)
    }

    /// Notes that names mean other collections from now on. To be called after `collections` has changed, and before the change is
    /// acknowledged.
    fn note_names(&self) {
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Writes the changed entry of a collection.
    pub(crate) async fn save(
        &self,
        disk: &mut Disk,
        namespace: &Namespace,
        entry: &CatalogEntry,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::new();
        Catalog::put_entry(&mut batch, namespace, entry);
        disk.commit(&self.kv, batch).await
    }

    pub(crate) fn put_entry(batch: &mut Batch, namespace: &Namespace, entry: &CatalogEntry) {
        batch.put(&entry_key(namespace), &entry.encode());
    }

    /// Notes that a shard is to be dropped, so that a drop that is interrupted is finished at the next start.
    pub(crate) fn mark_dropped(batch: &mut Batch, shard: ShardId) {
        batch.put(&disk::dropped_key(shard), &[]);
    }

    /// Removes shards that are marked, then their marks. If only the shard is gone after a crash, removing it again does no harm.
    pub(crate) async fn finish_drop(&self, disk: &mut Disk, shards: &[ShardId]) -> Result<(), StoreError> {
        let mut batch = Batch::new();
        for &shard in shards {
            self.kv.drop_shard(shard).await?;
            batch.delete(&disk::dropped_key(shard));
        }
        disk.commit(&self.kv, batch).await
    }
}
