//! Large values: they are read like others, written once, and their space is freed when they are deleted.
use crate::common::*;
use kv::{Batch, Durability, Head, KeyRange, Kv, Order, PageLimit};
use std::time::{Duration, Instant};

const LARGE_BYTES: usize = 300_000;

/// Incompressible bytes, different for each seed.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

fn put(name: &str, value: &[u8]) -> Batch {
    let mut batch = Batch::new();
    batch.put(&key(name), value);
    batch
}

async fn value(kv: &Kv, name: &str) -> Option<Vec<u8>> {
    let snapshot = kv.snapshot(SHARD).await.unwrap();
    let value = snapshot.get(&key(name)).await.unwrap();
    value.map(|value| value.to_vec())
}

/// All values in the order of their keys.
async fn all_values(kv: &Kv) -> Vec<Vec<u8>> {
    let snapshot = kv.snapshot(SHARD).await.unwrap();
    let all = KeyRange::prefix(&[]);
    let page = snapshot.page(&all, Order::Forward, PageLimit::default());
    let page = page.await.unwrap();
    page.iter().map(|(_, value)| value.to_vec()).collect()
}

/// Waits until the disk holds at most `bytes_max` bytes.
async fn wait_for_space(kv: &Kv, bytes_max: u64) {
    let started = Instant::now();
    while kv.stats().disk_bytes > bytes_max {
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", kv.stats());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn large_values_are_read_like_others() {
    on_both(async |store| {
        let values = [noise(1, LARGE_BYTES), b"small".to_vec(), vec![7; LARGE_BYTES]];
        let mut batch = Batch::new();
        for (at, value) in values.iter().enumerate() {
            batch.put(&key(&at.to_string()), value);
        }
        commit(&store.kv, SHARD, batch).await.unwrap();
        let store = store.close_and_reopen().await;
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        let keys: Vec<_> = (0..3).map(|at| key(&at.to_string())).collect();
        let found = snapshot.get_many(&keys).await.unwrap();
        let found: Vec<_> = found.into_iter().map(|value| value.unwrap().to_vec()).collect();
        assert_eq!(found, values);
        assert_eq!(all_values(&store.kv).await, values);
    })
    .await;
}

#[tokio::test]
async fn a_value_that_looks_like_a_pointer_is_none() {
    on_both(async |store| {
        let disguised = [&[0x00, 0xB5][..], b"Large\0 and more"].concat();
        commit(&store.kv, SHARD, put("a", &disguised)).await.unwrap();
        assert_eq!(value(&store.kv, "a").await.unwrap(), disguised);
    })
    .await;
}

#[tokio::test]
async fn space_of_deleted_and_replaced_values_is_freed() {
    let store = Store::rocks();
    for seed in 0..20 {
        commit(
            &store.kv,
            SHARD,
            put(&format!("{}", seed % 10), &noise(seed, LARGE_BYTES)),
        )
        .await
        .unwrap();
    }
    let mut batch = Batch::new();
    (0..9).for_each(|at| batch.delete(&key(&at.to_string())));
    commit(&store.kv, SHARD, batch).await.unwrap();
    let all = KeyRange {
        low: std::ops::Bound::Unbounded,
        high: std::ops::Bound::Unbounded,
    };
    assert!(store.kv.disk_bytes(SHARD, &all).await.unwrap() >= LARGE_BYTES as u64);
    wait_for_space(&store.kv, 3 * LARGE_BYTES as u64).await;
    assert_eq!(value(&store.kv, "9").await.unwrap(), noise(19, LARGE_BYTES));
    store.kv.drop_shard(SHARD).await.unwrap();
    wait_for_space(&store.kv, LARGE_BYTES as u64).await;
    assert!(store.kv.disk_bytes(SHARD, &all).await.unwrap() < LARGE_BYTES as u64);
}

#[tokio::test]
async fn a_snapshot_still_reads_what_was_deleted() {
    let store = Store::rocks();
    commit(&store.kv, SHARD, put("a", &noise(1, LARGE_BYTES)))
        .await
        .unwrap();
    commit(&store.kv, SHARD, put("b", &noise(2, LARGE_BYTES)))
        .await
        .unwrap();
    let snapshot = store.kv.snapshot(SHARD).await.unwrap();
    let mut batch = Batch::new();
    batch.delete(&key("a"));
    commit(&store.kv, SHARD, batch).await.unwrap();
    // Longer than the freeing thread sleeps.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let found = snapshot.get(&key("a")).await.unwrap();
    assert_eq!(found.unwrap(), noise(1, LARGE_BYTES));
    drop(snapshot);
    wait_for_space(&store.kv, 2 * LARGE_BYTES as u64).await;
}

#[tokio::test]
async fn a_commit_against_a_moved_head_leaves_nothing() {
    let store = Store::rocks();
    commit(&store.kv, SHARD, put("a", b"small")).await.unwrap();
    let refused = store
        .kv
        .commit(
            SHARD,
            0,
            Head::default(),
            put("b", &noise(1, LARGE_BYTES)),
            Durability::Soon,
        )
        .await;
    refused.unwrap_err();
    wait_for_space(&store.kv, LARGE_BYTES as u64 / 2).await;
}

#[tokio::test]
async fn a_start_frees_what_the_last_one_did_not() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    commit(&kv, SHARD, put("a", &noise(1, LARGE_BYTES)))
        .await
        .unwrap();
    commit(&kv, SHARD, put("a", &noise(2, LARGE_BYTES)))
        .await
        .unwrap();
    kv.close().await.unwrap();
    drop(kv);
    let kv = Kv::open(&options(folder.path())).unwrap();
    wait_for_space(&kv, LARGE_BYTES as u64 * 3 / 2).await;
    assert_eq!(value(&kv, "a").await.unwrap(), noise(2, LARGE_BYTES));
}

