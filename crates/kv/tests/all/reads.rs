//! Snapshots and pages, on both engines.
use crate::common::*;
use kv::{Batch, KeyRange, Kv, Order, PageLimit};
use std::ops::Bound;
use std::time::Duration;

const ALL: KeyRange = KeyRange {
    low: Bound::Unbounded,
    high: Bound::Unbounded,
};

fn limit(entries: usize) -> PageLimit {
    PageLimit {
        entries,
        ..PageLimit::default()
    }
}

#[tokio::test]
async fn a_snapshot_sees_nothing_of_later_commits() {
    on_both(async |store| {
        commit(&store.kv, SHARD, puts([("a", "1")])).await.unwrap();
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        let mut batch = puts([("b", "2")]);
        batch.delete(&key("a"));
        commit(&store.kv, SHARD, batch).await.unwrap();

        assert_eq!(snapshot.head().await.unwrap(), head(1));
        assert_eq!(snapshot.get(&key("a")).await.unwrap().as_deref(), Some(&b"1"[..]));
        let page = snapshot.page(&ALL, Order::Forward, limit(9)).await.unwrap();
        assert_eq!(page.iter().collect::<Vec<_>>(), [(&key("a")[..], &b"1"[..])]);
        assert_eq!(names(&store.kv, SHARD).await, ["b"]);
    })
    .await;
}

#[tokio::test]
async fn many_keys_are_answered_in_their_order() {
    on_both(async |store| {
        commit(&store.kv, SHARD, puts([("a", "1"), ("b", ""), ("c", "3")]))
            .await
            .unwrap();
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        let asked = [key("c"), key("none"), key("b"), key("a"), key("c")];
        let found = snapshot.get_many(&asked).await.unwrap();
        let found: Vec<Option<&[u8]>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, [Some(&b"3"[..]), None, Some(b""), Some(b"1"), Some(b"3")]);
        assert_eq!(snapshot.get_many(&[]).await.unwrap().len(), 0);
    })
    .await;
}

