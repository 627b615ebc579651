//! Reads of one shard at one moment.

use super::compactor::Passed;
use super::database::COLUMN_FAMILY;
use super::error::engine_error;
use super::large::{Pointer, ValueFiles};
use super::layout::{ShardKeys, decode_head};
use super::spare::Spare;
use crate::page::PageBuilder;
use crate::{Aside, Error, Head, KeyRange, Order, Page, PageLimit, ShardId};
use bytes::Bytes;
use parking_lot::Mutex;
use rocksdb::{DB, ErrorKind, ReadOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type DbSnapshot<'db> = rocksdb::Snapshot<'db>;
type DbIterator<'snapshot> = rocksdb::DBRawIterator<'snapshot>;

/// The number of keys that are looked up at once when the bytes of the values are limited. Values that lie with their keys are small;
/// large ones are read one by one.
const LOOKUPS_AT_ONCE: usize = 256;

/// The number of deleted keys, and of older versions of keys, that an iterator passes on its way to the next key before it gives up,
/// after some milliseconds. They are then passed once more, and reported to the compactor.
const PASSED_MAX: u64 = 20_000;

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

/// The bytes that several look-ups may take together.
struct Room {
    bytes: usize,
    taken: AtomicUsize,
}

impl Room {
    /// Takes some bytes. Returns whether none are left.
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

/// The parts that reads need besides the tables.
#[derive(Clone)]
pub(super) struct Helpers {
    pub(super) large: Arc<ValueFiles>,
    pub(super) spare: Spare,
    pub(super) passed: Passed,
}

/// See [`crate::Moment`].
#[derive(Clone)]
pub(crate) struct Moment {
    owned: Arc<OwnedSnapshot>,
    helpers: Helpers,
}

/// See [`crate::Snapshot`].
pub(crate) struct Snapshot {
    pub(super) keys: ShardKeys,
    pub(super) owned: Arc<OwnedSnapshot>,
    helpers: Helpers,
    /// The iterator of the last forward page. The next page often continues in the same range, or jumps ahead in it, and a seek is
    /// much cheaper than a new iterator.
    kept: Mutex<Option<KeptIterator>>,
}

impl Clone for Snapshot {
    /// The iterator stays behind.
    fn clone(&self) -> Snapshot {
        Snapshot {
            keys: self.keys.clone(),
            owned: self.owned.clone(),
            helpers: self.helpers.clone(),
            kept: Mutex::new(None),
        }
    }
}

impl OwnedSnapshot {
    /// The number of the last write that it sees.
    pub(super) fn sequence(&self) -> u64 {
        self.borrow_dependent().sequence_number()
    }
}

impl Moment {
    pub(super) fn take(db: Arc<DB>, helpers: Helpers) -> Moment {
        let now = OwnedSnapshot::new(db, |db| db.snapshot());
        Moment::of(Arc::new(now), helpers)
    }

    /// The moment of a snapshot that was taken before.
    pub(super) fn of(owned: Arc<OwnedSnapshot>, helpers: Helpers) -> Moment {
        Moment { owned, helpers }
    }

    pub(crate) fn snapshot(&self, shard: ShardId) -> Snapshot {
        Snapshot {
            keys: ShardKeys::new(shard),
            owned: self.owned.clone(),
            helpers: self.helpers.clone(),
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

    pub(crate) fn aside<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<Aside<T>> {
        self.helpers.spare.aside(work)
    }

    pub(super) fn large(&self) -> &ValueFiles {
        &self.helpers.large
    }

    /// The value that is stored as these bytes.
    fn value_of(&self, stored: &[u8]) -> Result<Bytes, Error> {
        match Pointer::decode(stored)? {
            Some((pointer, head)) => Ok(self.large().read(&pointer, head)?.into()),
            None => Ok(Bytes::copy_from_slice(stored)),
        }
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
        // Several threads look up a part each, and take from one room. If it is full before the first parts are done, later parts have
        // values after a gap; only those before the gap are returned.
        let looked_up = self
            .helpers
            .spare
            .share(&full, |part| self.look_up(part, &room))?;
        Ok(looked_up.into_iter().map_while(|found| found).collect())
    }

    /// What is stored under each of these keys; `None` if it was not looked up because there was no room left.
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
            return Ok(PageBuilder::new(limit).into_last_page());
        }
        let found = match order {
            Order::Forward => self.page_forward(&low, &high, limit)?,
            Order::Backward => self.page_backward(&low, &high, limit, PASSED_MAX)?,
        };
        match found {
            Some(page) => Ok(page),
            None => self.page_after_deleted(low, high, order, limit),
        }
    }

    /// Reads a page that begins after too many deleted keys, and reports them to the compactor.
    fn page_after_deleted(
        &self,
        low: Vec<u8>,
        high: Vec<u8>,
        order: Order,
        limit: PageLimit,
    ) -> Result<Page, Error> {
        let page = match order {
            Order::Forward => {
                let mut options = ReadOptions::default();
                options.set_iterate_upper_bound(high.clone());
                let mut entries = self.owned.borrow_dependent().raw_iterator_opt(options);
                entries.seek(&low);
                self.read(&mut entries, limit, DbIterator::next)?
            }
            Order::Backward => self.page_backward(&low, &high, limit, 0)?,
        };
        let page = page.ok_or(Error::Engine {
            doing: "reading a page",
            cause: "an iterator without a limit has given up".to_owned(),
        })?;
        let first = (!page.is_empty()).then(|| self.keys.key(page.key(0)));
        self.helpers.passed.tell(match order {
            Order::Forward => (low, first.unwrap_or(high)),
            Order::Backward => (first.unwrap_or(low), high),
        });
        Ok(page)
    }

    /// Reads a backward page. `None` if it would begin after more deleted keys than `passed_max`; 0 is no limit.
    fn page_backward(
        &self,
        low: &[u8],
        high: &[u8],
        limit: PageLimit,
        passed_max: u64,
    ) -> Result<Option<Page>, Error> {
        let mut options = ReadOptions::default();
        options.set_iterate_range(low.to_vec()..high.to_vec());
        options.set_max_skippable_internal_keys(passed_max);
        let mut entries = self.owned.borrow_dependent().raw_iterator_opt(options);
        entries.seek_to_last();
        self.read(&mut entries, limit, DbIterator::prev)
    }

    /// Reads a forward page. `None` if it would begin after too many deleted keys.
    fn page_forward(&self, low: &[u8], high: &[u8], limit: PageLimit) -> Result<Option<Page>, Error> {
        let kept = self.kept.lock().take().filter(|kept| kept.high == high);
        let mut kept = kept.unwrap_or_else(|| KeptIterator {
            iterator: OwnedIterator::new(self.owned.clone(), |owned| {
                let mut options = ReadOptions::default();
                options.set_iterate_upper_bound(high.to_vec());
                options.set_max_skippable_internal_keys(PASSED_MAX);
                owned.borrow_dependent().raw_iterator_opt(options)
            }),
            high: high.to_vec(),
        });
        let page = kept.iterator.with_dependent_mut(|_, entries| {
            entries.seek(low);
            self.read(entries, limit, DbIterator::next)
        })?;
        *self.kept.lock() = Some(kept);
        Ok(page)
    }

    /// Reads a page from an iterator's position. It ends early before many deleted keys; `None` if it would begin after them.
    fn read<'snapshot>(
        &self,
        entries: &mut DbIterator<'snapshot>,
        limit: PageLimit,
        advance: fn(&mut DbIterator<'snapshot>),
    ) -> Result<Option<Page>, Error> {
        let prefix_bytes = self.keys.prefix_bytes();
        let mut page = PageBuilder::new(limit);
        while let Some((key, value)) = entries.item() {
            let key = &key[prefix_bytes..];
            let has_room = match Pointer::decode(value)? {
                Some(_) if page.is_full() => false,
                Some((pointer, head)) => page.push(key, &self.large().read(&pointer, head)?),
                None => page.push(key, value),
            };
            if !has_room {
                return Ok(Some(page.into_page()));
            }
            advance(entries);
        }
        match entries.status() {
            Ok(()) => Ok(Some(page.into_last_page())),
            Err(error) if error.kind() == ErrorKind::Incomplete => {
                let page = page.into_page();
                Ok((!page.is_empty()).then_some(page))
            }
            Err(error) => Err(engine_error("reading a page")(error)),
        }
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
