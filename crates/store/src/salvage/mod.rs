//! Saving what can be read of a damaged store into a new one.
//!
//! A collection without damage is copied as it is. Of a damaged one what can be read is copied; what follows from that
//! (index entries, change log, counts) is computed anew, and views are dropped, which are built again when they are
//! asked. Nothing is guessed: what cannot be read is named and left out.

mod rebuild;
mod shard;

use crate::catalog::{CATALOG_SHARD, ENTRY, Entry, entry_key, entry_namespace};
use crate::{Namespace, StoreError, StoreOptions};
use kv::{Batch, Durability, Head, Kv};
use value::varint;

/// What became of a collection.
#[derive(Clone, Debug)]
pub struct SalvagedCollection {
    /// Its name.
    pub namespace: Namespace,
    /// The documents that it had; `None` if that cannot be read.
    pub documents: Option<u64>,
    /// The documents that were saved.
    pub saved: u64,
    /// What could not be read; empty where all was copied.
    pub lost: Vec<String>,
}

/// What was saved.
#[derive(Clone, Debug, Default)]
pub struct Salvaged {
    /// The collections that are still known.
    pub collections: Vec<SalvagedCollection>,
    /// What cannot be read of the catalog: collections that may be missing.
    pub catalog: Vec<String>,
}

/// Copies what can be read of one store into another, which is empty. `tell` hears of each collection.
pub async fn salvage(
    from: &Kv,
    to: &Kv,
    options: &StoreOptions,
    mut tell: impl FnMut(&SalvagedCollection),
) -> Result<Salvaged, StoreError> {
    let catalog = shard::read(from, CATALOG_SHARD).await?;
    let mut salvaged = Salvaged {
        catalog: catalog.lost,
        ..Salvaged::default()
    };
    let (mut batch, mut shards_end) = (Batch::new(), CATALOG_SHARD.0 + 1);
    for (key, value) in catalog
        .entries
        .iter()
        .filter(|(key, _)| key.first() == Some(&ENTRY))
    {
        let read = entry_namespace(key).zip(Entry::decode(value));
        let Some((namespace, mut entry)) = read else {
            salvaged
                .catalog
                .push(format!("the entry of a collection at {key:02x?}"));
            continue;
        };
        let derived = entry.derived.iter().map(|(_, shard)| shard.0);
        shards_end = shards_end.max(derived.fold(entry.shard.0, u64::max) + 1);
        let collection = copy(from, to, namespace, &mut entry, options).await?;
        tell(&collection);
        batch.put(&entry_key(&collection.namespace), &entry.encode());
        salvaged.collections.push(collection);
    }
    let mut state = Vec::new();
    varint::put(shards_end, &mut state);
    let head = Head {
        sequence: 1,
        state: state.into(),
    };
    shard::write(to, CATALOG_SHARD, 0, head, batch, Durability::Flushed).await?;
    Ok(salvaged)
}

/// Copies a collection with what is derived from it, and changes its entry to what was copied.
async fn copy(
    from: &Kv,
    to: &Kv,
    namespace: Namespace,
    entry: &mut Entry,
    options: &StoreOptions,
) -> Result<SalvagedCollection, StoreError> {
    let is_view = entry.options.kept.contains("viewOn");
    let looked = shard::look(from, entry.shard).await?;
    let mut collection = SalvagedCollection {
        documents: looked.state.as_ref().map(|state| state.count),
        saved: looked.state.as_ref().map_or(0, |state| state.count),
        lost: looked.lost,
        namespace,
    };
    if is_view {
        return Ok(collection);
    }
    if !collection.lost.is_empty() {
        entry.derived.clear();
        entry.clearing.clear();
        collection.saved = rebuild::rebuild(from, to, entry, options, looked.sequence).await?;
        return Ok(collection);
    }
    shard::copy(from, to, entry.shard).await?;
    let mut whole = Vec::new();
    for (name, derived) in std::mem::take(&mut entry.derived) {
        // What is derived can be derived again.
        if shard::is_whole(from, derived).await? {
            shard::copy(from, to, derived).await?;
            whole.push((name, derived));
        }
    }
    entry.derived = whole;
    Ok(collection)
}
