//! Ranges of index entries that were read lately, in memory: to read them again needs no iterator of the engine, no seek and no
//! step.
//!
//! One cache serves all collections of a store. Each collection has a [`CachedEntries`], through which its snapshots read.
//!
//! What must hold: a range holds all entries of an index between two keys, as they are in every snapshot that is served from it. So a
//! commit that puts or removes an entry first drops the range around it and raises the **floor** of its index: what older snapshots
//! read of the index is not kept any more. A range serves only snapshots that are not older than the floor at which it was
//! kept.

use crate::{KeyRange, Order, keys};
use kv::Page;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// The number of floors of a collection; several indexes may share one.
const FLOORS: usize = 32;

/// What a range takes besides its page and its bounds: its place in the table, and what the allocator adds by rounding up.
const OVERHEAD_BYTES: usize = 160;

/// One range may take at most one part in this many of the cache.
const RANGE_SHARE: usize = 8;

/// The ranges of all collections that are in memory.
#[derive(Debug)]
pub(crate) struct EntryCache {
    bytes_max: usize,
    bytes: AtomicUsize,
    parts: Mutex<Vec<Weak<Part>>>,
}

/// The part of the cache that is a collection's.
pub(crate) struct CachedEntries {
    cache: Arc<EntryCache>,
    part: Arc<Part>,
}

#[derive(Debug, Default)]
struct Part {
    ranges: RwLock<Ranges>,
    floors: [AtomicU64; FLOORS],
}

/// A whole key.
type Key = Box<[u8]>;

/// Ranges by their first keys; none overlaps another.
type Ranges = BTreeMap<Key, Kept>;

#[derive(Debug)]
struct Kept {
    /// The key before which it ends.
    high: Key,
    /// Its entries, in order.
    page: Arc<Page>,
    /// The sequence of the oldest snapshots that may see it.
    since: u64,
    bytes: usize,
    /// Whether it was read since the last time that room was made.
    used: AtomicBool,
}

/// The keys of one index from one key, included, to another, excluded.
#[derive(Debug)]
pub(crate) struct EntryRange {
    pub(crate) low: Vec<u8>,
    pub(crate) high: Vec<u8>,
}

impl EntryRange {
    pub(crate) fn as_keys(&self) -> KeyRange {
        KeyRange {
            low: Bound::Included(self.low.clone()),
            high: Bound::Excluded(self.high.clone()),
        }
    }
}

/// Entries that were found here.
#[derive(Debug)]
pub(crate) struct FoundEntries {
    pub(crate) page: Arc<Page>,
    /// Their places in the page, whose order is forward.
    pub(crate) places: Range<usize>,
    /// Whether the range that was asked for has nothing after them.
    pub(crate) exhausted: bool,
}

impl EntryCache {
    /// A cache of this many bytes; with 0, nothing is kept.
    pub(crate) fn new(bytes_max: usize) -> EntryCache {
        EntryCache {
            bytes_max,
            bytes: AtomicUsize::new(0),
            parts: Mutex::default(),
        }
    }

    /// The bytes that are kept now.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Drops ranges until a range of this many bytes has room: first those not read since the last time, then any.
    fn make_room(&self, bytes: usize) {
        let mut parts = self.parts.lock();
        if self.bytes() + bytes <= self.bytes_max {
            return;
        }
        parts.retain(|part| part.strong_count() > 0);
        let bytes_max = (self.bytes_max / 8 * 7).saturating_sub(bytes);
        for only_unused in [true, false] {
            for part in parts.iter().filter_map(Weak::upgrade) {
                part.ranges.write().retain(|_, kept| {
                    let used = std::mem::take(kept.used.get_mut());
                    let keeps = self.bytes() <= bytes_max || (only_unused && used);
                    if !keeps {
                        self.bytes.fetch_sub(kept.bytes, Ordering::Relaxed);
                    }
                    keeps
                });
            }
        }
    }
}

impl CachedEntries {
    pub(crate) fn new(cache: Arc<EntryCache>) -> CachedEntries {
        let part = Arc::new(Part::default());
        cache.parts.lock().push(Arc::downgrade(&part));
        CachedEntries { cache, part }
    }

    /// The first entries of a range, in this order, as a snapshot of this sequence sees them: all that are wanted, or at least
    /// half of them, so that a scan over many small ranges is never slower than one of the engine's.
    pub(crate) fn find(
        &self,
        range: &EntryRange,
        order: Order,
        wanted: usize,
        sequence: u64,
    ) -> Option<FoundEntries> {
        let (low, high) = (range.low.as_slice(), range.high.as_slice());
        if low >= high {
            return None;
        }
        let ranges = self.part.ranges.read();
        let up_to = match order {
            Order::Forward => Bound::Included(low),
            Order::Backward => Bound::Excluded(high),
        };
        let (start, kept) = ranges.range::<[u8], _>((Bound::Unbounded, up_to)).next_back()?;
        let (begins, ends) = (**start <= *low, *high <= *kept.high);
        let reaches = match order {
            Order::Forward => *low < *kept.high,
            Order::Backward => ends,
        };
        if !reaches || kept.since > sequence {
            return None;
        }
        let mut from = 0;
        if **start < *low {
            from = kept.page.partition_point(|key| key < low);
        }
        let mut to = kept.page.len();
        if *high < *kept.high {
            to = kept.page.partition_point(|key| key < high);
        }
        let mut exhausted = begins && ends;
        let found = to - from;
        if !exhausted && (found == 0 || found < wanted / 2) {
            return None;
        }
        if found > wanted {
            exhausted = false;
            match order {
                Order::Forward => to = from + wanted,
                Order::Backward => from = to - wanted,
            }
        }
        if !kept.used.load(Ordering::Relaxed) {
            kept.used.store(true, Ordering::Relaxed);
        }
        Some(FoundEntries {
            page: kept.page.clone(),
            places: from..to,
            exhausted,
        })
    }

