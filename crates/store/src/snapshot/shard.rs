//! Reading the shard of a collection, so that errors about damage name the collection.

use crate::{KeyRange, Namespace, Order, PageLimit, StoreError};
use bytes::Bytes;
use kv::{Aside, Head, Page, Salvage};
use std::sync::Arc;

/// The shard of a collection at one moment.
#[derive(Clone, Debug)]
pub(crate) struct ShardSnapshot {
    snapshot: kv::Snapshot,
    namespace: Arc<Namespace>,
}

impl ShardSnapshot {
    pub(crate) fn new(snapshot: kv::Snapshot, namespace: Arc<Namespace>) -> ShardSnapshot {
        ShardSnapshot { snapshot, namespace }
    }

    /// See [`kv::Snapshot::version`].
    pub(crate) fn version(&self) -> Option<u64> {
        self.snapshot.version()
    }

    pub(crate) async fn head(&self) -> Result<Head, StoreError> {
        self.named(self.snapshot.head().await)
    }

    pub(crate) async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.named(self.snapshot.get(key).await)
    }

    pub(crate) async fn get_many(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Bytes>>, StoreError> {
        self.named(self.snapshot.get_many(keys).await)
    }

    pub(crate) async fn get_many_within(
        &self,
        keys: &[Vec<u8>],
        bytes: usize,
    ) -> Result<Vec<Option<Bytes>>, StoreError> {
        self.named(self.snapshot.get_many_within(keys, bytes).await)
    }

    pub(crate) async fn page(
        &self,
        range: &KeyRange,
        order: Order,
        limit: PageLimit,
    ) -> Result<Page, StoreError> {
        self.named(self.snapshot.page(range, order, limit).await)
    }

    /// See [`kv::Snapshot::aside`].
    pub(crate) fn aside<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<Aside<T>> {
        self.snapshot.aside(work)
    }

    pub(crate) async fn salvage(&self, range: &KeyRange, limit: PageLimit) -> Result<Salvage, StoreError> {
        self.named(self.snapshot.salvage(range, limit).await)
    }

    pub(crate) fn corrupt(&self, what: &str) -> StoreError {
        StoreError::Corrupt {
            namespace: self.namespace.to_string(),
            what: what.to_owned(),
        }
    }

    fn named<T>(&self, result: Result<T, kv::Error>) -> Result<T, StoreError> {
        result.map_err(|error| match error {
            kv::Error::Corrupt(what) => StoreError::Corrupt {
                namespace: self.namespace.to_string(),
                what,
            },
            error => error.into(),
        })
    }
}