#[tokio::test]
async fn a_changed_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    commit(&kv, SHARD, put("a", &noise(1, LARGE_BYTES)))
        .await
        .unwrap();
    let file = folder.path().join("values/00000000.values");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let snapshot = kv.snapshot(SHARD).await.unwrap();
    let error = snapshot.get(&key("a")).await.unwrap_err();
    assert!(error.to_string().contains("fails its checksum"), "{error}");
}

/// A batch that sets a key to `head` and a placed value.
async fn put_placed(kv: &Kv, name: &str, head: &[u8], value: &[u8]) -> Batch {
    let placed = kv.place(value).await.unwrap().unwrap();
    let mut batch = Batch::new();
    batch.put_placed(&key(name), head, &placed);
    batch
}

#[tokio::test]
async fn a_value_placed_before_its_commit_is_read_like_others() {
    on_both(async |store| {
        let values = [noise(1, LARGE_BYTES), vec![7; LARGE_BYTES]];
        for (name, rest) in ["a", "b"].into_iter().zip(&values) {
            let batch = put_placed(&store.kv, name, b"head", rest).await;
            commit(&store.kv, SHARD, batch).await.unwrap();
        }
        let store = store.close_and_reopen().await;
        let whole = values.map(|rest| [b"head".as_slice(), &rest].concat());
        assert_eq!(value(&store.kv, "a").await.unwrap(), whole[0]);
        assert_eq!(all_values(&store.kv).await, whole);
    })
    .await;
}

#[tokio::test]
async fn a_placed_value_is_read_back_before_its_commit() {
    on_both(async |store| {
        let placed = store.kv.place(&noise(1, LARGE_BYTES)).await.unwrap().unwrap();
        assert_eq!(placed.read().unwrap(), noise(1, LARGE_BYTES));
    })
    .await;
}

#[tokio::test]
async fn a_later_write_of_its_key_wins_over_a_placed_value() {
    on_both(async |store| {
        let mut batch = put_placed(&store.kv, "a", b"", &noise(1, LARGE_BYTES)).await;
        batch.delete(&key("a"));
        batch.put(&key("b"), b"first");
        let placed = store.kv.place(&noise(2, LARGE_BYTES)).await.unwrap().unwrap();
        batch.put_placed(&key("b"), b"", &placed);
        commit(&store.kv, SHARD, batch).await.unwrap();
        assert_eq!(value(&store.kv, "a").await, None);
        assert_eq!(value(&store.kv, "b").await.unwrap(), noise(2, LARGE_BYTES));
    })
    .await;
}

#[tokio::test]
async fn a_small_value_is_not_placed() {
    on_both(async |store| {
        assert!(store.kv.place(b"small").await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn a_placed_value_that_no_commit_names_leaves_nothing() {
    let store = Store::rocks();
    let batch = put_placed(&store.kv, "a", b"", &noise(1, LARGE_BYTES)).await;
    assert!(store.kv.stats().disk_bytes >= LARGE_BYTES as u64);
    drop(batch);
    wait_for_space(&store.kv, LARGE_BYTES as u64 / 2).await;
}

#[tokio::test]
async fn a_placed_value_that_the_same_batch_replaces_leaves_nothing() {
    let store = Store::rocks();
    let mut batch = put_placed(&store.kv, "a", b"", &noise(1, LARGE_BYTES)).await;
    batch.put(&key("a"), b"small");
    commit(&store.kv, SHARD, batch).await.unwrap();
    assert_eq!(value(&store.kv, "a").await.unwrap(), b"small");
    wait_for_space(&store.kv, LARGE_BYTES as u64 / 2).await;
}

#[tokio::test]
async fn a_placed_value_outlives_a_commit_against_a_moved_head() {
    let store = Store::rocks();
    commit(&store.kv, SHARD, put("a", b"small")).await.unwrap();
    let batch = put_placed(&store.kv, "b", b"", &noise(1, LARGE_BYTES)).await;
    let refused = store
        .kv
        .commit(SHARD, 0, Head::default(), batch.clone(), Durability::Soon);
    refused.await.unwrap_err();
    commit(&store.kv, SHARD, batch).await.unwrap();
    // Longer than the freeing thread sleeps.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(value(&store.kv, "b").await.unwrap(), noise(1, LARGE_BYTES));
}

#[tokio::test]
async fn more_is_placed_than_may_wait_for_the_disk() {
    let store = Store::rocks();
    let values: Vec<_> = (0..8).map(|seed| noise(seed, 16 << 20)).collect();
    let mut batch = Batch::new();
    for (at, value) in values.iter().enumerate() {
        let placed = store.kv.place(value).await.unwrap().unwrap();
        batch.put_placed(&key(&at.to_string()), b"", &placed);
    }
    commit(&store.kv, SHARD, batch).await.unwrap();
    for (at, expected) in values.iter().enumerate() {
        assert_eq!(&value(&store.kv, &at.to_string()).await.unwrap(), expected);
    }
}
