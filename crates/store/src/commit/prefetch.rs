//! Reading at once what the operations of a group will look up.

use super::group::Group;
use super::request::{Operation, Request};
use crate::index::{IndexSet, entry_record};
use crate::keys::{id_key, id_of};
use crate::{Record, RecordId, StoreError, Target, keys};

/// The bytes of records that are read ahead.
const PREFETCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What the operations of a group will look up, before any of them has changed anything.
pub(super) struct WantedReads {
    /// Keys of unique indexes.
    unique: Vec<Vec<u8>>,
    /// How many of these, from the first on, are `_id`s of documents that will be read themselves.
    targets: usize,
    records: Vec<RecordId>,
}

impl WantedReads {
    /// What these requests will look up in a collection with these indexes. Keys for which `is_known` is true need no look-up and are
    /// left out: that spares bulk loads of rising ids most of their reads.
    pub(super) fn of(requests: &[Request], set: &IndexSet, is_known: impl Fn(&[u8]) -> bool) -> WantedReads {
        let mut wanted = WantedReads {
            unique: Vec::new(),
            targets: 0,
            records: Vec::new(),
        };
        let operations = || {
            requests
                .iter()
                .flat_map(|request| request.operations.iter().map(move |o| (request, o)))
        };
        for (_, operation) in operations() {
            wanted.add_target(operation);
        }
        wanted.unique.retain(|key| !is_known(key));
        wanted.targets = wanted.unique.len();
        let is_unique = |place: usize| {
            set.indexes
                .get(place)
                .is_some_and(|index| index.has_record_in_value())
        };
        for (request, operation) in operations() {
            // The `_id` of an edit is looked up already, in the first index.
            let own = &request.entries;
            let (entries, spans, first) = match operation {
                Operation::Insert {
                    entries: Ok(range), ..
                } => (own, own.spans(range.clone()), 0),
                Operation::Edit {
                    entries: Ok(range), ..
                } => (own, own.spans(range.clone()), 1),
                Operation::InsertPlaced(document) => (document.entries(), document.entries().all(), 0),
                _ => continue,
            };
            let spans = spans
                .iter()
                .filter(|span| span.index >= first && is_unique(span.index));
            let keys = spans.map(|&span| entries.key(span));
            wanted
                .unique
                .extend(keys.filter(|key| !is_known(key)).map(<[u8]>::to_vec));
        }
        wanted
    }

    /// Adds the document that an operation changes, if it may be stored.
    fn add_target(&mut self, operation: &Operation) {
        match operation {
            Operation::Modify {
                target: Target::Record(id),
                ..
            } => self.records.push(*id),
            Operation::Modify {
                target: Target::Id(id),
                ..
            } => self.unique.push(id_key(id.as_ref())),
            Operation::Edit { edit, .. } => {
                self.unique.push(id_key(id_of(edit.document.as_raw())));
            }
            Operation::Resolve(resolve) => self.unique.push(id_key(resolve.id.as_ref())),
            Operation::Insert { .. }
            | Operation::InsertPlaced(_)
            | Operation::Purge { .. }
            | Operation::ForgetSuperseded(_)
            | Operation::Local { .. } => {}
        }
    }
}

impl Group<'_> {
    /// Fills the overlay. Corrupt records are left out: the operation that needs one will fail.
    pub(super) async fn prefetch(&mut self, wanted: WantedReads) -> Result<(), StoreError> {
        let WantedReads {
            unique,
            targets,
            mut records,
        } = wanted;
        self.overlay.unique.reserve(unique.len());
        self.overlay.records.reserve(unique.len());
        let found = self.snapshot.get_many(&unique).await?;
        for (place, (key, value)) in unique.into_iter().zip(found).enumerate() {
            let record = match value {
                Some(value) => match entry_record(&value) {
                    None => continue,
                    some => some,
                },
                None => None,
            };
            if place < targets {
                records.extend(record);
            }
            self.overlay.unique.insert(key, record);
        }
        // Several operations may change the same document.
        records.sort_unstable();
        records.dedup();
        self.prefetch_records(&records).await
    }

    /// Whether this key of a unique index is an `_id` greater than all that are stored and that the batch puts.
    pub(super) fn is_new_id(&self, key: &[u8]) -> bool {
        is_id_above(&self.highest_id, key)
    }

    /// Whether this key of a unique index is an `_id` greater than all that the snapshot has.
    pub(super) fn is_not_stored(&self, key: &[u8]) -> bool {
        is_id_above(&self.highest_stored_id, key)
    }

    /// Reads records up to the limit. The others are read when their turn comes.
    async fn prefetch_records(&mut self, ids: &[RecordId]) -> Result<(), StoreError> {
        let keys: Vec<Vec<u8>> = ids.iter().map(|&id| keys::record(id).to_vec()).collect();
        let found = self.snapshot.get_many_within(&keys, PREFETCH_BYTES_MAX).await?;
        for (&id, bytes) in ids.iter().zip(found) {
            if let Ok(record) = bytes.map(|bytes| Record::decode(id, &bytes)).transpose() {
                self.overlay.records.insert(id, record);
            }
        }
        Ok(())
    }
}

fn is_id_above(highest: &[u8], key: &[u8]) -> bool {
    key > highest && key.starts_with(&keys::ID_INDEX_PREFIX)
}
