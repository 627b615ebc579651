//! Bare calls of the engine: what a store that did nothing else would reach.

use anyhow::{Context, Result};
use kv::{Batch, Durability, Head, Kv, OpenOptions, ShardId};
use std::path::Path;
use tokio::runtime::Runtime;

const SHARD: ShardId = ShardId(1);

/// An engine opened in this process.
#[derive(Debug)]
pub struct BareEngine {
    runtime: Runtime,
    kv: Kv,
    sequence: u64,
}

impl BareEngine {
    /// Opens it on a folder.
    pub fn open(folder: &Path, memory_bytes: usize) -> Result<BareEngine> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()?;
        let kv = Kv::open(&OpenOptions {
            folder: folder.to_path_buf(),
            memory_bytes,
        })?;
        Ok(BareEngine {
            runtime,
            kv,
            sequence: 0,
        })
    }

    /// Puts entries in one flushed commit.
    pub fn put<'a>(&mut self, entries: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Result<()> {
        let mut batch = Batch::new();
        for (key, value) in entries {
            batch.put(key, value);
        }
        let head = Head {
            sequence: self.sequence + 1,
            ..Head::default()
        };
        let commit = self
            .kv
            .commit(SHARD, self.sequence, head, batch, Durability::Flushed);
        self.runtime.block_on(commit).context("committing")?;
        self.sequence += 1;
        Ok(())
    }

    /// Rewrites all that is stored.
    pub fn compact(&self) -> Result<()> {
        Ok(self.runtime.block_on(self.kv.compact(SHARD))?)
    }

    /// Flushes and closes.
    pub fn close(self) -> Result<()> {
        Ok(self.runtime.block_on(self.kv.close())?)
    }
}
