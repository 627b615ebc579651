//! Records that were read lately, in memory by their numbers: a record that is there costs no search in the engine.
//!
//! One cache serves all collections of a store. Each collection has a [`CachedRecords`], through which its snapshots
//! read.
//!
//! What must hold: a snapshot gets from here only the version of a record that it would read from the engine. So before a commit is
//! written, it names the records that it changes ([`CachedRecords::change`]). They are dropped, and the **floor** of
//! their numbers rises above every snapshot from before that commit: for these numbers, such a snapshot is served nothing
//! any more, and nothing that it read is kept. So what is kept at a floor has not changed since any snapshot that
//! reaches the floor.
//!
//! Records may also take what the caches beside them leave of their memory: a server without files, or whose collections are too
//! large for pages of scans to be kept, keeps more records. A cache that grows has them give it back
//! ([`RecordCache::give_back`]).
//!
//! Beside the records there is a table of **guesses** of which record has an `_id`. An entry may be wrong: a reader that
//! takes a guess finds the record here or in the engine, as its snapshot sees it, and compares its `_id`. The table has more places
//! than there are records here: a right guess spares the search in the index on `_id`, whether or not the record is here.

use crate::RecordId;
use crate::entry_cache::{CachedEntries, EntryCache};
use crate::record::Header;
use crate::scan_cache::{PageFloors, ScanCache, Scanned};
use crate::snapshot::DocumentPage;
use bytes::Bytes;
use foldhash::fast::FixedState;
use kv::ShardId;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The number of parts, each with its own lock, so that readers and commits seldom wait for each other.
const STRIPES: usize = 64;

/// The number of records that are looked up together. All parts are locked once for that: a lock for each record would keep the
/// processor from fetching several at a time.
const TOGETHER_MAX: usize = 256;
const TOGETHER_MIN: usize = 16;

/// The number of floors of a collection. A commit that changes one record hides only one part in this many from older snapshots.
const FLOORS: usize = 64;

/// Larger records are not kept: a look-up costs little beside copying them, and few would fill the cache.
const RECORD_BYTES_MAX: usize = 16 * 1024;

/// What a record takes besides its bytes: its place in the table, and what the allocator adds by rounding up.
const OVERHEAD_BYTES: usize = 80;

/// There is one guess for each of this many bytes of the cache.
const BYTES_PER_GUESS: usize = 128;

/// The number of lower bits of a guess that are the record's number. The others tell its `_id` from most that share its place, so that
/// few guesses are wrong. A record whose number has more bits has no guess.
const GUESSED_BITS: u32 = 40;

/// The bytes that caches outside the store leave of their memory now.
pub(crate) type IdleBytes = Arc<dyn Fn() -> usize + Send + Sync>;

/// The records of all collections that are in memory.
pub(crate) struct RecordCache {
    stripes: Vec<RwLock<Stripe>>,
    /// The records' own share, less the guesses.
    own_bytes: usize,
    /// What each part may take, as of the last look at what other caches leave.
    stripe_bytes_max: AtomicUsize,
    idle_bytes: IdleBytes,
    /// Numbers of records by the hash of shard and `_id`, and some bits of that hash; 0 for none.
    guesses: Box<[AtomicU64]>,
    hasher: FixedState,
    /// Pages that scans have read.
    scans: ScanCache,
    /// Entries that were read.
    entries: Arc<EntryCache>,
}

#[derive(Default)]
struct Stripe {
    records: HashMap<Key, Kept, FixedState>,
    bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    shard: u64,
    record: u64,
}

struct Kept {
    bytes: Box<[u8]>,
    /// Where the document starts.
    document: usize,
    /// Whether it was read since the last time that room was made.
    used: AtomicBool,
}

/// The part of the cache that is a collection's, with its floors.
pub(crate) struct CachedRecords {
    cache: Arc<RecordCache>,
    shard: ShardId,
    floors: [AtomicU64; FLOORS],
    page_floors: PageFloors,
    /// What is kept of the collection's indexes.
    pub(crate) entries: CachedEntries,
}

