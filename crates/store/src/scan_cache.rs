//! Pages of documents as scans have read them, in memory: a second scan of a small collection neither reads the engine nor checks
//! checksums.
//!
//! One cache serves all collections of a store; a collection's part of it is in its [`crate::record_cache::CachedRecords`].
//!
//! What must hold: a page has all records between two numbers, as they are in every snapshot that is served from it. So before a
//! commit that changes a record is written, the page around the record is dropped. From then on no such page is kept for, or
//! served to, a snapshot from before the commit; **floors** of record numbers see to that, as in the record cache. Inserts change
//! no page, because the numbers of new records are larger than all others.

use crate::RecordId;
use crate::snapshot::DocumentPage;
use kv::ShardId;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The part of the cache that a collection may take. A larger one is not kept: its scan would drop its own pages again, having
/// copied them in vain.
const SHARE: (usize, usize) = (3, 4);

/// The number of record numbers that share a floor.
const NUMBERS_TOGETHER: u64 = 1024;
const FLOORS: usize = 64;

/// The pages of all collections that are in memory.
pub(crate) struct ScanCache {
    bytes_max: usize,
    pages: RwLock<Pages>,
}

#[derive(Default)]
struct Pages {
    /// By shard and the number of the last record.
    by_last: BTreeMap<(u64, u64), Kept>,
    bytes: usize,
}

struct Kept {
    /// The record number after which the page begins.
    after: u64,
    page: Arc<DocumentPage>,
    /// Whether it was read since the last time that room was made.
    used: AtomicBool,
}

/// For which snapshots pages of a collection may be kept and given.
pub(crate) struct PageFloors([AtomicU64; FLOORS]);

/// The answer to a scan.
pub(crate) enum Scanned {
    /// A page with the next records.
    Page(Arc<DocumentPage>),
    /// Nothing is kept up to this record number, included; to the end if there is none.
    UpTo(Option<RecordId>),
}

impl ScanCache {
    /// A cache of this many bytes; with 0, nothing is kept.
    pub(crate) fn new(bytes_max: usize) -> ScanCache {
        ScanCache {
            bytes_max,
            pages: RwLock::default(),
        }
    }

    /// The bytes that are kept now.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.read().bytes
    }

    /// The bytes that are left.
    pub(crate) fn idle_bytes(&self) -> usize {
        self.bytes_max.saturating_sub(self.bytes())
    }

    /// Whether pages of a collection of about this many bytes are kept.
    pub(crate) fn takes(&self, collection_bytes: usize) -> bool {
        collection_bytes < self.bytes_max / SHARE.1 * SHARE.0
    }

    /// The page with the records after a number, which is below this sequence, as a snapshot of the sequence sees them.
    pub(crate) fn find(&self, shard: ShardId, after: u64, sequence: u64, floors: &PageFloors) -> Scanned {
        let pages = self.pages.read();
        let known = (shard.0, after + 1)..=(shard.0, sequence);
        let next = pages.by_last.range(known).next();
        match next {
            None => Scanned::UpTo(None),
            Some((_, kept)) if kept.after > after => Scanned::UpTo(Some(RecordId(kept.after))),
            // Read under the lock: whatever is there now was kept at these floors or lower ones.
            Some((&(_, last), kept)) => match floors.allow(kept.after, last, sequence) {
                true => {
                    kept.used.store(true, Ordering::Relaxed);
                    Scanned::Page(kept.page.clone())
                }
                false => Scanned::UpTo(None),
            },
        }
    }

    /// Keeps the page after a number that a snapshot of this sequence has read.
    pub(crate) fn keep(
        &self,
        shard: ShardId,
        after: u64,
        page: &Arc<DocumentPage>,
        sequence: u64,
        floors: &PageFloors,
    ) {
        let Some(RecordId(last)) = page.last() else { return };
        let mut pages = self.pages.write();
        let overlaps = pages
            .by_last
            .range((shard.0, after + 1)..)
            .next()
            .is_some_and(|((other, _), kept)| *other == shard.0 && kept.after < last);
        if overlaps || !floors.allow(after, last, sequence) {
            return;
        }
        if pages.bytes + page.bytes() > self.bytes_max {
            pages.make_room(self.bytes_max / 8 * 7);
        }
        if pages.bytes + page.bytes() > self.bytes_max {
            return;
        }
        pages.bytes += page.bytes();
        let kept = Kept {
            after,
            page: page.clone(),
            used: AtomicBool::new(true),
        };
        pages.by_last.insert((shard.0, last), kept);
    }

    /// Drops the pages around records; to be called before the commit that changes them is written. `sequence` is that of the last
    /// change before it.
    pub(crate) fn change(&self, shard: ShardId, ids: &[RecordId], sequence: u64, floors: &PageFloors) {
        if ids.is_empty() {
            return;
        }
        for id in ids {
            floors
                .of(id.0 / NUMBERS_TOGETHER)
                .fetch_max(sequence + 1, Ordering::AcqRel);
        }
        let mut pages = self.pages.write();
        for id in ids {
            let around = pages.by_last.range((shard.0, id.0)..).next();
            let around = around.filter(|((other, _), kept)| *other == shard.0 && kept.after < id.0);
            if let Some((&key, _)) = around {
                pages.remove(key);
            }
        }
    }

    /// Drops all pages of a collection.
    pub(crate) fn forget(&self, shard: ShardId) {
        let mut pages = self.pages.write();
        let keys = pages.by_last.range((shard.0, 0)..=(shard.0, u64::MAX));
        for key in keys.map(|(key, _)| *key).collect::<Vec<_>>() {
            pages.remove(key);
        }
    }
}

impl Pages {
    fn remove(&mut self, key: (u64, u64)) {
        if let Some(kept) = self.by_last.remove(&key) {
            self.bytes -= kept.page.bytes();
        }
    }

    /// Drops pages until no more than this many bytes are left: first those not read since the last time, then any.
    fn make_room(&mut self, bytes_max: usize) {
        let mut bytes = self.bytes;
        for only_unused in [true, false] {
            self.by_last.retain(|_, kept| {
                let used = std::mem::take(kept.used.get_mut());
                let keeps = bytes <= bytes_max || (only_unused && used);
                if !keeps {
                    bytes -= kept.page.bytes();
                }
                keeps
            });
        }
        self.bytes = bytes;
    }
}

impl Default for PageFloors {
    fn default() -> PageFloors {
        PageFloors(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl PageFloors {
    fn of(&self, together: u64) -> &AtomicU64 {
        &self.0[together as usize % FLOORS]
    }

    /// Whether no record after `after` and up to `last` has changed since a snapshot of this sequence.
    fn allow(&self, after: u64, last: u64, sequence: u64) -> bool {
        let first = (after + 1) / NUMBERS_TOGETHER;
        let end = last / NUMBERS_TOGETHER;
        let mut numbers = first..=end.min(first + FLOORS as u64);
        numbers.all(|together| self.of(together).load(Ordering::Acquire) <= sequence)
    }
}

impl std::fmt::Debug for ScanCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScanCache")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
