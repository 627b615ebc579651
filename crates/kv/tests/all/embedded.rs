//! What only the embedded engine has: a folder, a lock, a background flush.
use crate::common::*;
use kv::{Batch, Durability, Error, Head, KeyRange, Kv};
use std::time::{Duration, Instant};

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
async fn commits_that_nobody_waits_for_are_flushed_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    kv.commit(SHARD, 0, head(1), puts([("a", "1")]), Durability::Soon)
        .await
        .unwrap();
    let begun = Instant::now();
    while kv.stats().flushes == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is not flushed");
        tokio::time::sleep(Duration::from_millis(kv::FLUSH_INTERVAL_MS)).await;
    }
    tokio::time::sleep(Duration::from_millis(2 * kv::FLUSH_INTERVAL_MS)).await;
    assert_eq!(kv.stats().flushes, 1, "nothing new, so no flush");
}

#[tokio::test]
async fn a_durable_moment_waits_for_the_flush_of_what_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    kv.commit(SHARD, 0, head(1), puts([("a", "1")]), Durability::Soon)
        .await
        .unwrap();
    let before = kv.stats().flushes;
    let moment = kv.durable_moment().await.unwrap();
    let shown = moment.snapshot(SHARD).await.unwrap().head().await.unwrap();
    assert_eq!(shown, head(1));
    let after = kv.stats().flushes;
    assert!(before == 1 || after == 1, "it was flushed: {before}, {after}");
    kv.durable_moment().await.unwrap();
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
    // Not closed, perhaps in the middle of the compaction.
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

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_held_can_be_copied() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kv = Kv::open(&options(folder.path())).unwrap();
    for at in 0..200 {
        let name = format!("{at:04}");
        commit(&kv, SHARD, puts([(&*name, &*name.repeat(25_000))]))
            .await
            .unwrap();
    }
    assert!(kv.hold_files(Duration::from_secs(60)).await.unwrap());
    let late = tokio::spawn({
        let kv = kv.clone();
        async move { commit(&kv, SHARD, puts([("late", "1")])).await.unwrap() }
    });
    assert_eq!(names(&kv, SHARD).await.len(), 200, "reads go on");
    copy_folder(folder.path(), copy.path());
    assert!(!late.is_finished(), "writes wait");
    kv.release_files().await.unwrap();
    late.await.unwrap();
    assert_eq!(names(&kv, SHARD).await.len(), 201);

    let copied = Kv::open(&options(copy.path())).unwrap();
    assert_eq!(names(&copied, SHARD).await.len(), 200);
    assert_eq!(get(&copied, SHARD, "0199").await.unwrap().len(), 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_held_closes() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    assert!(kv.hold_files(Duration::from_secs(60)).await.unwrap());
    let late = tokio::spawn({
        let kv = kv.clone();
        async move { commit(&kv, SHARD, puts([("late", "1")])).await }
    });
    kv.close().await.unwrap();
    // The commit may still be made before the end; either way its result must be true.
    let is_made = late.await.unwrap().is_ok();
    drop(kv);
    let kv = Kv::open(&options(folder.path())).unwrap();
    let snapshot = kv.snapshot(SHARD).await.unwrap();
    assert_eq!(snapshot.get(&key("late")).await.unwrap().is_some(), is_made);
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn readers_share_a_snapshot_until_something_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let kv = Kv::open(&options(folder.path())).unwrap();
    commit(&kv, SHARD, puts([("a", "1")])).await.unwrap();
    let before = kv.snapshot(SHARD).await.unwrap();
    assert_eq!(kv.snapshot(SHARD).await.unwrap().version(), before.version());
    for number in 2..50 {
        let value = number.to_string();
        commit(&kv, SHARD, puts([("a", value.as_str())])).await.unwrap();
        let now = kv.snapshot(SHARD).await.unwrap();
        assert_ne!(now.version(), before.version());
        assert_eq!(now.get(&key("a")).await.unwrap().unwrap(), value.as_bytes());
        assert_eq!(now.head().await.unwrap().sequence, number);
    }
    assert_eq!(before.get(&key("a")).await.unwrap().unwrap(), b"1".as_slice());
}