impl RecordCache {
    /// A cache with these numbers of bytes for records, for pages of scans and for index entries. With 0, nothing of that kind is
    /// kept. Records may also take what is idle of the others.
    pub(crate) fn new(
        bytes_max: usize,
        scan_bytes_max: usize,
        entry_bytes_max: usize,
        idle_bytes: IdleBytes,
    ) -> RecordCache {
        let scans = ScanCache::new(scan_bytes_max);
        let guesses = with_idle(bytes_max, &scans, &idle_bytes) / BYTES_PER_GUESS;
        let cache = RecordCache {
            stripes: (0..STRIPES).map(|_| RwLock::default()).collect(),
            own_bytes: bytes_max.saturating_sub(guesses * size_of::<AtomicU64>()),
            stripe_bytes_max: AtomicUsize::new(0),
            idle_bytes,
            guesses: (0..guesses).map(|_| AtomicU64::new(0)).collect(),
            hasher: FixedState::default(),
            scans,
            entries: Arc::new(EntryCache::new(entry_bytes_max)),
        };
        cache.look_at_others();
        cache
    }

    /// Looks how much the other caches leave. Returns the bytes that each part may take.
    fn look_at_others(&self) -> usize {
        let of_stripe = with_idle(self.own_bytes, &self.scans, &self.idle_bytes) / STRIPES;
        self.stripe_bytes_max.store(of_stripe, Ordering::Relaxed);
        of_stripe
    }

    /// Gives back what other caches have come to need of their memory; to be called when they have grown.
    pub(crate) fn give_back(&self) {
        let bytes_max = self.look_at_others();
        for stripe in &self.stripes {
            if stripe.read().bytes > bytes_max {
                stripe.write().make_room(bytes_max / 8 * 7);
            }
        }
    }

    /// The bytes that are kept now.
    pub(crate) fn bytes(&self) -> usize {
        let records: usize = self.stripes.iter().map(|stripe| stripe.read().bytes).sum();
        records + self.scans.bytes() + self.entries.bytes()
    }

    /// The place of the guess for an `_id`, and the bits that identify it there.
    fn guess(&self, shard: ShardId, id_key: &[u8]) -> Option<(&AtomicU64, u64)> {
        let hash = self.hasher.hash_one((shard.0, id_key));
        let place = (hash as u32 as usize).checked_rem(self.guesses.len())?;
        Some((self.guesses.get(place)?, hash >> GUESSED_BITS))
    }

    fn stripe(&self, key: &Key) -> &RwLock<Stripe> {
        &self.stripes[self.stripe_of(key)]
    }

    fn stripe_of(&self, key: &Key) -> usize {
        // The low bits of the same hash are used by the table within the stripe.
        let hash = self.hasher.hash_one(key);
        (hash >> 32) as usize % STRIPES
    }
}

/// The bytes that records may take now: their own share, and what the other caches leave; nothing without a share of their own.
fn with_idle(own_bytes: usize, scans: &ScanCache, idle_bytes: &IdleBytes) -> usize {
    match own_bytes {
        0 => 0,
        own => own + scans.idle_bytes() + idle_bytes(),
    }
}

impl CachedRecords {
    pub(crate) fn new(cache: Arc<RecordCache>, shard: ShardId) -> CachedRecords {
        CachedRecords {
            entries: CachedEntries::new(cache.entries.clone()),
            cache,
            shard,
            floors: std::array::from_fn(|_| AtomicU64::new(0)),
            page_floors: PageFloors::default(),
        }
    }

    /// Appends the bytes of a record as a snapshot of this sequence sees it. Returns false if they are not here.
    pub(crate) fn copy(&self, id: RecordId, sequence: u64, out: &mut Vec<u8>) -> bool {
        self.find(id, sequence, |kept| out.extend_from_slice(&kept.bytes))
    }

    /// As [`CachedRecords::copy`], for the document alone. It was checked when the record was read.
    pub(crate) fn copy_document(&self, id: RecordId, sequence: u64, out: &mut Vec<u8>) -> bool {
        self.find(id, sequence, |kept| {
            out.extend_from_slice(kept.document());
        })
    }

