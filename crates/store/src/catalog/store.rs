//! The store as those above see it.

use super::disk::entry_key;
use super::{Catalog, Entry, open};
use crate::{Collection, CollectionOptions, IndexSpec, Moment, Namespace, StoreError, StoreOptions};
use kv::{Batch, Kv};
use std::sync::Arc;

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

    /// The collection or view of this name.
    pub fn collection(&self, namespace: &Namespace) -> Option<Arc<Collection>> {
        self.catalog.find(namespace)
    }

    /// Makes a collection, or a view where the options have `viewOn`.
    pub async fn create(
        &self,
        namespace: &Namespace,
        options: CollectionOptions,
    ) -> Result<Arc<Collection>, StoreError> {
        namespace.check()?;
        let mut disk = self.catalog.disk.lock().await;
        if self.catalog.find(namespace).is_some() {
            return Err(StoreError::NamespaceExists(namespace.to_string()));
        }
        let entry = Entry {
            shard: disk.new_shard(),
            uuid: *uuid::Uuid::new_v4().as_bytes(),
            options,
            indexes: Vec::new(),
            next_index: 1,
            clearing: Vec::new(),
            derived: Vec::new(),
        };
        self.catalog.save(&mut disk, namespace, &entry).await?;
        let collection = Collection::open(&self.catalog, namespace.clone(), entry).await?;
        self.catalog
            .collections
            .write()
            .insert(namespace.clone(), collection.clone());
        Ok(collection)
    }

    /// The collection of this name, made without options where it does not exist.
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

    /// Removes a collection with all in it. Returns false if it did not exist. Commits that wait fail.
    pub async fn drop_collection(&self, namespace: &Namespace) -> Result<bool, StoreError> {
        let mut disk = self.catalog.disk.lock().await;
        let Some(collection) = self.catalog.find(namespace) else {
            return Ok(false);
        };
        let mut batch = Batch::new();
        batch.delete(&entry_key(namespace));
        // One commit removes the entry and marks the shards, so after a crash the next start finishes the drop.
        for shard in collection.shards() {
            Catalog::mark_dropped(&mut batch, shard);
        }
        disk.commit(&self.catalog.kv, batch).await?;
        // From here on nobody finds the collection. A commit that is under way ends before its shard is removed, and
        // later ones are refused: see `Collection::end`.
        self.catalog.collections.write().remove(namespace);
        self.drop_shards(&mut disk, &collection).await?;
        Ok(true)
    }

    /// Removes the shards of a collection that is no longer in the catalog.
    async fn drop_shards(&self, disk: &mut super::Disk, collection: &Collection) -> Result<(), StoreError> {
        collection.end().await;
        self.catalog.finish_drop(disk, &collection.shards()).await
    }

    /// Removes all collections of a database and says how many there were.
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
        to.check()?;
        let mut disk = self.catalog.disk.lock().await;
        let collection = self.catalog.require(from)?;
        let target = self.catalog.find(to);
        if from == to || (target.is_some() && !drop_target) {
            return Err(StoreError::NamespaceExists(to.to_string()));
        }
        let mut batch = Batch::new();
        batch.delete(&entry_key(from));
        batch.put(&entry_key(to), &collection.entry().encode());
        if let Some(target) = &target {
            for shard in target.shards() {
                Catalog::mark_dropped(&mut batch, shard);
            }
        }
        disk.commit(&self.catalog.kv, batch).await?;
        collection.set_namespace(to.clone());
        {
            let mut collections = self.catalog.collections.write();
            collections.remove(from);
            collections.insert(to.clone(), collection);
        }
        match target {
            Some(target) => self.drop_shards(&mut disk, &target).await,
            None => Ok(()),
        }
    }

    /// Changes the options of a collection.
    pub async fn modify(
        &self,
        namespace: &Namespace,
        change: impl FnOnce(&mut CollectionOptions) -> Result<(), StoreError> + Send,
    ) -> Result<(), StoreError> {
        let mut disk = self.catalog.disk.lock().await;
        let collection = self.catalog.require(namespace)?;
        let mut entry = collection.entry();
        change(&mut entry.options)?;
        self.catalog.save(&mut disk, namespace, &entry).await?;
        collection.set_options(entry.options);
        Ok(())
    }

    /// Changes what of an index can change without building it anew: `hidden`, `expireAfterSeconds`.
    pub async fn modify_index(
        &self,
        namespace: &Namespace,
        index_name: &str,
        change: impl FnOnce(&mut IndexSpec) + Send,
    ) -> Result<(), StoreError> {
        let mut disk = self.catalog.disk.lock().await;
        let collection = self.catalog.require(namespace)?;
        let set = collection.index_set();
        let index = set
            .named(index_name)
            .ok_or_else(|| StoreError::IndexNotFound(index_name.to_owned()))?;
        let mut spec = index.spec().clone();
        change(&mut spec);
        let changed = Arc::new(index.with_spec(spec, collection.now_ms()));
        let replace = |old: &Arc<crate::Index>| {
            if old.id() == changed.id() {
                changed.clone()
            } else {
                old.clone()
            }
        };
        let set = set.with(set.indexes.iter().map(replace).collect());
        self.catalog
            .save(&mut disk, namespace, &collection.entry_with(&set))
            .await?;
        collection.install(set).await
    }

    /// The key-value store below.
    pub fn kv(&self) -> &Kv {
        &self.catalog.kv
    }

    /// Milliseconds since 1970 by the store's clock.
    pub fn now_ms(&self) -> u64 {
        (self.catalog.options.clock)()
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
