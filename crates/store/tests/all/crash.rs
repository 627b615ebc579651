//! Seeded crashes: whatever the moment, every acknowledged write is there afterwards, and all parts of the store agree.

use crate::support::*;
use kv::{Kv, Simulation};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use store::{
    Collection, CommitOptions, IndexSpec, IndexState, Namespace, Outcome, Store, StoreError, StoreOptions,
    WriteOp,
};
use testing::{Random, seeds};
use value::{Document, doc};

const SEEDS: u64 = 60;
const ROUNDS: usize = 4;
const WRITERS: i32 = 6;
const IDS_A_WRITER: i32 = 12;

/// What may be stored under each id: one state if the last write was answered, otherwise two.
type Possible = BTreeMap<i32, Vec<Option<Document>>>;

/// Writes until the store crashes.
async fn write(collection: Arc<Collection>, writer: i32, seed: u64, mut possible: Possible) -> Possible {
    let mut numbers = Random::new(seed);
    loop {
        let mut planned: BTreeMap<i32, Option<Document>> = BTreeMap::new();
        let mut operations: Vec<WriteOp> = Vec::new();
        for _ in 0..=numbers.below(4) {
            let id = writer * 100 + numbers.below(IDS_A_WRITER as u64) as i32;
            let (a, b) = (numbers.below(50) as i32, numbers.below(5) as i32);
            if numbers.below(3) == 0 {
                operations.push(delete_op(id));
                planned.insert(id, None);
            } else {
                let document = doc! {"_id": id, "a": [a, b], "unique": id, "text": "x".repeat(a as usize)};
                operations.push(put_op(id, document.clone()));
                planned.insert(id, Some(document));
            }
        }
        match collection.commit(operations, CommitOptions::default()).await {
            Ok(outcomes) => {
                assert!(
                    !outcomes
                        .iter()
                        .any(|o| matches!(o, Outcome::Failed(_) | Outcome::Skipped)),
                    "{outcomes:?}"
                );
                possible.extend(planned.into_iter().map(|(id, state)| (id, vec![state])));
            }
            Err(StoreError::Kv(_)) => {
                for (id, state) in planned {
                    possible.entry(id).or_insert_with(|| vec![None]).push(state);
                }
                return possible;
            }
            Err(error) => panic!("{error}"),
        }
        tokio::task::yield_now().await;
    }
}