    /// Keeps what a snapshot of this sequence has read of a range, a page in this order.
    pub(crate) fn keep(&self, range: &EntryRange, order: Order, page: &Page, sequence: u64) {
        let Some((low, high)) = read_of(range, order, page) else {
            return;
        };
        let bytes = OVERHEAD_BYTES + low.len() + high.len() + page.bytes();
        if bytes > self.cache.bytes_max / RANGE_SHARE {
            return;
        }
        if self.cache.bytes() + bytes > self.cache.bytes_max {
            self.cache.make_room(bytes);
        }
        let mut ranges = self.part.ranges.write();
        let since = self.part.floor(&low).load(Ordering::Acquire);
        if since > sequence {
            return;
        }
        let overlapped = overlapped(&ranges, &low, &high);
        // What holds more stays.
        if overlapped.iter().map(|(_, bytes)| bytes).sum::<usize>() > bytes {
            return;
        }
        for (start, _) in overlapped {
            self.remove(&mut ranges, &start);
        }
        self.cache.bytes.fetch_add(bytes, Ordering::Relaxed);
        let kept = Kept {
            high,
            page: Arc::new(page.compact(order)),
            since,
            bytes,
            used: AtomicBool::new(false),
        };
        ranges.insert(low, kept);
    }

    /// Drops the ranges around entries; to be called before the commit that puts or removes them is written. `written` are all keys
    /// that it writes; `sequence` is that of the last change before it.
    pub(crate) fn change<'k>(&self, written: impl Iterator<Item = &'k [u8]> + Clone, sequence: u64) {
        if self.cache.bytes_max == 0 {
            return;
        }
        let entries = written.filter(|key| key.first() == Some(&keys::INDEX));
        let mut raised = 0u32;
        for key in entries.clone() {
            let place = floor_of(key);
            if raised & (1 << place) == 0 {
                raised |= 1 << place;
                self.part.floors[place].fetch_max(sequence + 1, Ordering::AcqRel);
            }
        }
        // Only after the floors have risen: from now on, no range that the commit makes stale can be added.
        let ranges = self.part.ranges.read();
        if raised == 0 || ranges.is_empty() {
            return;
        }
        let changed: Vec<Key> = entries
            .filter_map(|key| around(&ranges, key))
            .map(|(start, _)| start.clone())
            .collect();
        drop(ranges);
        if !changed.is_empty() {
            let mut ranges = self.part.ranges.write();
            changed.iter().for_each(|start| self.remove(&mut ranges, start));
        }
    }

    fn remove(&self, ranges: &mut Ranges, start: &[u8]) {
        if let Some(kept) = ranges.remove(start) {
            self.cache.bytes.fetch_sub(kept.bytes, Ordering::Relaxed);
        }
    }
}

impl Part {
    fn floor(&self, key: &[u8]) -> &AtomicU64 {
        &self.floors[floor_of(key)]
    }
}

/// The floor of a key's index, by the last byte of the index's number.
fn floor_of(key: &[u8]) -> usize {
    let number = match key.get(1) {
        Some(&keys::INDEX_LONG) => key.get(5),
        short => short,
    };
    number.map_or(0, |number| usize::from(*number) % FLOORS)
}

/// The range that a key lies in.
fn around<'r>(ranges: &'r Ranges, key: &[u8]) -> Option<(&'r Key, &'r Kept)> {
    let up_to = (Bound::Unbounded, Bound::Included(key));
    let before = ranges.range::<[u8], _>(up_to).next_back();
    before.filter(|(_, kept)| *key < *kept.high)
}

/// The first keys, and the bytes, of the ranges that overlap the one given.
fn overlapped(ranges: &Ranges, low: &[u8], high: &[u8]) -> Vec<(Key, usize)> {
    let within = (Bound::Excluded(low), Bound::Excluded(high));
    around(ranges, low)
        .into_iter()
        .chain(ranges.range::<[u8], _>(within))
        .map(|(start, kept)| (start.clone(), kept.bytes))
        .collect()
}

/// The bounds of the part of a range that a page holds; `None` if it holds none of it.
fn read_of(range: &EntryRange, order: Order, page: &Page) -> Option<(Key, Key)> {
    let (mut low, mut high) = (range.low.clone(), range.high.clone());
    if !page.exhausted() {
        let last = page.key(page.len().checked_sub(1)?);
        match order {
            // The key right after it.
            Order::Forward => high = [last, &[0]].concat(),
            Order::Backward => low = last.to_vec(),
        }
    }
    (low < high).then(|| (low.into(), high.into()))
}

/// The ranges of a collection that is gone are of no use to anybody.
impl Drop for CachedEntries {
    fn drop(&mut self) {
        let ranges = std::mem::take(&mut *self.part.ranges.write());
        let bytes: usize = ranges.values().map(|kept| kept.bytes).sum();
        self.cache.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for CachedEntries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedEntries")
            .field("ranges", &self.part.ranges.read().len())
            .finish_non_exhaustive()
    }
}
