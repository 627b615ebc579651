//! Reads of one shard at one moment.

use super::database::COLUMN_FAMILY;
use super::error::engine_error;
use super::layout::{ShardKeys, decode_head};
use crate::page::PageBuilder;
use crate::{Error, Head, KeyRange, Order, Page, PageLimit, ShardId};
use bytes::Bytes;
use rocksdb::{DB, ReadOptions};
use std::sync::Arc;

type DbSnapshot<'db> = rocksdb::Snapshot<'db>;

self_cell::self_cell!(
    /// A snapshot of the whole database together with the database that it belongs to.
    struct OwnedSnapshot {
        owner: Arc<DB>,
        #[covariant]
        dependent: DbSnapshot,
    }
);

/// See [`crate::Moment`].
#[derive(Clone)]
pub(crate) struct Moment(Arc<OwnedSnapshot>);

/// See [`crate::Snapshot`].
pub(crate) struct Snapshot {
    keys: ShardKeys,
    owned: Arc<OwnedSnapshot>,
}

impl Moment {
    pub(super) fn take(db: Arc<DB>) -> Moment {
        Moment(Arc::new(OwnedSnapshot::new(db, |db| db.snapshot())))
    }

    pub(crate) fn snapshot(&self, shard: ShardId) -> Snapshot {
        Snapshot {
            keys: ShardKeys::new(shard),
            owned: self.0.clone(),
        }
    }
}

impl Snapshot {
    pub(crate) fn head(&self) -> Result<Head, Error> {
        let stored = self.owned.borrow_dependent().get_pinned(self.keys.head());
        match stored.map_err(engine_error("reading a head"))? {
            Some(bytes) => decode_head(&bytes),
            None => Ok(Head::default()),
        }
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        let found = self.owned.borrow_dependent().get_pinned(self.keys.key(key));
        let found = found.map_err(engine_error("reading a key"))?;
        Ok(found.map(|value| Bytes::copy_from_slice(&value)))
    }

    pub(crate) fn get_many(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Bytes>>, Error> {
        if let [key] = keys {
            return Ok(vec![self.get(key)?]);
        }
        let db = self.owned.borrow_owner();
        let Some(family) = db.cf_handle(COLUMN_FAMILY) else {
            return Err(Error::Closed);
        };
        let mut options = ReadOptions::default();
        options.set_snapshot(self.owned.borrow_dependent());
        let full: Vec<Vec<u8>> = keys.iter().map(|key| self.keys.key(key)).collect();
        let sorted = full.is_sorted();
        let found = db.batched_multi_get_cf_opt(family, &full, sorted, &options);
        let bytes_of = |value: rocksdb::DBPinnableSlice<'_>| Bytes::copy_from_slice(&value);
        found
            .into_iter()
            .map(|value| {
                value
                    .map(|value| value.map(bytes_of))
                    .map_err(engine_error("reading keys"))
            })
            .collect()
    }

    pub(crate) fn page(&self, range: &KeyRange, order: Order, limit: PageLimit) -> Result<Page, Error> {
        let (low, high) = self.keys.range(range);
        if low >= high {
            return Ok(PageBuilder::new(limit).finish(true));
        }
        let mut options = ReadOptions::default();
        options.set_iterate_range(low..high);
        let mut entries = self.owned.borrow_dependent().raw_iterator_opt(options);
        match order {
            Order::Forward => entries.seek_to_first(),
            Order::Backward => entries.seek_to_last(),
        }
        let prefix_bytes = self.keys.prefix_bytes();
        let mut page = PageBuilder::new(limit);
        while let Some((key, value)) = entries.item() {
            if !page.push(&key[prefix_bytes..], value) {
                return Ok(page.finish(false));
            }
            match order {
                Order::Forward => entries.next(),
                Order::Backward => entries.prev(),
            }
        }
        entries.status().map_err(engine_error("reading a page"))?;
        Ok(page.finish(true))
    }
}

impl std::fmt::Debug for Moment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Moment").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Snapshot")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}
