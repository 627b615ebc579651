//! Decoded pages in memory: a query that comes to a page again neither decompresses nor reads through it.
//!
//! Pages are changed in place, and snapshots see them as they were. So a page is kept with the bytes that it was decoded from,
//! and given only to those who have read the same bytes: nobody has to be told when it changes, and comparing costs a
//! hundredth of decoding.

use super::page::Page;
use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a page takes in memory besides its content, about.
const OVERHEAD_BYTES: usize = 256;

/// What decoded pages take on average, about.
const PAGE_BYTES_EXPECTED: usize = 32 << 10;

/// Decoded pages of all views.
pub struct KeptPages {
    pages: Cache<(u64, u64), Arc<KeptPage>, ByBytes>,
    groups: AtomicU64,
}

/// Those of one view group.
#[derive(Clone, Debug)]
pub struct GroupPages {
    kept: Arc<KeptPages>,
    group: u64,
}

struct KeptPage {
    bytes: Bytes,
    page: Page,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<(u64, u64), Arc<KeptPage>> for ByBytes {
    fn weight(&self, _: &(u64, u64), kept: &Arc<KeptPage>) -> u64 {
        (kept.bytes.len() + kept.page.size_bytes() + OVERHEAD_BYTES) as u64
    }
}

impl KeptPages {
    /// Room for this many bytes of pages.
    pub fn new(bytes_max: usize) -> KeptPages {
        let pages_expected = bytes_max / PAGE_BYTES_EXPECTED + 1;
        KeptPages {
            pages: Cache::with_weighter(pages_expected, bytes_max as u64, ByBytes),
            groups: AtomicU64::new(0),
        }
    }

    /// The place of a view group, or of what stands for one, whose pages are numbered by themselves.
    pub fn of_new_group(self: &Arc<KeptPages>) -> GroupPages {
        GroupPages {
            kept: self.clone(),
            group: self.groups.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl GroupPages {
    /// What the bytes of the page of this number decode to, if that is known.
    pub(super) fn get(&self, number: u64, bytes: &Bytes) -> Option<Page> {
        let kept = self.kept.pages.get(&(self.group, number))?;
        (kept.bytes == *bytes).then(|| kept.page.clone())
    }

    /// Keeps what the bytes of the page of this number decode to.
    pub(super) fn keep(&self, number: u64, bytes: Bytes, page: &Page) {
        let page = page.clone();
        let kept = Arc::new(KeptPage { bytes, page });
        self.kept.pages.insert((self.group, number), kept);
    }
}

impl std::fmt::Debug for KeptPages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptPages").finish_non_exhaustive()
    }
}
