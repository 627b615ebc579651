//! Keys of an index that several documents have: what stands in the way of making it unique.

use crate::{Collection, Index, KeyRange, Order, PageLimit, RecordId, StoreError};
use std::ops::Bound;
use value::{DocumentBuf, Value, ValueRef};

/// At most this many groups of documents with the same key are reported.
const GROUPS_MAX: usize = 100;

impl Collection {
    /// The `_id`s of the documents that share a key of the index, key by key; no more than the first hundred keys.
    pub async fn duplicate_keys(&self, index: &Index) -> Result<Vec<Vec<Value>>, StoreError> {
        let snapshot = self.snapshot().await?;
        let mut range = KeyRange {
            low: Bound::Unbounded,
            high: Bound::Unbounded,
        };
        let mut groups: Vec<Vec<RecordId>> = Vec::new();
        let mut last: (Vec<u8>, Vec<RecordId>) = (Vec::new(), Vec::new());
        loop {
            let limit = PageLimit::default();
            let page = snapshot.entries(index, &range, Order::Forward, limit).await?;
            for entry in page.iter() {
                if entry.key != last.0.as_slice() {
                    keep(&mut groups, std::mem::take(&mut last.1));
                    last.0 = entry.key.to_vec();
                }
                last.1.push(entry.record);
            }
            match page.last_position() {
                Some(position) if !page.exhausted() && groups.len() < GROUPS_MAX => {
                    range.low = Bound::Excluded(position);
                }
                _ => break,
            }
        }
        keep(&mut groups, last.1);
        let mut found = Vec::with_capacity(groups.len());
        for group in groups {
            let mut ids = Vec::with_capacity(group.len());
            let note = |_, document: DocumentBuf| -> Result<(), StoreError> {
                ids.extend(document.as_raw().get("_id").map(ValueRef::to_value));
                Ok(())
            };
            snapshot.visit_documents(&group, note).await?;
            found.push(ids);
        }
        Ok(found)
    }
}

fn keep(groups: &mut Vec<Vec<RecordId>>, group: Vec<RecordId>) {
    if group.len() > 1 && groups.len() < GROUPS_MAX {
        groups.push(group);
    }
}
