//! The tree against a sorted map: the same rows, ranks and reductions after any seeded changes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::write::PageSizes;
use super::{Child, KeptPages, Position, Row, RowChange, Step, Tree, Writer};
use crate::reduce::{Function, Reducer};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use store::{Collection, Durability, Namespace, Order, PageBatch, Store, StoreOptions};
use testing::{Random, seeds};
use value::DocumentFilter;

const SEEDS: u64 = 12;
const BATCHES: usize = 25;

/// So small that a few hundred rows make a tree of several levels.
const SIZES: PageSizes = PageSizes {
    leaf_bytes: 200,
    inner_bytes: 400,
};

/// Room for a few dozen pages.
const KEPT_BYTES: usize = 32 << 10;

#[derive(Debug)]
struct Nothing;

impl DocumentFilter for Nothing {
    fn matches(&self, _: value::DocumentRef<'_>) -> bool {
        true
    }
}

async fn collection() -> Arc<Collection> {
    let options = StoreOptions::new(|_, _| Ok(Arc::new(Nothing) as Arc<dyn DocumentFilter>));
    let kv = kv::Kv::simulated(&kv::Simulation::new(1));
    let store = Store::open(kv, options).await.unwrap();
    // The collection needs the store no longer: it has its own shard and the derived pages theirs.
    let collection = store.create_if_missing(&Namespace::new("db", "c")).await.unwrap();
    std::mem::forget(store);
    collection
}

fn reducers() -> Vec<Reducer> {
    let reducer = |function| Reducer {
        function,
        name: "test".to_owned(),
        program: None,
    };
    vec![reducer(Function::Sum), reducer(Function::Count)]
}

fn position(key: u64, id: u64) -> Position {
    Position {
        sort_key: Bytes::copy_from_slice(&key.to_be_bytes()),
        id: id.to_string().into(),
        emission: 0,
    }
}

fn row(position: Position, value: u64) -> Row {
    Row {
        key: position.id.clone(),
        position,
        value: value.to_string().into(),
    }
}

fn changes(numbers: &mut Random, model: &mut BTreeMap<Position, u64>) -> Vec<RowChange> {
    let grows = numbers.below(3) > 0;
    let mut changes = BTreeMap::new();
    for _ in 0..numbers.below(120) {
        let place = position(numbers.below(60), numbers.below(20));
        let value = numbers.below(100);
        if numbers.below(10) < if grows { 8 } else { 2 } {
            model.insert(place.clone(), value);
            changes.insert(place.clone(), RowChange::Put(row(place, value)));
        } else {
            model.remove(&place);
            changes.insert(place.clone(), RowChange::Delete(place));
        }
    }
    changes.into_values().collect()
}

async fn rows(tree: &Tree, ranks: Range<u64>, order: Order) -> Vec<Row> {
    let mut walk = tree.walk(ranks, order);
    let mut all = Vec::new();
    while let Some(rows) = walk.rows().await.unwrap() {
        all.extend(rows);
    }
    all
}

async fn sum_and_count(tree: &Tree, ranks: Range<u64>) -> (u64, u64) {
    let mut walk = tree.walk(ranks, Order::Forward);
    let (mut sum, mut count) = (0, 0);
    let number = |bytes: &Bytes| std::str::from_utf8(bytes).unwrap().parse::<u64>().unwrap();
    while let Some(step) = walk.next(|_, _| true).await.unwrap() {
        match step {
            Step::Rows(rows) => {
                sum += rows.iter().map(|row| number(&row.value)).sum::<u64>();
                count += rows.len() as u64;
            }
            Step::Leaf(_) => panic!("a walk over rows gives rows"),
            Step::Subtree(summary) => {
                sum += number(&summary.reductions[0]);
                count += number(&summary.reductions[1]);
                assert_eq!(number(&summary.reductions[1]), summary.rows);
            }
        }
    }
    (sum, count)
}

async fn check(tree: &Tree, model: &BTreeMap<Position, u64>, numbers: &mut Random) {
    let expected: Vec<Row> = model
        .iter()
        .map(|(place, value)| row(place.clone(), *value))
        .collect();
    let count = expected.len() as u64;
    assert_eq!(tree.rows(), count);
    assert_eq!(rows(tree, 0..count, Order::Forward).await, expected);
    for _ in 0..8 {
        let place = position(numbers.below(62), numbers.below(20));
        assert_eq!(
            tree.rank(&place).await.unwrap(),
            model.range(..place).count() as u64
        );
        let start = numbers.below(count + 1);
        let end = start + numbers.below(count - start + 1);
        let part = &expected[start as usize..end as usize];
        let sum = model.values().skip(start as usize).take(part.len()).sum();
        assert_eq!(sum_and_count(tree, start..end).await, (sum, end - start));
        let mut backward = rows(tree, start..end, Order::Backward).await;
        backward.reverse();
        assert_eq!(backward, part);
    }
}

#[tokio::test]
async fn a_tree_has_the_rows_ranks_and_reductions_of_a_sorted_map() {
    let reducers = reducers();
    let collection = collection().await;
    // Room for some of the pages, which change from batch to batch under the same numbers.
    let kept = Arc::new(KeptPages::new(KEPT_BYTES));
    for seed in seeds(SEEDS) {
        let pages = kept.of_new_group();
        let mut numbers = Random::new(seed);
        let derived = collection.open_derived(&seed.to_string()).await.unwrap();
        let mut model = BTreeMap::new();
        let (mut root, mut next_page): (Option<Child>, u64) = (None, 0);
        for _ in 0..BATCHES {
            let changes = changes(&mut numbers, &mut model);
            let snapshot = derived.snapshot().await.unwrap();
            let mut batch = PageBatch::default();
            let writer = Writer::new(&snapshot, &mut batch, &mut next_page, &reducers).with_sizes(SIZES);
            root = writer.apply(root, changes).await.unwrap();
            let head = snapshot.commits();
            derived
                .commit(head, Bytes::new(), batch, Durability::Soon)
                .await
                .unwrap();
            let snapshot = Arc::new(derived.snapshot().await.unwrap());
            let tree = Tree::new(snapshot, root.clone());
            check(&tree, &model, &mut numbers).await;
            check(&tree.keeping(pages.clone()), &model, &mut numbers).await;
        }
    }
}
