//! Saving what can be read of a damaged store into a new one.
//!
//! A collection without damage is copied as it is. For a damaged one, everything that can be read is copied, and index entries,
//! change log and counts are computed anew from that. Its views are dropped; they are built again when they are queried. Nothing
//! is guessed: what cannot be read is reported and left out.

mod rebuild;
mod shard;

use crate::catalog::{CATALOG_SHARD, CatalogEntry, ENTRY, entry_key, entry_namespace};
use crate::{IndexSpec, Namespace, StoreError, StoreOptions};
use kv::{Batch, Durability, Head, Kv};
use value::varint;

/// What became of a collection.
#[derive(Clone, Debug)]
pub struct SalvagedCollection {
    /// Its name.
    pub namespace: Namespace,
    /// The number of documents that it had; `None` if that cannot be read.
    pub documents: Option<u64>,
    /// The number of documents that were saved.
    pub saved: u64,
    /// What could not be read; empty if everything was copied.
    pub lost: Vec<String>,
}

/// What was saved.
#[derive(Clone, Debug, Default)]
pub struct Salvaged {
    /// The collections that are still known.
    pub collections: Vec<SalvagedCollection>,
    /// The parts of the catalog that cannot be read: collections in them may be missing.
    pub catalog: Vec<String>,
}

/// Copies what can be read of one store into another, which is empty. `tell` is called for each collection.
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
        let namespace = entry_namespace(key);
        let name = namespace.as_ref().map(Namespace::to_string);
        let Some((namespace, mut entry)) = namespace.zip(CatalogEntry::decode(value)) else {
            let name = name.unwrap_or_else(|| format!("a collection at {key:02x?}"));
            salvaged.catalog.push(format!("the entry of {name}"));
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
    entry: &mut CatalogEntry,
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
        let rebuilt = rebuild::rebuild(from, to, entry, options, looked.sequence).await?;
        collection.saved = rebuilt.saved;
        for (index, why) in rebuilt.refused {
            let is_it = |(id, _): &mut (u32, IndexSpec)| *id == index;
            for (_, spec) in entry.indexes.extract_if(.., is_it) {
                let lost = format!("the index {} is left out: {why}", spec.name);
                collection.lost.push(lost);
            }
            // The first start removes the entries that the index has of other documents.
            entry.clearing.push(index);
        }
        return Ok(collection);
    }
    shard::copy(from, to, entry.shard).await?;
    let mut whole = Vec::new();
    for (name, derived) in std::mem::take(&mut entry.derived) {
        // Derived pages that cannot be read can be derived again.
        if shard::is_whole(from, derived).await? {
            shard::copy(from, to, derived).await?;
            whole.push((name, derived));
        }
    }
    entry.derived = whole;
    Ok(collection)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::{CommitOptions, Notes, Resolve, RevisionHash, Store, WriteOp, keys};
    use kv::Simulation;
    use value::{DocumentBuf, Value, array, doc};

    #[tokio::test]
    async fn an_index_that_cannot_hold_a_document_is_left_out_and_all_documents_are_saved() {
        let from = Kv::simulated(&Simulation::new(1));
        let to = Kv::simulated(&Simulation::new(2));
        let options = StoreOptions::default();
        let store = Store::open(from.clone(), options.clone()).await.unwrap();
        let namespace = Namespace::new("db", "coll");
        let collection = store.create_if_missing(&namespace).await.unwrap();
        let documents = [
            doc! {"_id": 1, "a": 1, "b": 1},
            doc! {"_id": 2, "a": (array![1, 2]), "b": (array![1, 2])},
            doc! {"_id": 3, "c": 1},
        ];
        let inserts = documents.map(|document| WriteOp::Insert(DocumentBuf::from(&document)));
        let commit = collection.commit(Vec::from(inserts), CommitOptions::default());
        commit.await.unwrap();
        // A build had not reached that document.
        let mut entry = collection.entry();
        entry.indexes = vec![
            (1, IndexSpec::new("a_b", doc! {"a": 1, "b": 1})),
            (2, IndexSpec::new("c", doc! {"c": 1})),
        ];
        let head = from.head(entry.shard).await.unwrap();
        let damaged = Head {
            sequence: head.sequence + 1,
            state: vec![0xff].into(),
        };
        let (shard, expected) = (entry.shard, head.sequence);
        shard::write(&from, shard, expected, damaged, Batch::new(), Durability::Flushed)
            .await
            .unwrap();

        let copied = copy(&from, &to, namespace, &mut entry, &options).await.unwrap();
        assert_eq!(copied.saved, 3);
        let told = "the index a_b is left out: it cannot hold the document 2: ";
        assert!(
            copied.lost.iter().any(|lost| lost.starts_with(told)),
            "{:?}",
            copied.lost
        );
        let names: Vec<&str> = entry.indexes.iter().map(|(_, spec)| spec.name.as_str()).collect();
        assert_eq!((names, entry.clearing), (vec!["c"], vec![1]));
    }

    #[tokio::test]
    async fn notes_and_terms_of_a_document_that_is_lost_are_left_out() {
        let from = Kv::simulated(&Simulation::new(1));
        let to = Kv::simulated(&Simulation::new(2));
        let options = StoreOptions::default();
        let store = Store::open(from.clone(), options.clone()).await.unwrap();
        let namespace = Namespace::new("db", "coll");
        let collection = store.create_if_missing(&namespace).await.unwrap();
        let hash = RevisionHash::parse(&"9".repeat(32));
        let begin = |id: &str| {
            WriteOp::Resolve(Resolve {
                id: Value::from(id),
                ended: Vec::new(),
                leaves: Vec::new(),
                document: Some((DocumentBuf::from(&doc! {"_id": id}), hash.clone())),
                notes: Some(Notes {
                    content: DocumentBuf::from(&doc! {"of": id}),
                    terms: vec![("t".to_owned(), Value::from(id))],
                }),
            })
        };
        let commit = collection.commit(vec![begin("kept"), begin("lost")], CommitOptions::default());
        commit.await.unwrap();
        let snapshot = collection.snapshot().await.unwrap();
        let lost = snapshot
            .document_by_id(Value::from("lost").as_ref())
            .await
            .unwrap();
        let mut entry = collection.entry();
        let head = from.head(entry.shard).await.unwrap();
        let mut batch = Batch::new();
        batch.put(&keys::record(lost.unwrap().0), b"no record");
        // A lost term is made again from the notes.
        let id = Value::from("kept");
        batch.delete(&keys::term("t", id.as_ref(), id.as_ref()));
        let (shard, expected) = (entry.shard, head.sequence);
        let moved = Head {
            sequence: expected + 1,
            ..head
        };
        shard::write(&from, shard, expected, moved, batch, Durability::Flushed)
            .await
            .unwrap();

        let copied = copy(&from, &to, namespace, &mut entry, &options).await.unwrap();
        assert_eq!(copied.saved, 1);
        let saved = shard::read(&to, shard).await.unwrap().entries;
        let of_kind = |kind: u8| {
            let kept = saved.iter().filter(|(key, _)| key.first() == Some(&kind));
            kept.map(|(key, _)| key.clone()).collect::<Vec<_>>()
        };
        assert_eq!(of_kind(keys::NOTES), [keys::notes(id.as_ref())]);
        let term = keys::term("t", id.as_ref(), id.as_ref());
        assert_eq!(of_kind(keys::TERM), [term]);
    }
}