    /// Appends the documents of several records, one after the other, until `out` has about `bytes_max`; `ends` gets the end of
    /// each. A record that is not here has no bytes, and its place is added to `missing`.
    pub(crate) fn copy_documents(
        &self,
        ids: &[RecordId],
        sequence: u64,
        bytes_max: usize,
        out: &mut Vec<u8>,
        ends: &mut Vec<usize>,
        missing: &mut Vec<usize>,
    ) {
        for (portion, ids) in ids.chunks(TOGETHER_MAX).enumerate() {
            if out.len() >= bytes_max {
                break;
            }
            let place = portion * TOGETHER_MAX;
            if ids.len() < TOGETHER_MIN {
                for (at, &id) in ids.iter().enumerate() {
                    if !self.copy_document(id, sequence, out) {
                        missing.push(place + at);
                    }
                    ends.push(out.len());
                }
                continue;
            }
            // This takes several locks, so it must not queue behind a waiting writer, who may wait for a part that another such reader holds.
            let stripes: [_; STRIPES] = std::array::from_fn(|at| self.cache.stripes[at].read_recursive());
            let find = |&id: &RecordId| {
                let key = self.key(id);
                self.visible(&stripes[self.cache.stripe_of(&key)], &key, id, sequence)
            };
            let found: Vec<Option<&Kept>> = ids.iter().map(find).collect();
            out.reserve(found.iter().flatten().map(|kept| kept.document().len()).sum());
            for (at, kept) in found.iter().enumerate() {
                match kept {
                    Some(kept) => out.extend_from_slice(kept.document()),
                    None => missing.push(place + at),
                }
                ends.push(out.len());
            }
        }
    }

    fn find(&self, id: RecordId, sequence: u64, found: impl FnOnce(&Kept)) -> bool {
        let key = self.key(id);
        let stripe = self.cache.stripe(&key).read();
        let kept = self.visible(&stripe, &key, id, sequence);
        kept.map(found).is_some()
    }

    /// A record as a snapshot of this sequence sees it, if it is here.
    fn visible<'s>(&self, stripe: &'s Stripe, key: &Key, id: RecordId, sequence: u64) -> Option<&'s Kept> {
        // Read under the lock: whatever is there now was kept at this floor or a lower one.
        if id.0 > sequence || self.floor(id).load(Ordering::Acquire) > sequence {
            return None;
        }
        let kept = stripe.records.get(key)?;
        if !kept.used.load(Ordering::Relaxed) {
            kept.used.store(true, Ordering::Relaxed);
        }
        Some(kept)
    }

    /// The record that may have the `_id` with this key in the index on `_id`.
    pub(crate) fn guess(&self, id_key: &[u8]) -> Option<RecordId> {
        let (guess, told_by) = self.cache.guess(self.shard, id_key)?;
        let guess = guess.load(Ordering::Relaxed);
        let record = guess & ((1 << GUESSED_BITS) - 1);
        (record != 0 && guess >> GUESSED_BITS == told_by).then_some(RecordId(record))
    }

    /// Notes which record has an `_id`.
    pub(crate) fn note(&self, id_key: &[u8], record: RecordId) {
        if let Some((guess, told_by)) = self.cache.guess(self.shard, id_key)
            && record.0 >> GUESSED_BITS == 0
        {
            guess.store((told_by << GUESSED_BITS) | record.0, Ordering::Relaxed);
        }
    }

    /// Keeps the bytes of a record, with this header, that a snapshot of this sequence has read.
    pub(crate) fn keep(&self, id: RecordId, sequence: u64, bytes: &Bytes, header: &Header) {
        let cost = bytes.len() + OVERHEAD_BYTES;
        let mut bytes_max = self.cache.stripe_bytes_max.load(Ordering::Relaxed);
        if bytes.len() > RECORD_BYTES_MAX || cost > bytes_max {
            return;
        }
        let key = self.key(id);
        let mut stripe = self.cache.stripe(&key).write();
        if self.floor(id).load(Ordering::Acquire) > sequence {
            return;
        }
        if stripe.bytes + cost > bytes_max {
            bytes_max = self.cache.look_at_others();
        }
        if stripe.bytes + cost > bytes_max {
            stripe.make_room(bytes_max / 8 * 7);
        }
        if let Entry::Vacant(place) = stripe.records.entry(key) {
            place.insert(Kept {
                bytes: bytes.as_ref().into(),
                document: header.document,
                used: AtomicBool::new(false),
            });
            stripe.bytes += cost;
        }
    }

    /// Drops records, and returns those that were here; to be called before the commit that changes them is written. `sequence` is
    /// that of the last change before it.
    pub(crate) fn change(&self, ids: &[RecordId], sequence: u64) -> Vec<RecordId> {
        let mut dropped = Vec::new();
        for &id in ids {
            self.floor(id).fetch_max(sequence + 1, Ordering::AcqRel);
            let key = self.key(id);
            let mut stripe = self.cache.stripe(&key).write();
            if let Some(kept) = stripe.records.remove(&key) {
                stripe.bytes -= kept.cost();
                dropped.push(id);
            }
        }
        let scans = &self.cache.scans;
        scans.change(self.shard, ids, sequence, &self.page_floors);
        dropped
    }

    /// The page of a scan with the records after a number, as a snapshot of this sequence sees them.
    pub(crate) fn scanned(&self, after: u64, sequence: u64) -> Scanned {
        self.cache
            .scans
            .find(self.shard, after, sequence, &self.page_floors)
    }

    /// Whether pages of scans of a collection of about this many bytes are kept.
    pub(crate) fn keeps_scans(&self, collection_bytes: usize) -> bool {
        self.cache.scans.takes(collection_bytes)
    }

    /// Keeps the page after a record number that a scan at a snapshot of this sequence has read.
    pub(crate) fn keep_scanned(&self, after: u64, page: &Arc<DocumentPage>, sequence: u64) {
        let scans = &self.cache.scans;
        scans.keep(self.shard, after, page, sequence, &self.page_floors);
        self.cache.give_back();
    }

    fn key(&self, id: RecordId) -> Key {
        Key {
            shard: self.shard.0,
            record: id.0,
        }
    }

    fn floor(&self, id: RecordId) -> &AtomicU64 {
        &self.floors[id.0 as usize % FLOORS]
    }
}