#[tokio::test]
async fn pages_go_on_behind_the_last_key_in_both_orders() {
    on_both(async |store| {
        let mut batch = Batch::new();
        let expected: Vec<Vec<u8>> = (0..100u8).map(|at| vec![0x10, at]).collect();
        expected.iter().for_each(|key| batch.put(key, &key[1..]));
        commit(&store.kv, SHARD, batch).await.unwrap();
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();

        for order in [Order::Forward, Order::Backward] {
            let mut range = ALL;
            let mut seen: Vec<Vec<u8>> = Vec::new();
            loop {
                let page = snapshot.page(&range, order, limit(7)).await.unwrap();
                seen.extend(page.iter().map(|(key, _)| key.to_vec()));
                assert!(page.iter().all(|(key, value)| key[1..] == *value));
                if !range.go_on_after(&page, order) {
                    break;
                }
            }
            if order == Order::Backward {
                seen.reverse();
            }
            assert_eq!(seen, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn bounds_are_kept_to_the_byte() {
    on_both(async |store| {
        commit(
            &store.kv,
            SHARD,
            puts([("a", "1"), ("b", "1"), ("b0", "1"), ("c", "1")]),
        )
        .await
        .unwrap();
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        let included = |name: &str| Bound::Included(key(name));
        let excluded = |name: &str| Bound::Excluded(key(name));
        let cases = [
            (included("b"), included("b"), vec!["b"]),
            (included("b"), excluded("c"), vec!["b", "b0"]),
            (excluded("b"), included("c"), vec!["b0", "c"]),
            (excluded("a"), excluded("b"), vec![]),
            (included("c"), included("a"), vec![]),
            (excluded("b"), excluded("b"), vec![]),
            (Bound::Unbounded, excluded("b"), vec!["a"]),
            (included("b0"), Bound::Unbounded, vec!["b0", "c"]),
        ];
        for (low, high, expected) in cases {
            let range = KeyRange { low, high };
            for order in [Order::Forward, Order::Backward] {
                let page = snapshot.page(&range, order, limit(9)).await.unwrap();
                let mut found: Vec<&[u8]> = page.iter().map(|(key, _)| &key[1..]).collect();
                if order == Order::Backward {
                    found.reverse();
                }
                assert_eq!(
                    found,
                    expected.iter().map(|name| name.as_bytes()).collect::<Vec<_>>(),
                    "{range:?}"
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_ends_at_its_bytes_but_holds_one_entry() {
    on_both(async |store| {
        let value = "v".repeat(1000);
        commit(
            &store.kv,
            SHARD,
            puts([("a", value.as_str()), ("b", &value), ("c", &value)]),
        )
        .await
        .unwrap();
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        for (bytes, entries, exhausted) in
            [(0, 1, false), (1001, 1, false), (1500, 2, false), (5000, 3, true)]
        {
            let page = snapshot
                .page(&ALL, Order::Forward, PageLimit { entries: 9, bytes })
                .await
                .unwrap();
            assert_eq!((page.len(), page.exhausted()), (entries, exhausted), "{bytes}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_full_last_page_is_exhausted() {
    on_both(async |store| {
        commit(&store.kv, SHARD, puts([("a", "1"), ("b", "1")]))
            .await
            .unwrap();
        commit(&store.kv, kv::ShardId(SHARD.0 + 1), puts([("c", "1")]))
            .await
            .unwrap();
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        for order in [Order::Forward, Order::Backward] {
            let page = snapshot.page(&ALL, order, limit(2)).await.unwrap();
            assert!(page.exhausted() && page.len() == 2);
        }
    })
    .await;
}

#[tokio::test]
async fn a_prefix_ends_at_its_last_key() {
    on_both(async |store| {
        let mut batch = Batch::new();
        for key in [
            &[0x10, 0xFF][..],
            &[0x10, 0xFF, 0xFF],
            &[0x10, 0xFE],
            &[0x11],
            &[0xFF, 0xFF],
        ] {
            batch.put(key, b"");
        }
        commit(&store.kv, SHARD, batch).await.unwrap();
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        for (prefix, entries) in [(&[0x10, 0xFF][..], 2), (&[0x10], 3), (&[0xFF], 1), (&[], 5)] {
            let page = snapshot
                .page(&KeyRange::prefix(prefix), Order::Backward, limit(9))
                .await
                .unwrap();
            assert_eq!(page.len(), entries, "{prefix:?}");
        }
    })
    .await;
}

/// Many keys of which few are left: the numbers of those.
async fn mostly_deleted(kv: &Kv) -> Vec<u32> {
    let name = |number: u32| [&[0x10], &number.to_be_bytes()[..]].concat();
    let is_left = |number: u32| number < 10 || number % 25_000 == 3;
    for first in (0..70_000).step_by(10_000) {
        let mut batch = Batch::new();
        (first..first + 10_000).for_each(|number| batch.put(&name(number), &number.to_le_bytes().repeat(20)));
        commit(kv, SHARD, batch).await.unwrap();
    }
    kv.compact(SHARD).await.unwrap();
    for first in (0..70_000).step_by(10_000) {
        let mut batch = Batch::new();
        let gone = (first..first + 10_000).filter(|number| !is_left(*number));
        gone.for_each(|number| batch.delete(&name(number)));
        commit(kv, SHARD, batch).await.unwrap();
    }
    (0..70_000).filter(|number| is_left(*number)).collect()
}

#[tokio::test]
async fn pages_find_every_key_behind_many_deleted_ones() {
    on_both(async |store| {
        let mut left = mostly_deleted(&store.kv).await;
        let snapshot = store.kv.snapshot(SHARD).await.unwrap();
        for order in [Order::Forward, Order::Backward] {
            for entries in [1, 4, 100] {
                let (mut range, mut found) = (ALL, Vec::new());
                loop {
                    let page = snapshot.page(&range, order, limit(entries)).await.unwrap();
                    let numbers = page.iter().map(|(key, _)| key[1..].try_into().unwrap());
                    found.extend(numbers.map(u32::from_be_bytes));
                    if !range.go_on_after(&page, order) {
                        break;
                    }
                }
                assert_eq!(found, left, "{order:?}, {entries} at once");
            }
            left.reverse();
        }
    })
    .await;
}

#[tokio::test]
async fn deleted_keys_that_readers_pass_are_compacted() {
    let store = Store::rocks();
    mostly_deleted(&store.kv).await;
    let before = store.kv.disk_bytes(SHARD, &ALL).await.unwrap();
    let compacted = async {
        loop {
            let snapshot = store.kv.snapshot(SHARD).await.unwrap();
            let range = KeyRange {
                low: Bound::Excluded(vec![0x10, 0, 0, 0, 9]),
                ..ALL
            };
            snapshot.page(&range, Order::Forward, limit(1)).await.unwrap();
            drop(snapshot);
            if store.kv.disk_bytes(SHARD, &ALL).await.unwrap() < before / 2 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), compacted)
        .await
        .unwrap();
}
