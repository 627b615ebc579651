//! A page of records as a build enters it. The next page is read, and its entries computed, while the one before it is written: on
//! another core if there is one.

use super::{EntrySet, IndexSet, Span};
use crate::snapshot::ShardSnapshot;
use crate::state::Build;
use crate::{
    BUILD_PAGE_BYTES, BUILD_PAGE_RECORDS, KeyRange, Order, PageLimit, Record, RecordId, StoreError, keys,
};
use kv::Aside;
use std::ops::Bound;
use std::sync::Arc;

/// The entries that some indexes have for the records of a page.
#[derive(Debug)]
pub(super) struct BuildPage {
    of: PageOf,
    entries: EntrySet,
    /// Each record, and the end of its entries.
    records: Vec<(RecordId, usize)>,
    /// Whether it is the last.
    pub(super) exhausted: bool,
}

/// Which page it is: the records after `build.position`, as they are after the change `sequence`, in the indexes `ids` of a set
/// of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageOf {
    pub(super) build: Build,
    pub(super) sequence: u64,
    pub(super) version: u64,
}

/// The next page on its way. It is void if something else is written before it is entered.
#[derive(Debug)]
pub(super) struct Ahead(Aside<Result<BuildPage, StoreError>>);

impl BuildPage {
    /// Reads the page and computes its entries.
    pub(super) async fn read(
        of: PageOf,
        ids: &[u32],
        snapshot: &ShardSnapshot,
        set: &IndexSet,
    ) -> Result<BuildPage, StoreError> {
        let range = KeyRange {
            low: Bound::Excluded(keys::record(RecordId(of.build.position)).to_vec()),
            high: Bound::Included(keys::record(RecordId(of.build.end)).to_vec()),
        };
        let limit = PageLimit {
            entries: BUILD_PAGE_RECORDS,
            bytes: BUILD_PAGE_BYTES,
        };
        let read = snapshot.page(&range, Order::Forward, limit).await?;
        let mut page = BuildPage {
            of,
            entries: EntrySet::default(),
            records: Vec::with_capacity(read.len()),
            exhausted: read.exhausted(),
        };
        let places = set.indexes.iter().enumerate();
        let indexes: Vec<_> = places.filter(|(_, index)| ids.contains(&index.id())).collect();
        for at in 0..read.len() {
            let Some(id) = keys::record_id(read.key(at)) else {
                continue;
            };
            let record = Record::decode(id, &read.value_bytes(at)).map_err(|what| snapshot.corrupt(what))?;
            for (place, index) in &indexes {
                page.entries.push_index(*place, index, record.document.as_raw())?;
            }
            page.records.push((id, page.entries.len()));
        }
        Ok(page)
    }

    /// Whether it is this page.
    pub(super) fn is(&self, of: &PageOf) -> bool {
        self.of == *of
    }

    /// Each record with its entries.
    pub(super) fn records(&self) -> impl Iterator<Item = (RecordId, &[Span])> {
        let mut start = 0;
        self.records.iter().map(move |&(id, end)| {
            let spans = self.entries.spans(start..end);
            start = end;
            (id, spans)
        })
    }

    /// The entries of all records.
    pub(super) fn entries(&self) -> &EntrySet {
        &self.entries
    }

    /// The last record.
    pub(super) fn last(&self) -> Option<RecordId> {
        self.records.last().map(|(id, _)| *id)
    }
}

impl Ahead {
    /// Begins to read a page, if a thread is idle.
    pub(super) fn start(
        of: PageOf,
        ids: Vec<u32>,
        snapshot: &ShardSnapshot,
        set: Arc<IndexSet>,
    ) -> Option<Ahead> {
        let own = snapshot.clone();
        let read = async move { BuildPage::read(of, &ids, &own, &set).await };
        snapshot.aside(read).map(Ahead)
    }

    /// The page; `None` if it could not be read.
    pub(super) async fn page(self) -> Option<BuildPage> {
        self.0.result().await?.ok()
    }
}
