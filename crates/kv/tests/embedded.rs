//! What only the embedded engine does: its folder, its lock, its background flush.
#![allow(clippy::unwrap_used, reason = "in a test a failure ends it")]

mod common;

use common::*;
use kv::{Batch, Durability, Error, Head, KeyRange, Kv};
use std::time::Duration;

#[tokio::test]
async fn a_folder_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    let refused = Kv::open(&options(folder.path()));
    assert!(
        matches!(&refused, Err(Error::Locked { folder: named }) if *named == folder.path().display().to_string())
    );
    kv.close().await.unwrap();
    Kv::open(&options(folder.path())).unwrap();
}

#[tokio::test]
async fn what_nobody_waits_for_is_flushed_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    kv.commit(SHARD, 0, head(1), puts([("a", "1")]), Durability::Soon)
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(3 * kv::FLUSH_INTERVAL_MS)).await;
    assert_eq!(kv.stats().flushes, 1);
    tokio::time::sleep(Duration::from_millis(2 * kv::FLUSH_INTERVAL_MS)).await;
    assert_eq!(kv.stats().flushes, 1, "nothing new, so no flush");
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_wait_together_share_flushes() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    let tasks: Vec<_> = (0..64)
        .map(|shard| {
            let kv = kv.clone();
            tokio::spawn(async move {
                for _ in 0..10 {
                    commit(&kv, kv::ShardId(shard), puts([("a", "1")])).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let stats = kv.stats();
    assert_eq!(stats.commits, 640);
    assert!(stats.flushes < 320, "{stats:?}");
    assert!(stats.disk_bytes > 0 && stats.memory_bytes > 0);
}

#[tokio::test]
async fn a_store_left_without_closing_keeps_all() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    kv.commit(SHARD, 0, head(1), puts([("a", "1")]), Durability::Soon)
        .await
        .unwrap();
    drop(kv);
    let kv = Kv::open(&options(folder.path())).unwrap();
    assert_eq!(names(&kv, SHARD).await, ["a"]);
}

#[tokio::test]
async fn a_dropped_shard_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    let mut batch = Batch::new();
    (0..5000).for_each(|at| batch.put(&key(&format!("{at:05}")), b"v"));
    commit(&kv, SHARD, batch).await.unwrap();
    kv.compact(SHARD).await.unwrap();
    kv.drop_shard(SHARD).await.unwrap();
    // Not closed, and perhaps in the midst of the compaction.
    drop(kv);
    for _ in 0..2 {
        let kv = Kv::open(&options(folder.path())).unwrap();
        assert_eq!(kv.head(SHARD).await.unwrap(), Head::default());
        assert_eq!(names(&kv, SHARD).await, [""; 0]);
        kv.compact(SHARD).await.unwrap();
        let bytes = kv.disk_bytes(SHARD, &KeyRange::prefix(&[])).await.unwrap();
        assert_eq!(bytes, 0, "its space is free");
        kv.close().await.unwrap();
    }
}
