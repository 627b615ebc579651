//! Commits, on both engines.
use crate::common::*;
use kv::{Batch, CommitError, Durability, Error, ShardId};

#[tokio::test]
async fn a_commit_is_read_back_with_its_head() {
    on_both(async |store| {
        let kv = &store.kv;
        assert_eq!(kv.head(SHARD).await.unwrap(), kv::Head::default());
        commit(kv, SHARD, puts([("a", "1"), ("b", "2")])).await.unwrap();
        assert_eq!(get(kv, SHARD, "a").await.as_deref(), Some("1"));
        assert_eq!(kv.head(SHARD).await.unwrap(), head(1));
        assert_eq!(kv.snapshot(SHARD).await.unwrap().head().await.unwrap(), head(1));
    })
    .await;
}

#[tokio::test]
async fn a_commit_against_an_old_head_changes_nothing() {
    on_both(async |store| {
        let kv = &store.kv;
        commit(kv, SHARD, puts([("a", "1")])).await.unwrap();
        let refused = kv
            .commit(SHARD, 0, head(1), puts([("a", "2")]), Durability::Flushed)
            .await;
        assert!(matches!(refused, Err(CommitError::HeadMoved(present)) if present == head(1)));
        assert_eq!(get(kv, SHARD, "a").await.as_deref(), Some("1"));
    })
    .await;
}

#[tokio::test]
async fn the_last_write_of_a_key_in_a_batch_wins() {
    on_both(async |store| {
        let mut batch = puts([("b", "1"), ("a", "1"), ("c", "1"), ("b", "2")]);
        batch.delete(&key("a"));
        batch.delete(&key("c"));
        batch.put(&key("c"), b"3");
        commit(&store.kv, SHARD, batch).await.unwrap();
        assert_eq!(get(&store.kv, SHARD, "a").await, None);
        assert_eq!(get(&store.kv, SHARD, "b").await.as_deref(), Some("2"));
        assert_eq!(get(&store.kv, SHARD, "c").await.as_deref(), Some("3"));
    })
    .await;
}

#[tokio::test]
async fn a_batch_of_many_megabytes_is_committed() {
    on_both(async |store| {
        let value = "v".repeat(1 << 20);
        let names: Vec<String> = (0..20).map(|at| format!("{at:02}")).collect();
        let batch = puts(names.iter().map(|name| (name.as_str(), value.as_str())));
        commit(&store.kv, SHARD, batch).await.unwrap();
        assert_eq!(crate::common::names(&store.kv, SHARD).await, names);
    })
    .await;
}

#[tokio::test]
async fn shards_do_not_mix() {
    on_both(async |store| {
        let kv = &store.kv;
        let shards = [0, 1, 255, 256, 65_535, u64::MAX].map(ShardId);
        for (at, shard) in shards.into_iter().enumerate() {
            commit(kv, shard, puts([(["a", "b", "c", "d", "e", "f"][at], "1")]))
                .await
                .unwrap();
        }
        for (at, shard) in shards.into_iter().enumerate() {
            assert_eq!(names(kv, shard).await, [["a", "b", "c", "d", "e", "f"][at]]);
            assert_eq!(kv.head(shard).await.unwrap(), head(1));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_committers_at_one_head_exactly_one_wins() {
    on_both(async |store| {
        for round in 0..20 {
            let tasks: Vec<_> = (0..8)
                .map(|_| {
                    let kv = store.kv.clone();
                    tokio::spawn(async move {
                        kv.commit(
                            SHARD,
                            round,
                            head(round + 1),
                            puts([("a", "1")]),
                            Durability::Flushed,
                        )
                        .await
                    })
                })
                .collect();
            let mut winners = 0;
            for task in tasks {
                winners += usize::from(task.await.unwrap().is_ok());
            }
            assert_eq!(winners, 1);
        }
    })
    .await;
}

#[tokio::test]
async fn a_dropped_shard_is_empty_and_starts_anew() {
    on_both(async |store| {
        let other = ShardId(8);
        // Few entries are deleted one by one, many as a range.
        for entries in [10, 5_000] {
            let mut batch = Batch::new();
            (0..entries).for_each(|at| batch.put(&key(&format!("{at:05}")), b"v"));
            commit(&store.kv, SHARD, batch).await.unwrap();
            commit(&store.kv, other, puts([("kept", "1")])).await.unwrap();
            let before = store.kv.snapshot(SHARD).await.unwrap();

            store.kv.drop_shard(SHARD).await.unwrap();
            assert_eq!(store.kv.head(SHARD).await.unwrap(), kv::Head::default());
            assert_eq!(names(&store.kv, SHARD).await, [""; 0]);
            assert_eq!(names(&store.kv, other).await, ["kept"]);
            assert_eq!(
                before.get(&key("00000")).await.unwrap().as_deref(),
                Some(&b"v"[..])
            );

            commit(&store.kv, SHARD, puts([("new", "1")])).await.unwrap();
            assert_eq!(names(&store.kv, SHARD).await, ["new"]);
            store.kv.drop_shard(SHARD).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn all_is_there_after_closing_and_opening_again() {
    on_both(async |store| {
        let dropped = ShardId(9);
        commit(&store.kv, dropped, puts([("a", "1")])).await.unwrap();
        store.kv.drop_shard(dropped).await.unwrap();
        store
            .kv
            .commit(SHARD, 0, head(1), puts([("a", "1")]), Durability::Soon)
            .await
            .unwrap();
        let store = store.close_and_reopen().await;
        assert_eq!(store.kv.head(SHARD).await.unwrap(), head(1));
        assert_eq!(names(&store.kv, SHARD).await, ["a"]);
        assert_eq!(names(&store.kv, dropped).await, [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn a_closed_store_says_so() {
    on_both(async |store| {
        let kv = store.kv.clone();
        store.kv.close().await.unwrap();
        store.kv.close().await.unwrap();
        assert!(matches!(kv.head(SHARD).await, Err(Error::Closed)));
        assert!(matches!(kv.snapshot(SHARD).await, Err(Error::Closed)));
        let refused = kv.commit(SHARD, 0, head(1), Batch::new(), Durability::Soon).await;
        assert!(matches!(refused, Err(CommitError::Engine(Error::Closed))));
    })
    .await;
}

#[tokio::test]
async fn compaction_keeps_what_is_live() {
    on_both(async |store| {
        commit(&store.kv, SHARD, puts([("a", "1"), ("b", "1")]))
            .await
            .unwrap();
        let mut batch = puts([("a", "2")]);
        batch.delete(&key("b"));
        commit(&store.kv, SHARD, batch).await.unwrap();
        store.kv.compact(SHARD).await.unwrap();
        assert_eq!(names(&store.kv, SHARD).await, ["a"]);
        assert_eq!(get(&store.kv, SHARD, "a").await.as_deref(), Some("2"));
        let bytes = store
            .kv
            .disk_bytes(SHARD, &kv::KeyRange::prefix(&[]))
            .await
            .unwrap();
        assert!(bytes > 0);
    })
    .await;
}

#[tokio::test]
#[should_panic(expected = "must begin with 0x01 or a greater byte")]
async fn a_key_in_the_reserved_part_is_refused() {
    let store = Store::simulated(1);
    let mut batch = Batch::new();
    batch.put(&[0x00], b"not a head");
    let _ = store.kv.commit(SHARD, 0, head(1), batch, Durability::Soon).await;
}
