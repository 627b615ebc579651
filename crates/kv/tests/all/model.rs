//! Random operations on both engines, compared with a map.
use crate::common::{Store, head};
use kv::{Batch, Durability, KeyRange, Order, PageLimit, ShardId};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::Bound;

#[derive(Clone, Debug)]
enum Step {
    Commit(u8, Vec<(Vec<u8>, Option<Vec<u8>>)>, bool),
    Drop(u8),
    Read(u8, KeyRange, bool, usize),
    Get(u8, Vec<Vec<u8>>),
    Compact(u8),
    Reopen,
}

type Model = BTreeMap<u8, (u64, BTreeMap<Vec<u8>, Vec<u8>>)>;

fn any_key() -> impl Strategy<Value = Vec<u8>> {
    // Few different bytes, so that keys meet and begin one another.
    let byte = prop::sample::select(vec![0x00, 0x01, 0x10, 0xFF]);
    (
        prop::sample::select(vec![0x01, 0x10, 0xFF]),
        prop::collection::vec(byte, 0..4),
    )
        .prop_map(|(first, rest)| [vec![first], rest].concat())
}

fn any_bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![
        Just(Bound::Unbounded),
        any_key().prop_map(Bound::Included),
        any_key().prop_map(Bound::Excluded)
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let shard = || prop::sample::select(vec![0u8, 1, 2]);
    let value = prop::option::of(prop::collection::vec(any::<u8>(), 0..8));
    let writes = prop::collection::vec((any_key(), value), 0..12);
    let range = (any_bound(), any_bound()).prop_map(|(low, high)| KeyRange { low, high });
    prop_oneof![
        10 => (shard(), writes, any::<bool>()).prop_map(|(shard, writes, flushed)| Step::Commit(shard, writes, flushed)),
        1 => shard().prop_map(Step::Drop),
        10 => (shard(), range, any::<bool>(), 1usize..6)
            .prop_map(|(shard, range, forward, entries)| Step::Read(shard, range, forward, entries)),
        4 => (shard(), prop::collection::vec(any_key(), 0..5)).prop_map(|(shard, keys)| Step::Get(shard, keys)),
        1 => shard().prop_map(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

async fn run(mut store: Store, steps: &[Step]) {
    let mut model = Model::new();
    for step in steps {
        match step {
            Step::Commit(shard, writes, flushed) => {
                commit(&store, &mut model, *shard, writes, *flushed).await;
            }
            Step::Drop(shard) => {
                store.kv.drop_shard(ShardId(u64::from(*shard))).await.unwrap();
                model.remove(shard);
            }
            Step::Read(shard, range, forward, entries) => {
                read(&store, &model, *shard, range, *forward, *entries).await;
            }
            Step::Get(shard, keys) => {
                let snapshot = store.kv.snapshot(ShardId(u64::from(*shard))).await.unwrap();
                let found = snapshot.get_many(keys).await.unwrap();
                let entries = model.entry(*shard).or_default();
                for (key, found) in keys.iter().zip(found) {
                    assert_eq!(found.map(|value| value.to_vec()).as_ref(), entries.1.get(key));
                }
            }
            Step::Compact(shard) => store.kv.compact(ShardId(u64::from(*shard))).await.unwrap(),
            Step::Reopen => store = store.close_and_reopen().await,
        }
    }
}

async fn commit(
    store: &Store,
    model: &mut Model,
    shard: u8,
    writes: &[(Vec<u8>, Option<Vec<u8>>)],
    flushed: bool,
) {
    let (sequence, entries) = model.entry(shard).or_default();
    let mut batch = Batch::new();
    for (key, value) in writes {
        match value {
            Some(value) => {
                batch.put(key, value);
                entries.insert(key.clone(), value.clone());
            }
            None => {
                batch.delete(key);
                entries.remove(key);
            }
        }
    }
    let durability = if flushed {
        Durability::Flushed
    } else {
        Durability::Soon
    };
    let shard = ShardId(u64::from(shard));
    store
        .kv
        .commit(shard, *sequence, head(*sequence + 1), batch, durability)
        .await
        .unwrap();
    *sequence += 1;
}

async fn read(store: &Store, model: &Model, shard: u8, range: &KeyRange, forward: bool, entries: usize) {
    let snapshot = store.kv.snapshot(ShardId(u64::from(shard))).await.unwrap();
    let order = if forward { Order::Forward } else { Order::Backward };
    let limit = PageLimit {
        entries,
        ..PageLimit::default()
    };
    let page = snapshot.page(range, order, limit).await.unwrap();
    let found: Vec<(Vec<u8>, Vec<u8>)> = page
        .iter()
        .map(|(key, value)| (key.to_vec(), value.to_vec()))
        .collect();

    let (sequence, all) = model.get(&shard).cloned().unwrap_or_default();
    let inside =
        |key: &Vec<u8>| std::ops::RangeBounds::contains(&(range.low.clone(), range.high.clone()), key);
    let mut expected: Vec<_> = all.into_iter().filter(|(key, _)| inside(key)).collect();
    if !forward {
        expected.reverse();
    }
    assert_eq!(page.exhausted(), expected.len() <= entries);
    expected.truncate(entries);
    assert_eq!(found, expected);
    assert_eq!(snapshot.head().await.unwrap().sequence, sequence);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_simulated_engine_does_as_a_map_does(steps in prop::collection::vec(any_step(), 1..60)) {
        runtime().block_on(run(Store::simulated(1), &steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_embedded_engine_does_as_a_map_does(steps in prop::collection::vec(any_step(), 1..60)) {
        runtime().block_on(run(Store::rocks(), &steps));
    }
}
