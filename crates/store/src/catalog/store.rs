//! The store: the catalog in memory and on disk.

use crate::{Collection, CollectionOptions, IndexSpec, Namespace, StoreError, StoreOptions};
use kv::Kv;
use std::sync::Arc;

/// All databases and collections; cheap to clone.
#[derive(Clone, Debug)]
pub struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kv: Kv,
}

impl Store {
    /// Reads the catalog, finishes interrupted drops and goes on with interrupted index builds.
    pub async fn open(_kv: Kv, _options: StoreOptions) -> Result<Store, StoreError> {
        todo!("store")
    }

    /// The databases that have a collection, sorted.
    pub fn databases(&self) -> Vec<String> {
        todo!("store")
    }

    /// The collections and views of a database, sorted by name.
    pub fn collections(&self, _database: &str) -> Vec<Arc<Collection>> {
        todo!("store")
    }

    /// The collection or view of this name.
    pub fn collection(&self, _namespace: &Namespace) -> Option<Arc<Collection>> {
        todo!("store")
    }

    /// Makes a collection, or a view where the options have `viewOn`.
    pub async fn create(
        &self,
        _namespace: &Namespace,
        _options: CollectionOptions,
    ) -> Result<Arc<Collection>, StoreError> {
        todo!("store")
    }

    /// The collection of this name, made without options where it does not exist.
    pub async fn create_if_missing(&self, _namespace: &Namespace) -> Result<Arc<Collection>, StoreError> {
        todo!("store")
    }

    /// Removes a collection with all in it; false where it was not there. Commits that wait fail.
    pub async fn drop_collection(&self, _namespace: &Namespace) -> Result<bool, StoreError> {
        todo!("store")
    }

    /// Removes all collections of a database and says how many there were.
    pub async fn drop_database(&self, _database: &str) -> Result<usize, StoreError> {
        todo!("store")
    }

    /// Gives a collection another name, in this or another database.
    pub async fn rename(
        &self,
        _from: &Namespace,
        _to: &Namespace,
        _drop_target: bool,
    ) -> Result<(), StoreError> {
        todo!("store")
    }

    /// Changes the options of a collection.
    pub async fn modify(
        &self,
        _namespace: &Namespace,
        _change: impl FnOnce(&mut CollectionOptions) -> Result<(), StoreError> + Send,
    ) -> Result<(), StoreError> {
        todo!("store")
    }

    /// Changes what of an index can change without building it anew (`hidden`, `expireAfterSeconds`, `unique`'s preparation).
    pub async fn modify_index(
        &self,
        _namespace: &Namespace,
        _index_name: &str,
        _change: impl FnOnce(&mut IndexSpec) + Send,
    ) -> Result<(), StoreError> {
        todo!("store")
    }

    /// The key-value store below.
    pub fn kv(&self) -> &Kv {
        &self.0.kv
    }

    /// Waits for the commits under way, flushes and closes.
    pub async fn close(&self) -> Result<(), StoreError> {
        todo!("store")
    }
}
