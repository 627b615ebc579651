//! Checking the counts of partitions against their documents and tombstones.

use super::{Pages, Validation};
use crate::partition::{PartitionStats, partition_of};
use crate::record::Tombstone;
use crate::{KeyRange, Record, RecordId, Snapshot, StoreError, keys};
use std::collections::BTreeMap;
use value::ValueRef;

impl Validation {
    /// Checks that the counts of each partition are right, and that no other partition has any.
    pub(super) async fn check_partitions(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let mut found: BTreeMap<String, PartitionStats> = BTreeMap::new();
        let mut note = |id: Option<ValueRef<'_>>, change: &dyn Fn(&mut PartitionStats)| {
            if let Some(name) = id.and_then(ValueRef::as_str).and_then(partition_of) {
                change(found.entry(name.to_owned()).or_default());
            }
        };
        // What cannot be decoded was found by the checks before this one.
        let mut pages = Pages::new(KeyRange::prefix(&[keys::RECORD]));
        while let Some(page) = self.next_page(&mut pages, snapshot).await? {
            for at in 0..page.len() {
                let id = keys::record_id(page.key(at)).unwrap_or(RecordId(0));
                if let Ok(record) = Record::decode(id, &page.value_bytes(at)) {
                    note(record.document.as_raw().get("_id"), &|stats| {
                        stats.count += 1;
                        stats.data_bytes += record.document.bytes().len() as u64;
                    });
                }
            }
        }
        let mut pages = Pages::new(KeyRange::prefix(&[keys::TOMBSTONE]));
        while let Some(page) = self.next_page(&mut pages, snapshot).await? {
            for at in 0..page.len() {
                if let Ok(tombstone) = Tombstone::decode(&page.value_bytes(at)) {
                    note(Some(tombstone.id.as_ref()), &|stats| stats.deleted += 1);
                }
            }
        }
        let mut pages = Pages::new(KeyRange::prefix(&[keys::PARTITION]));
        while let Some(page) = self.next_page(&mut pages, snapshot).await? {
            for at in 0..page.len() {
                let name = String::from_utf8_lossy(page.key(at).get(1..).unwrap_or_default()).into_owned();
                let there = found.remove(&name);
                if there != PartitionStats::decode(&page.value_bytes(at)) {
                    self.find(format!("of the partition {name:?} is kept what it does not hold"));
                }
            }
        }
        for name in found.keys() {
            self.find(format!("nothing is kept of the partition {name:?}"));
        }
        Ok(())
    }
}
