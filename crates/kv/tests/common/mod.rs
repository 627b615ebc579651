//! Runs a test on both engines, which must behave alike.
#![allow(dead_code, reason = "each test file uses its own part")]

use kv::{Batch, CommitError, Durability, Head, Kv, OpenOptions, ShardId, Simulation};
use std::future::Future;

/// A store, with the folder or simulation that must live as long.
pub struct Store {
    pub kv: Kv,
    ground: Ground,
}

enum Ground {
    Folder(tempfile::TempDir),
    Simulation(Simulation),
}

impl Store {
    pub fn rocks() -> Store {
        let folder = tempfile::tempdir().unwrap();
        let kv = Kv::open(&options(folder.path())).unwrap();
        Store {
            kv,
            ground: Ground::Folder(folder),
        }
    }

    pub fn simulated(seed: u64) -> Store {
        let simulation = Simulation::new(seed);
        Store {
            kv: Kv::simulated(&simulation),
            ground: Ground::Simulation(simulation),
        }
    }

    pub async fn close_and_reopen(self) -> Store {
        self.kv.close().await.unwrap();
        let kv = match &self.ground {
            Ground::Folder(folder) => Kv::open(&options(folder.path())).unwrap(),
            Ground::Simulation(simulation) => Kv::simulated(simulation),
        };
        Store {
            kv,
            ground: self.ground,
        }
    }
}

pub fn options(folder: &std::path::Path) -> OpenOptions {
    OpenOptions {
        folder: folder.to_path_buf(),
        memory_bytes: 64 << 20,
    }
}

/// Runs a test on both engines.
pub async fn on_both<F: Future<Output = ()>>(test: impl Fn(Store) -> F) {
    test(Store::rocks()).await;
    test(Store::simulated(1)).await;
}

pub const SHARD: ShardId = ShardId(7);

pub fn head(sequence: u64) -> Head {
    Head {
        sequence,
        state: format!("state {sequence}").into(),
    }
}

/// A caller's key: these begin at 0x10.
pub fn key(name: &str) -> Vec<u8> {
    [&[0x10], name.as_bytes()].concat()
}

pub fn puts<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Batch {
    let mut batch = Batch::new();
    for (name, value) in entries {
        batch.put(&key(name), value.as_bytes());
    }
    batch
}

/// Commits as the next change of the shard.
pub async fn commit(kv: &Kv, shard: ShardId, batch: Batch) -> Result<(), CommitError> {
    let expected = kv.head(shard).await?.sequence;
    kv.commit(shard, expected, head(expected + 1), batch, Durability::Flushed)
        .await
}

pub async fn get(kv: &Kv, shard: ShardId, name: &str) -> Option<String> {
    let value = kv.snapshot(shard).await.unwrap().get(&key(name)).await.unwrap();
    value.map(|value| String::from_utf8(value.to_vec()).unwrap())
}

/// The names of all keys of a shard.
pub async fn names(kv: &Kv, shard: ShardId) -> Vec<String> {
    let all = kv::KeyRange::prefix(&[]);
    let snapshot = kv.snapshot(shard).await.unwrap();
    let page = snapshot
        .page(
            &all,
            kv::Order::Forward,
            kv::PageLimit {
                entries: 100_000,
                bytes: 1 << 28,
            },
        )
        .await
        .unwrap();
    assert!(page.exhausted());
    page.iter()
        .map(|(key, _)| String::from_utf8(key[1..].to_vec()).unwrap())
        .collect()
}
