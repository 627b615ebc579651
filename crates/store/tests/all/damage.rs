//! A store with a damaged catalog, or a damaged head of a collection: undamaged collections work, the others report the
//! damage.

use crate::support::*;
use kv::{Batch, Durability, Head, Kv, ShardId, Simulation};
use std::sync::Arc;
use store::{
    Collection, CollectionOptions, CommitOptions, Namespace, ScrubPosition, Store, StoreError, salvage,
};

const CATALOG: ShardId = ShardId(0);

fn named(name: &str) -> Namespace {
    Namespace::new("db", name)
}

/// The collections `a` and `b` of ten documents, in the shards 1 and 2, and something done to what is stored.
async fn damaged(simulation: &Simulation, damage: impl AsyncFnOnce(&Kv)) -> Store {
    let store = open(simulation).await;
    for name in ["a", "b"] {
        let collection = store.create_if_missing(&named(name)).await.unwrap();
        run(&collection, numbered(10)).await;
    }
    store.close().await.unwrap();
    drop(store);
    let kv = Kv::simulated(simulation);
    damage(&kv).await;
    kv.close().await.unwrap();
    open(simulation).await
}

/// Puts something into a shard; its head stays as it is, or has another state.
async fn put(kv: &Kv, shard: ShardId, entry: Option<(&[u8], &[u8])>, state: Option<&'static [u8]>) {
    let head = kv.head(shard).await.unwrap();
    let mut batch = Batch::new();
    if let Some((key, value)) = entry {
        batch.put(key, value);
    }
    let changed = Head {
        sequence: head.sequence + 1,
        state: state.map_or(head.state, Into::into),
    };
    kv.commit(shard, head.sequence, changed, batch, Durability::Flushed)
        .await
        .unwrap();
}

async fn damaged_head(simulation: &Simulation) -> Store {
    damaged(simulation, async |kv| {
        put(kv, ShardId(1), None, Some(&[0xFF])).await;
    })
    .await
}

async fn damaged_entry(simulation: &Simulation) -> Store {
    damaged(simulation, async |kv| {
        put(kv, CATALOG, Some((b"\x10db\0a", b"no entry")), None).await;
    })
    .await
}

fn is_corrupt<T>(done: Result<T, StoreError>) -> bool {
    matches!(done, Err(StoreError::Corrupt { namespace, .. }) if namespace == "db.a")
}

/// Every operation on it reports the damage, and all other collections work.
async fn assert_told(store: &Store) {
    let found: Arc<Collection> = store.collection(&named("a")).unwrap();
    assert!(is_corrupt(found.snapshot().await));
    assert!(is_corrupt(
        found.commit(numbered(1), CommitOptions::default()).await
    ));
    assert!(is_corrupt(found.open_derived("view").await));
    assert!(is_corrupt(
        store.create(&named("a"), CollectionOptions::default()).await
    ));
    assert!(is_corrupt(store.rename(&named("a"), &named("c"), false).await));
    assert!(is_corrupt(store.rename(&named("b"), &named("a"), true).await));
    assert!(is_corrupt(store.modify(&named("a"), |_| Ok(())).await));

    let report = found.validate(true).await.unwrap();
    assert_eq!((report.findings_count, report.is_valid()), (1, false));
    let scrubbed = found.scrub(&ScrubPosition::default(), 1 << 20).await.unwrap();
    assert_eq!(scrubbed.findings, report.findings);

    let other = store.collection(&named("b")).unwrap();
    assert_eq!(all(&other).await.len(), 10);
    run(&other, vec![insert_op(value::doc! {"_id": 100})]).await;
    assert!(other.validate(true).await.unwrap().is_valid());
    store.create_if_missing(&named("new")).await.unwrap();
    store::sweep::run_once(store, 0).await.unwrap();
}

#[tokio::test]
async fn a_collection_with_a_damaged_head_says_so_and_all_else_is_used() {
    let simulation = Simulation::new(1);
    let store = damaged_head(&simulation).await;
    assert_told(&store).await;
    assert!(store.damage().is_empty());
    // It can be dropped, and made again.
    assert!(store.drop_collection(&named("a")).await.unwrap());
    let made = store.create_if_missing(&named("a")).await.unwrap();
    run(&made, numbered(3)).await;
    store.close().await.unwrap();
    drop((store, made));
    let store = open(&simulation).await;
    assert_eq!(all(&store.collection(&named("a")).unwrap()).await.len(), 3);
}

#[tokio::test]
async fn a_collection_with_a_damaged_entry_says_so_and_all_else_is_used() {
    let simulation = Simulation::new(1);
    let store = damaged_entry(&simulation).await;
    assert_told(&store).await;
    // What it held is in a shard that is not known, and that no other collection gets.
    assert!(store.drop_collection(&named("a")).await.unwrap());
    let made = store.create_if_missing(&named("a")).await.unwrap();
    assert!(all(&made).await.is_empty());
}

#[tokio::test]
async fn without_the_number_of_the_next_shard_collections_are_used_and_none_is_made() {
    let simulation = Simulation::new(1);
    let store = damaged(&simulation, async |kv| {
        put(kv, CATALOG, None, Some(&[])).await;
    })
    .await;
    assert_eq!(store.damage().len(), 1);
    for name in ["a", "b"] {
        let collection = store.collection(&named(name)).unwrap();
        assert_eq!(all(&collection).await.len(), 10);
        run(&collection, vec![insert_op(value::doc! {"_id": 100})]).await;
    }
    let made = store.create(&named("c"), CollectionOptions::default()).await;
    assert!(matches!(made, Err(StoreError::Corrupt { .. })), "{made:?}");
    assert!(store.collection(&named("c")).is_none());
}

#[tokio::test]
async fn readable_documents_are_saved_despite_a_damaged_catalog_entry() {
    let simulation = Simulation::new(1);
    let store = damaged_entry(&simulation).await;
    let to = Simulation::new(2);
    let into = Kv::simulated(&to);
    let saved = salvage(store.kv(), &into, &options(), |_| {}).await.unwrap();
    into.close().await.unwrap();
    assert_eq!(saved.catalog, ["the entry of db.a"]);
    let store = open(&to).await;
    assert!(store.collection(&named("a")).is_none());
    assert_eq!(all(&store.collection(&named("b")).unwrap()).await.len(), 10);
}
