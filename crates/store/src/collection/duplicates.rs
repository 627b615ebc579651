//! Keys of an index that several documents have. As long as there are any, the index cannot be made unique.

use crate::{Collection, Index, KeyRange, Order, PageLimit, RecordId, StoreError};
use std::ops::Bound;
use value::size::size_bytes;
use value::{DocumentBuf, Value};

/// The number of documents that are reported, about.
const DOCUMENTS_MAX: usize = 100_000;

/// The bytes of all `_id`s that are reported, so that an answer has room for them (MongoDB's limit).
const IDS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The documents that share keys of an index.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    /// Their `_id`s, key by key.
    pub groups: Vec<Vec<Value>>,
    /// Whether there are more of them than can be reported.
    pub is_cut: bool,
}

impl Collection {
    /// The documents that share a key of the index.
    pub async fn duplicate_keys(&self, index: &Index) -> Result<Duplicates, StoreError> {
        let snapshot = self.snapshot().await?;
        let mut range = KeyRange {
            low: Bound::Unbounded,
            high: Bound::Unbounded,
        };
        let mut records = Records::default();
        let mut duplicates = Duplicates::default();
        loop {
            let limit = PageLimit::default();
            let page = snapshot.entries(index, &range, Order::Forward, limit).await?;
            page.iter()
                .for_each(|entry| records.note(entry.key, entry.record));
            match page.last_position() {
                Some(position) if !page.exhausted() && records.has_room() => {
                    range.low = Bound::Excluded(position);
                }
                Some(_) => {
                    duplicates.is_cut = !page.exhausted();
                    break;
                }
                None => break,
            }
        }
        let mut bytes_left = IDS_BYTES_MAX;
        let mut is_full = false;
        for group in records.finish() {
            let mut ids = Vec::new();
            let note = |_, document: DocumentBuf| -> Result<(), StoreError> {
                if let Some(id) = document.as_raw().get("_id").filter(|_| !is_full) {
                    match bytes_left.checked_sub(size_bytes(id)) {
                        Some(left) => {
                            bytes_left = left;
                            ids.push(id.to_value());
                        }
                        None => is_full = true,
                    }
                }
                Ok(())
            };
            snapshot.visit_documents(&group, note).await?;
            duplicates.groups.push(ids);
            if is_full {
                duplicates.is_cut = true;
                break;
            }
        }
        Ok(duplicates)
    }
}

/// Groups of records that share a key.
#[derive(Default)]
struct Records {
    groups: Vec<Vec<RecordId>>,
    /// The number of records in all groups.
    count: usize,
    /// The last key, and the records that have it.
    key: Vec<u8>,
    last: Vec<RecordId>,
}

impl Records {
    fn note(&mut self, key: &[u8], record: RecordId) {
        if key != self.key.as_slice() {
            self.keep();
            self.key = key.to_vec();
        }
        self.last.push(record);
    }

    fn keep(&mut self) {
        let group = std::mem::take(&mut self.last);
        if group.len() > 1 {
            self.count += group.len();
            self.groups.push(group);
        }
    }

    fn has_room(&self) -> bool {
        self.count + self.last.len() < DOCUMENTS_MAX
    }

    fn finish(mut self) -> Vec<Vec<RecordId>> {
        self.keep();
        self.groups
    }
}
