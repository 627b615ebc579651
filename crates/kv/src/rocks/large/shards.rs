//! Which shards hold large values, and how many bytes of them.

use crate::rocks::error::engine_error;
use crate::rocks::layout::{own_key, own_range};
use crate::{Error, ShardId};
use parking_lot::Mutex;
use rocksdb::{DB, ReadOptions, WriteBatch};
use std::collections::HashMap;

/// The kind byte of these keys.
const SHARDS: u8 = 0x02;

/// Bytes stored for the large values of each shard that ever had one. A commit to any other shard need not look whether
/// it puts something over one.
#[derive(Debug)]
pub(in crate::rocks) struct LargeShards {
    bytes: Mutex<HashMap<ShardId, u64>>,
}

impl LargeShards {
    pub(super) fn load(db: &DB) -> Result<LargeShards, Error> {
        let (low, high) = own_range(SHARDS);
        let mut options = ReadOptions::default();
        options.set_iterate_range(low..high);
        let mut bytes = HashMap::new();
        let mut entries = db.raw_iterator_opt(options);
        entries.seek_to_first();
        while let Some((key, value)) = entries.item() {
            let (Some(shard), Ok(stored)) = (key.last_chunk(), value.try_into()) else {
                return Err(Error::Corrupt("an entry of a shard with large values".to_owned()));
            };
            bytes.insert(ShardId(u64::from_be_bytes(*shard)), u64::from_be_bytes(stored));
            entries.next();
        }
        entries
            .status()
            .map_err(engine_error("reading which shards have large values"))?;
        Ok(LargeShards {
            bytes: Mutex::new(bytes),
        })
    }

    /// Bytes stored for the large values of a shard; `None` if it never had one.
    pub(in crate::rocks) fn bytes(&self, shard: ShardId) -> Option<u64> {
        self.bytes.lock().get(&shard).copied()
    }

    /// Puts the new number of bytes of a shard into a batch.
    pub(in crate::rocks) fn put(shard: ShardId, bytes: u64, batch: &mut WriteBatch) {
        batch.put(own_key(SHARDS, &shard.0.to_be_bytes()), bytes.to_be_bytes());
    }

    /// Notes what was written by [`LargeShards::put`].
    pub(in crate::rocks) fn note(&self, shard: ShardId, bytes: u64) {
        self.bytes.lock().insert(shard, bytes);
    }

    /// Removes a dropped shard.
    pub(in crate::rocks) fn delete(shard: ShardId, batch: &mut WriteBatch) {
        batch.delete(own_key(SHARDS, &shard.0.to_be_bytes()));
    }

    /// Notes what was written by [`LargeShards::delete`].
    pub(in crate::rocks) fn forget(&self, shard: ShardId) {
        self.bytes.lock().remove(&shard);
    }
}