impl Stripe {
    /// Drops records until no more than this many bytes are left: first those not read since the last time, then any.
    fn make_room(&mut self, bytes_max: usize) {
        let mut bytes = self.bytes;
        for only_unused in [true, false] {
            self.records.retain(|_, kept| {
                let used = std::mem::take(kept.used.get_mut());
                let keeps = bytes <= bytes_max || (only_unused && used);
                if !keeps {
                    bytes -= kept.cost();
                }
                keeps
            });
        }
        self.bytes = bytes;
    }
}

impl Kept {
    fn document(&self) -> &[u8] {
        &self.bytes[self.document..]
    }

    fn cost(&self) -> usize {
        self.bytes.len() + OVERHEAD_BYTES
    }
}

/// The scanned pages of a collection that is gone are of no use to anybody.
impl Drop for CachedRecords {
    fn drop(&mut self) {
        self.cache.scans.forget(self.shard);
    }
}

impl std::fmt::Debug for CachedRecords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedRecords")
            .field("shard", &self.shard)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for RecordCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordCache")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(bytes_max: usize) -> CachedRecords {
        CachedRecords::new(
            Arc::new(RecordCache::new(bytes_max, 0, 0, Arc::new(|| 0))),
            ShardId(1),
        )
    }

    /// Keeps a record of these bytes, all of which are its document.
    fn keep(records: &CachedRecords, id: u64, sequence: u64, bytes: &'static [u8]) {
        records.keep(
            RecordId(id),
            sequence,
            &Bytes::from_static(bytes),
            &Header::default(),
        );
    }

    fn read(records: &CachedRecords, id: u64, sequence: u64) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        records.copy(RecordId(id), sequence, &mut out).then_some(out)
    }

    #[test]
    fn records_take_what_other_caches_leave_and_give_it_back() {
        const RECORDS: u64 = 1_000;
        let idle = Arc::new(AtomicUsize::new(1 << 20));
        let left = idle.clone();
        let idle_bytes: IdleBytes = Arc::new(move || left.load(Ordering::Relaxed));
        let cache = Arc::new(RecordCache::new(128 << 10, 0, 0, idle_bytes));
        let records = CachedRecords::new(cache.clone(), ShardId(1));
        let fill = || (1..=RECORDS).for_each(|id| keep(&records, id, RECORDS, &[0; 100]));
        fill();
        assert_eq!(cache.bytes(), RECORDS as usize * (100 + OVERHEAD_BYTES));
        idle.store(0, Ordering::Relaxed);
        cache.give_back();
        assert!(cache.bytes() <= 128 << 10, "{}", cache.bytes());
        fill();
        assert!(cache.bytes() <= 128 << 10, "{}", cache.bytes());
        idle.store(1 << 20, Ordering::Relaxed);
        fill();
        assert_eq!(cache.bytes(), RECORDS as usize * (100 + OVERHEAD_BYTES));
    }

    #[test]
    fn a_changed_record_is_served_to_those_only_who_see_the_change() {
        let records = records(1 << 20);
        keep(&records, 1, 5, b"old");
        assert_eq!(read(&records, 1, 5).as_deref(), Some(b"old".as_slice()));
        records.change(&[RecordId(1)], 5);
        // A reader that began before the commit is late: what it read is stale by now.
        keep(&records, 1, 5, b"old");
        assert_eq!(read(&records, 1, 6), None);
        keep(&records, 1, 6, b"new");
        assert_eq!(read(&records, 1, 6).as_deref(), Some(b"new".as_slice()));
        assert_eq!(read(&records, 1, 5), None);
    }

    #[test]
    fn many_records_are_found_as_each_is() {
        let records = records(1 << 20);
        for id in (0..700).filter(|id| id % 3 != 0) {
            keep(&records, id, 700, if id % 2 == 0 { b"even" } else { b"odd" });
        }
        records.change(&[RecordId(7)], 700);
        for count in [1, 15, 16, 255, 256, 257, 700] {
            let ids: Vec<RecordId> = (0..count).map(RecordId).collect();
            let (mut out, mut ends, mut missing) = (Vec::new(), Vec::new(), Vec::new());
            records.copy_documents(&ids, 700, usize::MAX, &mut out, &mut ends, &mut missing);
            let mut start = 0;
            for (id, end) in ids.iter().zip(ends) {
                let alone = read(&records, id.0, 700).unwrap_or_default();
                assert_eq!(out[start..end], alone, "{id:?} of {count}");
                assert_eq!(missing.contains(&(id.0 as usize)), alone.is_empty(), "{id:?}");
                start = end;
            }
        }
    }

    #[test]
    fn a_record_is_not_there_before_it_was_inserted() {
        let records = records(1 << 20);
        keep(&records, 7, 9, b"later");
        assert_eq!(read(&records, 7, 6), None);
        assert!(read(&records, 7, 7).is_some());
    }

    #[test]
    fn records_that_are_read_again_stay_and_the_cache_keeps_to_its_limit() {
        let records = records(1 << 20);
        let body = Bytes::from(vec![7; 100]);
        for id in 1..=40_000 {
            records.keep(RecordId(id), 40_000, &body, &Header::default());
            read(&records, 1 + id % 100, 40_000);
            assert!(id % 1000 != 0 || records.cache.bytes() <= 1 << 20);
        }
        let hot = (1..=100)
            .filter(|id| read(&records, *id, 40_000).is_some())
            .count();
        assert!(hot > 90, "{hot}");
        assert!(records.cache.bytes() > 700_000);
    }

    #[test]
    fn a_guess_is_of_one_collection() {
        let records = records(1 << 20);
        records.note(b"key", RecordId(7));
        assert_eq!(records.guess(b"key"), Some(RecordId(7)));
        assert_eq!(records.guess(b"another"), None);
        let others = CachedRecords::new(records.cache.clone(), ShardId(2));
        assert_eq!(others.guess(b"key"), None);
        records.note(b"key", RecordId(1 << GUESSED_BITS));
        assert_eq!(
            records.guess(b"key"),
            Some(RecordId(7)),
            "a number too large is not kept"
        );
    }

    #[test]
    fn a_guess_is_hardly_ever_of_another_id_at_the_same_place() {
        let records = records(1 << 10);
        let key = |number: u32| number.to_be_bytes();
        for number in 1..=1000 {
            records.note(&key(number), RecordId(number.into()));
        }
        let guesses: Vec<(u32, RecordId)> = (1..=1000)
            .filter_map(|number| Some((number, records.guess(&key(number))?)))
            .collect();
        assert_eq!(guesses.len(), records.cache.guesses.len(), "one for each place");
        assert!(
            guesses
                .iter()
                .all(|(number, record)| record.0 == u64::from(*number))
        );
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing() {
        let records = records(0);
        records.note(b"key", RecordId(7));
        assert_eq!(records.guess(b"key"), None);
        keep(&records, 1, 1, b"a");
        assert_eq!(read(&records, 1, 1), None);
    }
}
