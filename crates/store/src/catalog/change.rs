//! Changes of the catalog: on the disk, then in memory.

use super::{Catalog, CatalogEntry, Disk, Namespace, entry_key};
use crate::{Collection, CollectionOptions, IndexSpec, StoreError};
use kv::Batch;
use std::sync::Arc;

/// Runs a change to its end, even if its caller goes away meanwhile. If one stopped between the disk and memory, the two would
/// differ, and no further change could be made.
pub async fn to_the_end<T: Send + 'static, E: From<StoreError> + Send + 'static>(
    change: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, E> {
    match tokio::spawn(change).await {
        Ok(outcome) => outcome,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends.
            Err(_) => Err(StoreError::Interrupted.into()),
        },
    }
}

// All of these are to be run by [`to_the_end`].
impl Catalog {
    /// Makes a collection, or a view where the options have `viewOn`.
    pub(super) async fn create(
        self: &Arc<Self>,
        namespace: &Namespace,
        options: CollectionOptions,
    ) -> Result<Arc<Collection>, StoreError> {
        namespace.check()?;
        let mut disk = self.disk.lock().await;
        if let Some(present) = self.find(namespace) {
            present.check_sound()?;
            return Err(StoreError::NamespaceExists(namespace.to_string()));
        }
        if self.collections.read().len() >= self.options.collections_max {
            return Err(StoreError::TooManyCollections {
                most: self.options.collections_max,
            });
        }
        let entry = CatalogEntry {
            shard: disk.new_shard(),
            uuid: *uuid::Uuid::new_v4().as_bytes(),
            options,
            indexes: Vec::new(),
            next_index: 1,
            clearing: Vec::new(),
            derived: Vec::new(),
        };
        self.save(&mut disk, namespace, &entry).await?;
        let collection = Collection::open(self, namespace.clone(), entry).await?;
        self.collections
            .write()
            .insert(namespace.clone(), collection.clone());
        self.note_names();
        Ok(collection)
    }

    /// Removes a collection with everything in it. Returns false if it did not exist. Commits that wait fail.
    pub(super) async fn drop_collection(&self, namespace: &Namespace) -> Result<bool, StoreError> {
        let mut disk = self.disk.lock().await;
        let known = self.collections.read().get(namespace).cloned();
        let Some(collection) = known else {
            // If damage hides whether the collection exists, its shards are not known, and its entry may still be saved: not dropped.
            let hidden = self.find(namespace);
            return hidden.map_or(Ok(false), |hidden| hidden.check_sound().map(|()| false));
        };
        let mut batch = Batch::new();
        batch.delete(&entry_key(namespace));
        // One commit removes the entry and marks the shards, so after a crash the next start finishes the drop.
        for shard in collection.shards() {
            Catalog::mark_dropped(&mut batch, shard);
        }
        disk.commit(&self.kv, batch).await?;
        // From here on nobody finds the collection. A commit under way ends before its shard is removed, and later ones are
        // refused: see `Collection::end`.
        self.collections.write().remove(namespace);
        self.note_names();
        self.drop_shards(&mut disk, &collection).await;
        Ok(true)
    }

    /// Removes the shards of a collection that is no longer in the catalog. Where that fails, on a disk that is full, the
    /// collection is gone all the same.
    async fn drop_shards(&self, disk: &mut Disk, collection: &Collection) {
        collection.end().await;
        if let Err(error) = self.finish_drop(disk, &collection.shards()).await {
            tracing::warn!(%error, "what a dropped collection took on the disk is freed later");
        }
    }

    /// Gives a collection another name, in this or another database.
    pub(super) async fn rename(
        &self,
        from: &Namespace,
        to: &Namespace,
        drop_target: bool,
    ) -> Result<(), StoreError> {
        to.check()?;
        let mut disk = self.disk.lock().await;
        let collection = self.require(from)?;
        let target = self.find(to);
        if from == to || (target.is_some() && !drop_target) {
            return Err(StoreError::NamespaceExists(to.to_string()));
        }
        if let Some(target) = &target {
            target.check_sound()?;
        }
        let mut batch = Batch::new();
        batch.delete(&entry_key(from));
        batch.put(&entry_key(to), &collection.entry().encode());
        if let Some(target) = &target {
            for shard in target.shards() {
                Catalog::mark_dropped(&mut batch, shard);
            }
        }
        disk.commit(&self.kv, batch).await?;
        collection.set_namespace(to.clone());
        {
            let mut collections = self.collections.write();
            collections.remove(from);
            collections.insert(to.clone(), collection);
        }
        self.note_names();
        if let Some(target) = target {
            self.drop_shards(&mut disk, &target).await;
        }
        Ok(())
    }

    /// Changes the options of a collection.
    pub(super) async fn modify(
        &self,
        namespace: &Namespace,
        change: impl FnOnce(&mut CollectionOptions) -> Result<(), StoreError> + Send,
    ) -> Result<(), StoreError> {
        let mut disk = self.disk.lock().await;
        let collection = self.require(namespace)?;
        let mut entry = collection.entry();
        change(&mut entry.options)?;
        self.save(&mut disk, namespace, &entry).await?;
        collection.set_options(entry.options);
        Ok(())
    }

    /// Changes the options of an index that can change without rebuilding it, such as `hidden` and `expireAfterSeconds`.
    pub(super) async fn modify_index(
        &self,
        namespace: &Namespace,
        index_name: &str,
        change: impl FnOnce(&mut IndexSpec) + Send,
    ) -> Result<(), StoreError> {
        let mut disk = self.disk.lock().await;
        let collection = self.require(namespace)?;
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
        self.save(&mut disk, namespace, &collection.entry_with(&set))
            .await?;
        collection.install(set).await
    }
}

#[cfg(test)]
mod tests {
    use crate::{Namespace, Store, StoreError, StoreOptions};
    use kv::{Kv, Simulation};

    #[tokio::test]
    async fn there_are_no_more_collections_than_may_be() {
        let options = StoreOptions {
            collections_max: 2,
            ..StoreOptions::default()
        };
        let store = Store::open(Kv::simulated(&Simulation::new(1)), options)
            .await
            .unwrap();
        let create = async |name: &str| store.create_if_missing(&Namespace::new("db", name)).await;
        create("a").await.unwrap();
        create("b").await.unwrap();
        create("a").await.unwrap();
        let refused = create("c").await.unwrap_err();
        assert!(
            matches!(refused, StoreError::TooManyCollections { most: 2 }),
            "{refused}"
        );
        store.drop_collection(&Namespace::new("db", "a")).await.unwrap();
        create("c").await.unwrap();
    }
}
