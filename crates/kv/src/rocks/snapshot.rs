//! Reads of one shard at one moment.

use super::database::COLUMN_FAMILY;
use super::error::engine_error;
use super::large::{Pointer, ValueFiles};
use super::layout::{ShardKeys, decode_head};
use super::spare::Spare;
use crate::page::PageBuilder;
use crate::{Error, Head, KeyRange, Order, Page, PageLimit, ShardId};
use bytes::Bytes;
use parking_lot::Mutex;
use rocksdb::{DB, ReadOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type DbSnapshot<'db> = rocksdb::Snapshot<'db>;
type DbIterator<'snapshot> = rocksdb::DBRawIterator<'snapshot>;

/// The keys that are looked up at once, since their values may turn out to be too many bytes: none of those that are read with
/// their keys is large, and large ones are read one by one.
const LOOKUPS_AT_ONCE: usize = 256;

self_cell::self_cell!(
    /// A snapshot of the whole database together with the database that it belongs to.
    pub(super) struct OwnedSnapshot {
        owner: Arc<DB>,
        #[covariant]
        dependent: DbSnapshot,
    }
);

self_cell::self_cell!(
    /// An iterator together with the snapshot that it reads.
    struct OwnedIterator {
        owner: Arc<OwnedSnapshot>,
        #[not_covariant]
        dependent: DbIterator,
    }
);

/// How many bytes look-ups may take together.
struct Room {
    bytes: usize,
    taken: AtomicUsize,
}

impl Room {
    /// Takes some; whether none are left.
    fn take(&self, bytes: usize) -> bool {
        let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
        before.saturating_add(bytes) >= self.bytes
    }
}

/// An iterator forward that has read a page and may read the next.
struct KeptIterator {
    iterator: OwnedIterator,
    /// The key before which it ends.
    high: Vec<u8>,
}

/// See [`crate::Moment`].
#[derive(Clone)]
pub(crate) struct Moment {
    owned: Arc<OwnedSnapshot>,
    large: Arc<ValueFiles>,
    spare: Spare,
}

/// See [`crate::Snapshot`].
pub(crate) struct Snapshot {
    pub(super) keys: ShardKeys,
    pub(super) owned: Arc<OwnedSnapshot>,
    pub(super) large: Arc<ValueFiles>,
    spare: Spare,
    /// What read the last page forward. Pages often go on in the same range, or jump ahead in it: to seek is much
    /// cheaper than to make an iterator.
    kept: Mutex<Option<KeptIterator>>,
}

impl OwnedSnapshot {
    /// The number of the last write that it sees.
    pub(super) fn sequence(&self) -> u64 {
        self.borrow_dependent().sequence_number()
    }
}

impl Moment {
    pub(super) fn take(db: Arc<DB>, large: Arc<ValueFiles>, spare: Spare) -> Moment {
        let now = OwnedSnapshot::new(db, |db| db.snapshot());
        Moment::of(Arc::new(now), large, spare)
    }

    /// Of a snapshot that was taken before.
    pub(super) fn of(owned: Arc<OwnedSnapshot>, large: Arc<ValueFiles>, spare: Spare) -> Moment {
        Moment { owned, large, spare }
    }

    pub(crate) fn snapshot(&self, shard: ShardId) -> Snapshot {
        Snapshot {
            keys: ShardKeys::new(shard),
            owned: self.owned.clone(),
            large: self.large.clone(),
            spare: self.spare.clone(),
            kept: Mutex::new(None),
        }
    }
}

impl Snapshot {
    /// See [`crate::Snapshot::version`].
    pub(crate) fn version(&self) -> u64 {
        self.owned.sequence()
    }

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
        found.map(|stored| self.value_of(&stored)).transpose()
    }

    /// The value that is stored as these bytes.
    fn value_of(&self, stored: &[u8]) -> Result<Bytes, Error> {
        match Pointer::decode(stored)? {
            Some((pointer, head)) => Ok(self.large.read(&pointer, head)?.into()),
            None => Ok(Bytes::copy_from_slice(stored)),
        }
    }

    pub(crate) fn get_many(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Bytes>>, Error> {
        self.get_many_within(keys, usize::MAX)
    }

    pub(crate) fn get_many_within(
        &self,
        keys: &[Vec<u8>],
        bytes: usize,
    ) -> Result<Vec<Option<Bytes>>, Error> {
        if let [key] = keys {
            return Ok(vec![self.get(key)?]);
        }
        let full: Vec<Vec<u8>> = keys.iter().map(|key| self.keys.key(key)).collect();
        let room = Room {
            bytes,
            taken: AtomicUsize::new(0),
        };
        let looked_up = self.spare.share(&full, |part| self.look_up(part, &room))?;
        Ok(looked_up.into_iter().map_while(|found| found).collect())
    }

    /// What is stored under each of these keys; `None` where it was not looked up, since there was no room any more.
    fn look_up(&self, full: &[Vec<u8>], room: &Room) -> Result<Vec<Option<Option<Bytes>>>, Error> {
        let db = self.owned.borrow_owner();
        let Some(family) = db.cf_handle(COLUMN_FAMILY) else {
            return Err(Error::Closed);
        };
        let mut options = ReadOptions::default();
        options.set_snapshot(self.owned.borrow_dependent());
        let mut found = Vec::with_capacity(full.len());
        'portions: for portion in full.chunks(LOOKUPS_AT_ONCE) {
            for stored in db.batched_multi_get_cf_opt(family, portion, portion.is_sorted(), &options) {
                let stored = stored.map_err(engine_error("reading keys"))?;
                let value = stored.map(|stored| self.value_of(&stored)).transpose()?;
                let is_full = room.take(value.as_ref().map_or(0, Bytes::len));
                found.push(Some(value));
                if is_full {
                    break 'portions;
                }
            }
        }
        found.resize(full.len(), None);
        Ok(found)
    }

    pub(crate) fn page(&self, range: &KeyRange, order: Order, limit: PageLimit) -> Result<Page, Error> {
        let (low, high) = self.keys.range(range);
        if low >= high {
            return Ok(PageBuilder::new(limit).finish(true));
        }
        match order {
            Order::Forward => self.page_forward(&low, high, limit),
            Order::Backward => {
                let mut options = ReadOptions::default();
                options.set_iterate_range(low..high);
                let mut entries = self.owned.borrow_dependent().raw_iterator_opt(options);
                entries.seek_to_last();
                self.read(&mut entries, limit, DbIterator::prev)
            }
        }
    }

    fn page_forward(&self, low: &[u8], high: Vec<u8>, limit: PageLimit) -> Result<Page, Error> {
        let kept = self.kept.lock().take().filter(|kept| kept.high == high);
        let mut kept = kept.unwrap_or_else(|| KeptIterator {
            iterator: OwnedIterator::new(self.owned.clone(), |owned| {
                let mut options = ReadOptions::default();
                options.set_iterate_upper_bound(high.clone());
                owned.borrow_dependent().raw_iterator_opt(options)
            }),
            high,
        });
        let page = kept.iterator.with_dependent_mut(|_, entries| {
            entries.seek(low);
            self.read(entries, limit, DbIterator::next)
        })?;
        *self.kept.lock() = Some(kept);
        Ok(page)
    }

    /// Reads a page from where an iterator stands.
    fn read<'snapshot>(
        &self,
        entries: &mut DbIterator<'snapshot>,
        limit: PageLimit,
        advance: fn(&mut DbIterator<'snapshot>),
    ) -> Result<Page, Error> {
        let prefix_bytes = self.keys.prefix_bytes();
        let mut page = PageBuilder::new(limit);
        while let Some((key, value)) = entries.item() {
            let key = &key[prefix_bytes..];
            let has_room = match Pointer::decode(value)? {
                Some(_) if page.is_full() => false,
                Some((pointer, head)) => page.push(key, &self.large.read(&pointer, head)?),
                None => page.push(key, value),
            };
            if !has_room {
                return Ok(page.finish(false));
            }
            advance(entries);
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
