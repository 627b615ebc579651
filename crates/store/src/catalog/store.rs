//! The store as those above see it.

use super::to_the_end;
use super::{Catalog, open};
use crate::{Collection, CollectionOptions, IndexSpec, Moment, Namespace, StoreError, StoreOptions};
use kv::Kv;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// All databases and collections; cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    catalog: Arc<Catalog>,
}

impl Store {
    /// Reads the catalog, finishes interrupted drops and goes on with interrupted index builds.
    pub async fn open(kv: Kv, options: StoreOptions) -> Result<Store, StoreError> {
        Ok(Store {
            catalog: open::open(kv, options).await?,
        })
    }

    /// The databases that have a collection, sorted.
    pub fn databases(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .catalog
            .collections
            .read()
            .keys()
            .map(|namespace| namespace.database.clone())
            .collect();
        names.dedup();
        names
    }

    /// The collections and views of a database, sorted by name.
    pub fn collections(&self, database: &str) -> Vec<Arc<Collection>> {
        let collections = self.catalog.collections.read();
        let from = collections.range(Namespace::new(database, "")..);
        from.take_while(|(namespace, _)| namespace.database == database)
            .map(|(_, collection)| collection.clone())
            .collect()
    }

    /// All collections as they are now.
    pub async fn moment(&self) -> Result<Moment, StoreError> {
        Ok(Moment(self.catalog.kv.moment().await?))
    }

    /// The bytes of records that are kept in memory.
    pub fn record_cache_bytes(&self) -> usize {
        self.catalog.record_cache.bytes()
    }

    /// Gives back what caches outside the store have come to need of the memory that they left
    /// ([`StoreOptions::idle_cache_bytes`]); to be called when they have grown.
    pub fn give_back_memory(&self) {
        self.catalog.record_cache.give_back();
    }

    /// The collection or view of this name. If it cannot be read, or if damage hides whether it exists, every operation on it fails.
    pub fn collection(&self, namespace: &Namespace) -> Option<Arc<Collection>> {
        self.catalog.find(namespace)
    }

    /// A number that changes whenever a name comes to mean another collection. As long as it is the same, a collection need not be looked
    /// up again. It must be read before the look-up.
    pub fn generation(&self) -> u64 {
        self.catalog.generation.load(Ordering::Acquire)
    }

    /// Makes a collection, or a view where the options have `viewOn`.
    pub async fn create(
        &self,
        namespace: &Namespace,
        options: CollectionOptions,
    ) -> Result<Arc<Collection>, StoreError> {
        let (catalog, namespace) = (self.catalog.clone(), namespace.clone());
        to_the_end(async move { catalog.create(&namespace, options).await }).await
    }

    /// The collection of this name; one without options is made if it does not exist.
    pub async fn create_if_missing(&self, namespace: &Namespace) -> Result<Arc<Collection>, StoreError> {
        loop {
            if let Some(collection) = self.collection(namespace) {
                return Ok(collection);
            }
            match self.create(namespace, CollectionOptions::default()).await {
                // Another call made it first.
                Err(StoreError::NamespaceExists(_)) => {}
                made => return made,
            }
        }
    }

    /// Removes a collection with everything in it. Returns false if it did not exist. Commits that wait fail.
    pub async fn drop_collection(&self, namespace: &Namespace) -> Result<bool, StoreError> {
        let (catalog, namespace) = (self.catalog.clone(), namespace.clone());
        to_the_end(async move { catalog.drop_collection(&namespace).await }).await
    }

    /// Removes all collections of a database and returns their number.
    pub async fn drop_database(&self, database: &str) -> Result<usize, StoreError> {
        let mut dropped = 0;
        for collection in self.collections(database) {
            dropped += usize::from(self.drop_collection(&collection.namespace()).await?);
        }
        Ok(dropped)
    }

    /// Gives a collection another name, in this or another database.
    pub async fn rename(
        &self,
        from: &Namespace,
        to: &Namespace,
        drop_target: bool,
    ) -> Result<(), StoreError> {
        let (catalog, from, to) = (self.catalog.clone(), from.clone(), to.clone());
        to_the_end(async move { catalog.rename(&from, &to, drop_target).await }).await
    }

    /// Changes the options of a collection.
    pub async fn modify(
        &self,
        namespace: &Namespace,
        change: impl FnOnce(&mut CollectionOptions) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        let (catalog, namespace) = (self.catalog.clone(), namespace.clone());
        to_the_end(async move { catalog.modify(&namespace, change).await }).await
    }

    /// Changes the options of an index that can change without rebuilding it, such as `hidden` and `expireAfterSeconds`.
    pub async fn modify_index(
        &self,
        namespace: &Namespace,
        index_name: &str,
        change: impl FnOnce(&mut IndexSpec) + Send + 'static,
    ) -> Result<(), StoreError> {
        let (catalog, namespace, index) = (self.catalog.clone(), namespace.clone(), index_name.to_owned());
        to_the_end(async move { catalog.modify_index(&namespace, &index, change).await }).await
    }

    /// The damage to the catalog. Damaged collections are not listed: operations on them fail with the reason.
    pub fn damage(&self) -> Vec<String> {
        self.catalog.damage.findings()
    }

    /// The key-value store below.
    pub fn kv(&self) -> &Kv {
        &self.catalog.kv
    }

    /// Milliseconds since 1970 by the store's clock.
    pub fn now_ms(&self) -> u64 {
        (self.catalog.options.clock)()
    }

    /// Finishes drops that could not be finished at once.
    pub(crate) async fn finish_drops(&self) -> Result<(), StoreError> {
        let mut disk = self.catalog.disk.lock().await;
        open::finish_drops(&self.catalog.kv, &mut disk).await
    }

    /// All collections and views, sorted by full name.
    pub(crate) fn all(&self) -> Vec<Arc<Collection>> {
        self.catalog.collections.read().values().cloned().collect()
    }

    /// Waits for the commits under way, flushes and closes.
    pub async fn close(&self) -> Result<(), StoreError> {
        for collection in self.all() {
            drop(collection.writer.lock().await);
        }
        Ok(self.catalog.kv.close().await?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::catalog::entry_key;
    use kv::{Simulation, Unreadable};

    #[tokio::test]
    async fn collections_that_damage_may_hide_are_neither_dropped_nor_replaced() {
        let kv = Kv::simulated(&Simulation::new(1));
        let mut store = Store::open(kv, StoreOptions::default()).await.unwrap();
        let catalog = Arc::get_mut(&mut store.catalog).unwrap();
        catalog.damage.entries.push(Unreadable {
            from: entry_key(&Namespace::new("db", "b")),
            to: Some(entry_key(&Namespace::new("db", "d"))),
            what: "a checksum".to_owned(),
        });
        let (known, hidden) = (Namespace::new("db", "a"), Namespace::new("db", "c"));
        store.create_if_missing(&known).await.unwrap();
        let is_corrupt =
            |error: StoreError| matches!(error, StoreError::Corrupt { namespace, .. } if namespace == "db.c");
        assert!(is_corrupt(store.drop_collection(&hidden).await.unwrap_err()));
        assert!(is_corrupt(store.rename(&known, &hidden, true).await.unwrap_err()));
        let none = Namespace::new("db", "e");
        assert!(!store.drop_collection(&none).await.unwrap());
        assert!(store.drop_collection(&known).await.unwrap());
    }
}
