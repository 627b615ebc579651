//! Rebuilding a damaged collection: index entries, change log and counts are made from the records that can be read, terms from notes.

use super::shard::{self, Walk};
use crate::catalog::CatalogEntry;
use crate::commit::put_term;
use crate::index::{EntrySet, ID_INDEX, IndexSet, entry_record, put_entry_value};
use crate::keys::{LOG_DELETED, LOG_PUT};
use crate::partition::{PartitionStats, partition_of};
use crate::record::Tombstone;
use crate::state::{IndexEntries, ShardState};
use crate::{Index, IndexSpec, Notes, Record, StoreError, StoreOptions, keys};
use bytes::Bytes;
use kv::{Batch, Durability, Head, Kv, ShardId, Snapshot};
use std::collections::BTreeMap;
use std::sync::Arc;
use value::{Value, ValueRef, shell, varint};

/// Entries that are computed from others, and not copied.
const COMPUTED: [u8; 4] = [keys::LOG, keys::INDEX, keys::TERM, keys::PARTITION];

/// What became of a collection.
pub(super) struct Rebuilt {
    /// The number of documents that were saved.
    pub(super) saved: u64,
    /// The numbers of the indexes that cannot hold one of them, and why.
    pub(super) refused: Vec<(u32, String)>,
}

/// Copies what can be read of a collection, and computes the rest.
pub(super) async fn rebuild(
    from: &Kv,
    to: &Kv,
    entry: &CatalogEntry,
    options: &StoreOptions,
    sequence: u64,
) -> Result<Rebuilt, StoreError> {
    let mut rebuilding = Rebuilding::new(entry, options, sequence)?;
    let (mut walk, mut expected) = (Walk::of(from, entry.shard).await?, 0);
    while let Some(read) = walk.page().await? {
        let mut batch = Batch::new();
        for at in 0..read.page.len() {
            rebuilding.take(read.page.key(at), &read.page.value_bytes(at), &mut batch);
        }
        if read.next.is_none() {
            for (name, stats) in &rebuilding.partitions {
                batch.put(&keys::partition(name), &stats.encode());
            }
        }
        let head = rebuilding.head();
        expected = shard::write(to, entry.shard, expected, head, batch, Durability::Soon).await?;
        // The keys of notes come after those of their documents, which by now are saved or lost.
        let notes = std::mem::take(&mut rebuilding.notes);
        if !notes.is_empty() {
            let batch = saved_notes(to, entry.shard, &notes).await?;
            let head = rebuilding.head();
            expected = shard::write(to, entry.shard, expected, head, batch, Durability::Soon).await?;
        }
    }
    Ok(rebuilding.end())
}

/// The notes of saved documents, and their terms. Notes of lost documents are left out: otherwise a new document with the same `_id`
/// would be found under the old terms.
async fn saved_notes(to: &Kv, shard: ShardId, notes: &[(Vec<u8>, Bytes)]) -> Result<Batch, StoreError> {
    let (saved, mut batch) = (to.snapshot(shard).await?, Batch::new());
    for (key, value) in notes {
        let Some(id) = saved_id(&saved, &key[1..]).await? else {
            continue;
        };
        batch.put(key, value);
        for (name, term) in Notes::read_terms(value).unwrap_or_default() {
            put_term(&mut batch, &name, term.as_ref(), id.as_ref());
        }
    }
    Ok(batch)
}

/// The `_id` of a document or tombstone that was saved, by its key.
async fn saved_id(saved: &Snapshot, id_key: &[u8]) -> Result<Option<Value>, StoreError> {
    let entry = saved.get(&[&keys::ID_INDEX_PREFIX, id_key].concat()).await?;
    if let Some(id) = entry.and_then(|entry| entry_record(&entry)) {
        let record = saved.get(&keys::record(id)).await?;
        let record = record.and_then(|bytes| Record::decode(id, &bytes).ok());
        return Ok(record.map(|record| keys::id_of(record.document.as_raw()).to_value()));
    }
    let tombstone = saved.get(&[&[keys::TOMBSTONE], id_key].concat()).await?;
    Ok(tombstone.and_then(|bytes| Some(Tombstone::decode(&bytes).ok()?.id)))
}

struct Rebuilding {
    set: IndexSet,
    state: ShardState,
    sequence: u64,
    is_partitioned: bool,
    partitions: BTreeMap<String, PartitionStats>,
    /// The places of indexes that cannot hold a document, and why. They are left out, since they would hide that document.
    refused: BTreeMap<usize, String>,
    /// The notes of a page, until it is known whether their documents were saved.
    notes: Vec<(Vec<u8>, Bytes)>,
}

