//! Checking that a collection is consistent: records, entries, counts, change log.
//!
//! Every record must have its entries, and there must be no more entries than the records have together. So each entry
//! belongs to a record. The same holds for the change log.

pub(super) mod damage;
mod partitions;

use super::ValidateReport;
use crate::changes::read_entry;
use crate::index::{EntrySet, IndexSet, entry_record};
use crate::keys::{LOG_DELETED, LOG_PUT};
use crate::{
    Collection, IndexState, KeyRange, PageLimit, Record, RecordId, Snapshot, StoreError,
    VALIDATE_FINDINGS_MAX, keys,
};
use kv::Page;
use std::ops::Bound;
use value::{RawDocument, varint};

impl Collection {
    /// Checks records, entries, counts, partitions and change log; with `full`, also that every document is valid BSON,
    /// the checksums of all else that is kept, and the pages that are derived from it.
    pub async fn validate(&self, full: bool) -> Result<ValidateReport, StoreError> {
        if let Some(what) = self.damage() {
            return Ok(ValidateReport {
                findings: vec![what.to_owned()],
                findings_count: 1,
                ..ValidateReport::default()
            });
        }
        let snapshot = self.snapshot().await?;
        let built = |index: &&std::sync::Arc<crate::Index>| {
            let known = snapshot.state().index(index.id());
            index.state() == IndexState::Ready && known.is_some_and(|known| known.build.is_none())
        };
        let set = self.index_set();
        let set = IndexSet {
            version: set.version,
            indexes: set.indexes.iter().filter(built).cloned().collect(),
        };
        let mut validation = Validation {
            expected: vec![0; set.indexes.len()],
            set,
            full,
            data_bytes: 0,
            changed: 0,
            report: ValidateReport::default(),
        };
        validation.check_records(&snapshot).await?;
        validation.check_indexes(&snapshot).await?;
        validation.check_log(&snapshot).await?;
        validation.check_counts(&snapshot);
        if full {
            validation.check_sums(&snapshot).await?;
            for derived in self.derived() {
                validation.check_derived(&derived).await?;
            }
        }
        if self.options().is_partitioned() {
            validation.check_partitions(&snapshot).await?;
        }
        Ok(validation.report)
    }
}

struct Validation {
    set: IndexSet,
    full: bool,
    /// The entries that the records have in each index.
    expected: Vec<u64>,
    data_bytes: u64,
    /// The records that have an entry in the change log.
    changed: u64,
    report: ValidateReport,
}

/// The entries that a page of records should have: whole keys, and the owner of each.
#[derive(Default)]
struct Expected {
    keys: Vec<Vec<u8>>,
    owners: Vec<Owner>,
}

/// The index and the record of an entry.
struct Owner {
    /// The place of its index in the set.
    index: usize,
    /// Whether the value names the record, as in unique indexes, and not the key.
    is_in_value: bool,
    record: RecordId,
}

impl Validation {
    fn find(&mut self, finding: String) {
        self.report.findings_count += 1;
        if self.report.findings.len() < VALIDATE_FINDINGS_MAX {
            self.report.findings.push(finding);
        }
    }

    /// The next page; what cannot be read is skipped.
    async fn next_page(
        &mut self,
        pages: &mut Pages,
        snapshot: &Snapshot,
    ) -> Result<Option<Page>, StoreError> {
        if pages.ended {
            return Ok(None);
        }
        // A page is ready at once, so without this a large collection would never let other tasks of its thread run.
        tokio::task::yield_now().await;
        let read = snapshot.kv().salvage(&pages.range, PageLimit::default()).await?;
        for unreadable in &read.unreadable {
            self.find(damage::describe(unreadable));
        }
        match read.next {
            Some(next) => pages.range.low = Bound::Included(next),
            None => pages.ended = true,
        }
        Ok(Some(read.page))
    }

    async fn count(&mut self, snapshot: &Snapshot, range: KeyRange) -> Result<u64, StoreError> {
        let mut pages = Pages::new(range);
        let mut count = 0;
        while let Some(page) = self.next_page(&mut pages, snapshot).await? {
            count += page.len() as u64;
        }
        Ok(count)
    }