/// Waits for the index builds that continued when the store was opened.
async fn builds_ended(collection: &Collection) {
    let is_building = |index: &Arc<store::Index>| index.state() == IndexState::Building;
    while collection.indexes().iter().any(is_building) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Opens what is left and checks all of it.
async fn check(simulation: &Simulation, possible: &Possible, seed: u64) -> (Store, Arc<Collection>) {
    let store = open(simulation).await;
    let collection = store
        .collection(&ns())
        .expect("the collection was created before the first crash");
    builds_ended(&collection).await;
    let report = collection.validate(true).await.unwrap();
    assert!(report.is_valid(), "LARDER_SEED={seed}: {:?}", report.findings);
    let mut found: BTreeMap<i32, Document> = BTreeMap::new();
    for document in all(&collection).await {
        let Some(value::Value::Int32(id)) = document.get("_id").cloned() else {
            panic!("{document:?}")
        };
        assert!(found.insert(id, document).is_none());
    }
    for (id, states) in possible {
        let is = found.remove(id);
        assert!(
            states.contains(&is),
            "LARDER_SEED={seed}: {id} is {is:?}, but may be {states:?}"
        );
    }
    assert!(
        found.is_empty(),
        "LARDER_SEED={seed}: {found:?} was never written"
    );
    (store, collection)
}

/// After a check, what is stored is known.
async fn settle(collection: &Collection, possible: &mut Possible) {
    for (id, states) in possible.iter_mut() {
        *states = vec![by_id(collection, *id).await];
    }
}

#[tokio::test]
async fn acknowledged_writes_survive_a_crash_at_any_step() {
    for seed in seeds(SEEDS) {
        let simulation = Simulation::new(seed);
        let mut numbers = Random::new(seed);
        let store = open(&simulation).await;
        let collection = store.create_if_missing(&ns()).await.unwrap();
        let unique = IndexSpec {
            unique: true,
            sparse: true,
            ..IndexSpec::new("unique", doc! {"unique": 1})
        };
        collection.create_indexes(vec![unique]).await.unwrap();
        let (mut open_store, mut collection) = (store, collection);
        let mut possible: Vec<Possible> = vec![Possible::new(); WRITERS as usize];
        for round in 0..ROUNDS {
            simulation.crash_at_step(simulation.steps() + 1 + numbers.below(60));
            let writers: Vec<_> = (0..WRITERS)
                .zip(possible)
                .map(|(writer, possible)| {
                    tokio::spawn(write(collection.clone(), writer, numbers.any(), possible))
                })
                .collect();
            // An index is built and another dropped amidst the writes; both may be cut off.
            let spec = IndexSpec::new(
                format!("a_{round}"),
                doc! {"a": if round % 2 == 0 { 1 } else { -1 }, "_id": 1},
            );
            let _ = collection.create_indexes(vec![spec]).await;
            let _ = collection
                .drop_index(&format!("a_{}", round.wrapping_sub(1)))
                .await;
            let _ = open_store
                .create_if_missing(&Namespace::new("db", format!("other{round}")))
                .await;
            let _ = open_store
                .drop_collection(&Namespace::new("db", format!("other{}", round.wrapping_sub(1))))
                .await;
            possible = Vec::new();
            for writer in writers {
                possible.push(writer.await.unwrap());
            }
            drop(open_store);
            let merged: Possible = possible.iter().flat_map(Clone::clone).collect();
            (open_store, collection) = check(&simulation, &merged, seed).await;
            for possible in &mut possible {
                settle(&collection, possible).await;
            }
        }
    }
}

#[tokio::test]
async fn indexes_that_are_built_anew_are_there_whenever_a_crash_comes() {
    for step in 1..12 {
        let simulation = Simulation::new(step);
        let store = open(&simulation).await;
        let collection = store.create_if_missing(&ns()).await.unwrap();
        run(&collection, numbered(100)).await;
        let unique = IndexSpec {
            unique: true,
            ..IndexSpec::new("a_1", doc! {"a": 1})
        };
        collection.create_indexes(vec![unique.clone()]).await.unwrap();
        let before = collection.indexes()[1].id();
        simulation.crash_at_step(simulation.steps() + step);
        let is_done = collection.rebuild_indexes().await.is_ok();
        drop(store);
        let store = open(&simulation).await;
        let collection = store.collection(&ns()).unwrap();
        builds_ended(&collection).await;
        let index = collection.indexes()[1].clone();
        assert_eq!(index.spec(), &unique);
        assert!(!is_done || index.id() != before);
        assert_eq!(collection.stats().index_entries[1].1, 100);
        let report = collection.validate(true).await.unwrap();
        assert!(report.is_valid(), "step {step}: {:?}", report.findings);
    }
}

#[tokio::test]
async fn a_build_goes_on_where_it_was_after_a_crash() {
    let mut interrupted = 0;
    for step in 1..12 {
        let simulation = Simulation::new(step);
        let store = open(&simulation).await;
        let collection = store.create_if_missing(&ns()).await.unwrap();
        run(&collection, numbered(4_500)).await;
        simulation.crash_at_step(simulation.steps() + step);
        let built = collection
            .create_indexes(vec![IndexSpec::new("a_1", doc! {"a": 1})])
            .await;
        interrupted += u32::from(built.is_err());
        let store = {
            drop(store);
            open(&simulation).await
        };
        let collection = store.collection(&ns()).unwrap();
        builds_ended(&collection).await;
        let report = collection.validate(true).await.unwrap();
        assert!(report.is_valid(), "step {step}: {:?}", report.findings);
        // The index is there and complete, unless the crash came before its entry in the catalog.
        if let Some(index) = collection.indexes().get(1) {
            assert_eq!(index.state(), IndexState::Ready);
            assert_eq!(collection.stats().index_entries, [(0, 4_500), (1, 4_500)]);
        }
    }
    assert!(interrupted > 2, "only {interrupted} builds were interrupted");
}

#[tokio::test]
async fn after_a_failed_flush_nothing_is_acknowledged_until_a_restart() {
    let simulation = Simulation::new(5);
    let store = open(&simulation).await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    run(&collection, numbered(2)).await;
    simulation.fail_next_flush();
    for n in 10..13 {
        let refused = collection
            .commit(vec![insert_op(doc! {"_id": n})], CommitOptions::default())
            .await;
        assert!(matches!(refused, Err(StoreError::Kv(_))), "{refused:?}");
    }
    drop(store);
    let store = open(&simulation).await;
    let collection = store.collection(&ns()).unwrap();
    assert!(collection.validate(true).await.unwrap().is_valid());
    run(&collection, vec![insert_op(doc! {"_id": 20})]).await;
}

#[tokio::test]
async fn a_caller_who_goes_away_does_not_disturb_the_others() {
    let (_store, collection) = new_collection().await;
    let mut waiting = Vec::new();
    for n in 0..20 {
        let collection = collection.clone();
        let task = tokio::spawn(async move { one(&collection, insert_op(doc! {"_id": n})).await });
        if n % 2 == 0 {
            tokio::task::yield_now().await;
            task.abort();
        } else {
            waiting.push(task);
        }
    }
    for task in waiting {
        task.await.unwrap().unwrap();
    }
    assert!(collection.validate(true).await.unwrap().is_valid());
}

#[tokio::test]
async fn a_transformation_that_panics_ends_its_own_commit_only() {
    let (_store, collection) = new_collection().await;
    run(&collection, numbered(1)).await;
    let bad = WriteOp::modify(store::Target::Id(0.into()), |_: Option<store::Present<'_>>| {
        panic!("a bug above the store")
    });
    let ended = collection.commit(vec![bad], CommitOptions::default()).await;
    assert!(matches!(ended, Err(StoreError::Interrupted)));
    one(&collection, insert_op(doc! {"_id": 5})).await.unwrap();
}

thread_local! {
    static APART: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[tokio::test]
async fn a_single_writers_commit_is_not_bound_by_its_own_limits() {
    let run_apart = |work: &mut dyn FnMut()| {
        APART.set(true);
        work();
        APART.set(false);
    };
    let options = StoreOptions {
        run_apart,
        ..options()
    };
    let store = Store::open(Kv::simulated(&Simulation::new(1)), options)
        .await
        .unwrap();
    let collection = store.create_if_missing(&ns()).await.unwrap();
    let looks = WriteOp::modify(store::Target::Id(0.into()), |_: Option<store::Present<'_>>| {
        assert!(APART.get(), "under the limits of the caller");
        Ok(store::Transformed::NotMatched)
    });
    collection
        .commit(vec![looks], CommitOptions::default())
        .await
        .unwrap();
    assert!(!APART.get());
}