impl Rebuilding {
    fn new(entry: &CatalogEntry, options: &StoreOptions, sequence: u64) -> Result<Rebuilding, StoreError> {
        let (compile, now_ms) = (options.filter_compiler, (options.clock)());
        let by_id = (ID_INDEX, IndexSpec::id());
        let specs = std::iter::once(&by_id).chain(&entry.indexes);
        let indexes = specs.map(|(id, spec)| Ok(Arc::new(Index::new(*id, spec.clone(), compile, now_ms)?)));
        let set = IndexSet {
            version: 1,
            indexes: indexes.collect::<Result<_, StoreError>>()?,
        };
        let entries = |index: &Arc<Index>| IndexEntries {
            id: index.id(),
            ..IndexEntries::default()
        };
        Ok(Rebuilding {
            state: ShardState {
                indexes: set.indexes.iter().map(entries).collect(),
                ..ShardState::default()
            },
            set,
            sequence,
            is_partitioned: entry.options.is_partitioned(),
            partitions: BTreeMap::new(),
            refused: BTreeMap::new(),
            notes: Vec::new(),
        })
    }

    fn end(self) -> Rebuilt {
        let numbered = |(place, why): (usize, String)| Some((self.set.indexes.get(place)?.id(), why));
        Rebuilt {
            saved: self.state.count,
            refused: self.refused.into_iter().filter_map(numbered).collect(),
        }
    }

    /// The head, with what is known so far.
    fn head(&mut self) -> Head {
        for (state, index) in self.state.indexes.iter_mut().zip(&self.set.indexes) {
            state.multikey = index.multikey_bits();
        }
        Head {
            sequence: self.sequence,
            state: self.state.encode().into(),
        }
    }

    fn take(&mut self, key: &[u8], value: &Bytes, batch: &mut Batch) {
        let is_computed = key.first().is_none_or(|kind| COMPUTED.contains(kind));
        if is_computed || !shard::is_intact(key, value) {
            return;
        }
        if key.first() == Some(&keys::NOTES) {
            self.notes.push((key.to_vec(), value.clone()));
            return;
        }
        if let Some(id) = keys::record_id(key) {
            if let Ok(record) = Record::decode(id, value) {
                self.take_record(&record, batch);
            }
        } else if key.first() == Some(&keys::TOMBSTONE)
            && let Ok(tombstone) = Tombstone::decode(value)
        {
            self.take_tombstone(&tombstone, key, batch);
        }
        batch.put(key, value);
    }

    fn take_record(&mut self, record: &Record, batch: &mut Batch) {
        let document = record.document.as_raw();
        let data_bytes = record.document.bytes().len() as u64;
        self.state.count += 1;
        self.state.data_bytes += data_bytes;
        self.in_partition(document.get("_id"), |stats| {
            stats.count += 1;
            stats.data_bytes += data_bytes;
        });
        let refused = &mut self.refused;
        let entries = EntrySet::of_saved(&self.set, record, |place, error| {
            let id = shell::value(document.get("_id").unwrap_or(ValueRef::Null));
            refused
                .entry(place)
                .or_insert_with(|| format!("it cannot hold the document {id}: {error}"));
        });
        for &span in entries.all() {
            if self.refused.contains_key(&span.index) {
                continue;
            }
            let has_record_in_value = self.set.indexes[span.index].has_record_in_value();
            let (mut key, mut value) = (entries.key(span).to_vec(), Vec::new());
            if !has_record_in_value {
                key.extend_from_slice(&record.id.0.to_be_bytes());
            }
            put_entry_value(has_record_in_value, record.id, entries.bits(span), &mut value);
            batch.put(&key, &value);
            self.state.indexes[span.index].entries += 1;
        }
        if record.is_changed() {
            let mut logged = vec![LOG_PUT];
            varint::put(record.id.0, &mut logged);
            batch.put(&keys::log(record.sequence), &logged);
        }
        self.sequence = self.sequence.max(record.sequence);
    }

    fn take_tombstone(&mut self, tombstone: &Tombstone, key: &[u8], batch: &mut Batch) {
        self.state.tombstones += 1;
        self.in_partition(Some(tombstone.id.as_ref()), |stats| stats.deleted += 1);
        batch.put(&keys::log(tombstone.sequence), &[&[LOG_DELETED], key].concat());
        self.sequence = self.sequence.max(tombstone.sequence);
    }

    fn in_partition(&mut self, id: Option<ValueRef<'_>>, change: impl FnOnce(&mut PartitionStats)) {
        let name = id.and_then(ValueRef::as_str).and_then(partition_of);
        if let Some(name) = name.filter(|_| self.is_partitioned) {
            change(self.partitions.entry(name.to_owned()).or_default());
        }
    }
}