    /// What was read. Damage becomes a finding, and `None`.
    fn unless_damaged<T>(&mut self, read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(StoreError::Corrupt { what, .. }) => {
                self.find(what);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn compare(&mut self, what: &str, kept: u64, found: u64) {
        if kept != found {
            self.find(format!("{what}: {kept} should be there, {found} are"));
        }
    }

    async fn check_records(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let mut pages = Pages::new(KeyRange::prefix(&[keys::RECORD]));
        while let Some(page) = self.next_page(&mut pages, snapshot).await? {
            let mut expected = Expected::default();
            for at in 0..page.len() {
                let decoded = keys::record_id(page.key(at))
                    .ok_or("a record whose key is none")
                    .and_then(|id| Record::decode(id, &page.value_bytes(at)));
                match decoded {
                    Ok(record) => self.check_record(snapshot, &record, &mut expected).await?,
                    Err(what) => self.find(format!("{what} at {:02x?}", page.key(at))),
                }
            }
            self.check_entries(snapshot, expected).await?;
        }
        Ok(())
    }

    async fn check_record(
        &mut self,
        snapshot: &Snapshot,
        record: &Record,
        expected: &mut Expected,
    ) -> Result<(), StoreError> {
        let id = record.id.0;
        self.report.records += 1;
        self.data_bytes += record.document.bytes().len() as u64;
        if self.full
            && let Err(error) = RawDocument::new(record.document.bytes())
        {
            self.find(format!("record {id}: {error}"));
            return Ok(());
        }
        if record.sequence < id || record.sequence() > snapshot.head() {
            self.find(format!(
                "record {id} has the sequence {}, the head {}",
                record.sequence,
                snapshot.head()
            ));
        }
        if record.is_changed() {
            self.changed += 1;
            let entry = snapshot.kv().get(&keys::log(record.sequence)).await;
            let entry = self.unless_damaged(entry)?.flatten();
            let logged = entry.as_deref().and_then(logged_record);
            if logged != Some(record.id) {
                self.find(format!(
                    "record {id} is not in the change log at {}",
                    record.sequence
                ));
            }
        }
        self.expect_entries(record, expected);
        Ok(())
    }

    /// Computes the entries that the record should have, and counts them.
    fn expect_entries(&mut self, record: &Record, expected: &mut Expected) {
        let entries = match EntrySet::of_record(&self.set, record, record.document.as_raw()) {
            Ok(entries) => entries,
            Err(error) => return self.find(format!("record {}: {error}", record.id.0)),
        };
        for &span in entries.all() {
            self.expected[span.index] += 1;
            let is_in_value = self.set.indexes[span.index].has_record_in_value();
            let mut key = entries.key(span).to_vec();
            if !is_in_value {
                key.extend_from_slice(&record.id.0.to_be_bytes());
            }
            expected.keys.push(key);
            expected.owners.push(Owner {
                index: span.index,
                is_in_value,
                record: record.id,
            });
        }
    }

    /// Checks that the entries are there.
    async fn check_entries(&mut self, snapshot: &Snapshot, expected: Expected) -> Result<(), StoreError> {
        let found = snapshot.kv().get_many(&expected.keys).await;
        let Some(found) = self.unless_damaged(found)? else {
            return Ok(());
        };
        for (owner, value) in expected.owners.into_iter().zip(found) {
            let right =
                value.is_some_and(|value| !owner.is_in_value || entry_record(&value) == Some(owner.record));
            if !right {
                let name = self.set.indexes[owner.index].spec().name.clone();
                self.find(format!(
                    "record {} is missing in the index {name}",
                    owner.record.0
                ));
            }
        }
        Ok(())
    }

    /// Checks that the indexes have no more entries than the records, and as many as the head says.
    async fn check_indexes(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        for (place, index) in self.set.indexes.clone().iter().enumerate() {
            let range = KeyRange::prefix(&keys::index_prefix(index.id()));
            let found = self.count(snapshot, range).await?;
            let name = &index.spec().name;
            let shown_name = index.spec().shown_name().to_owned();
            let kept = snapshot
                .state()
                .index(index.id())
                .map_or(0, |state| state.entries);
            self.compare(
                &format!("entries of the index {name}"),
                self.expected[place],
                found,
            );
            self.compare(&format!("counted entries of the index {name}"), kept, found);
            self.report.index_entries.push((shown_name, found));
        }
        Ok(())
    }

    async fn check_log(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let (mut puts, mut deleted) = (0, 0);
        let mut pages = Pages::new(KeyRange::prefix(&[keys::LOG]));
        while let Some(page) = self.next_page(&mut pages, snapshot).await? {
            for (key, entry) in page.iter() {
                puts += u64::from(entry.first() == Some(&LOG_PUT));
                deleted += u64::from(entry.first() == Some(&LOG_DELETED));
                let sequence = keys::log_sequence(key).unwrap_or_default();
                let read = read_entry(snapshot, entry, sequence).await;
                if self.unless_damaged(read)?.is_some_and(|read| read.is_none()) {
                    self.find(format!("the entry {sequence} of the change log leads to nothing"));
                }
            }
        }
        let tombstones = self.count(snapshot, KeyRange::prefix(&[keys::TOMBSTONE])).await?;
        self.compare("changed records in the change log", self.changed, puts);
        self.compare("tombstones in the change log", tombstones, deleted);
        self.compare("counted tombstones", snapshot.state().tombstones, tombstones);
        Ok(())
    }

    fn check_counts(&mut self, snapshot: &Snapshot) {
        let state = snapshot.state();
        let (records, bytes) = (self.report.records, self.data_bytes);
        self.compare("counted records", state.count, records);
        self.compare("counted bytes of documents", state.data_bytes, bytes);
    }
}

/// The record that an entry of the change log names.
fn logged_record(entry: &[u8]) -> Option<RecordId> {
    let mut id = entry.strip_prefix(&[LOG_PUT])?;
    varint::take(&mut id).map(RecordId)
}

/// The pages of a range.
struct Pages {
    range: KeyRange,
    ended: bool,
}

impl Pages {
    fn new(range: KeyRange) -> Pages {
        Pages { range, ended: false }
    }
}
