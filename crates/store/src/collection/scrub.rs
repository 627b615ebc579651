//! Reading all of a collection, a little at a time, to find damage while there are still backups without it.

use super::validate::damage;
use crate::seal::unseal;
use crate::{Collection, KeyRange, PageLimit, Record, StoreError, keys};
use kv::{Salvage, ShardId};
use std::ops::Bound;

/// Where a reader is in a collection: the number of derived shards that it has read, and the next key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScrubPosition {
    derived: usize,
    key: Option<Vec<u8>>,
}

/// What was read of a collection.
#[derive(Clone, Debug, Default)]
pub struct Scrubbed {
    /// Bytes of keys and values.
    pub bytes: u64,
    /// What is damaged.
    pub findings: Vec<String>,
    /// Where to continue; `None` at the end.
    pub next: Option<ScrubPosition>,
}

impl Collection {
    /// Reads on from a position, up to about this many bytes: every entry of records, indexes, logs and derived pages, and
    /// every checksum.
    pub async fn scrub(&self, position: &ScrubPosition, bytes_max: usize) -> Result<Scrubbed, StoreError> {
        if let Some(what) = self.damage() {
            return Ok(Scrubbed {
                findings: vec![what.to_owned()],
                ..Scrubbed::default()
            });
        }
        let limit = PageLimit {
            entries: usize::MAX,
            bytes: bytes_max,
        };
        let range = KeyRange {
            low: position.key.clone().map_or(Bound::Unbounded, Bound::Included),
            high: Bound::Unbounded,
        };
        let derived = self.derived();
        let shard = match position.derived.checked_sub(1) {
            None => self.shard,
            Some(at) => match derived.get(at) {
                Some(derived) => derived.shard,
                None => return Ok(Scrubbed::default()),
            },
        };
        let read = self.read_shard(shard, &range, limit).await?;
        let mut scrubbed = Scrubbed {
            findings: read.unreadable.iter().map(damage::describe).collect(),
            ..Scrubbed::default()
        };
        for at in 0..read.page.len() {
            let (key, value) = (read.page.key(at), read.page.value(at));
            scrubbed.bytes += (key.len() + value.len()) as u64;
            let is_whole = match keys::record_id(key) {
                // Pages of views are sealed, and have keys as records do.
                _ if position.derived > 0 => unseal(value).is_some(),
                Some(id) => Record::decode(id, &read.page.value_bytes(at)).is_ok(),
                None => !damage::is_sealed(key) || unseal(value).is_some(),
            };
            if !is_whole {
                scrubbed
                    .findings
                    .push(format!("what is kept at {key:02x?} fails its checksum"));
            }
        }
        scrubbed.next = match read.next {
            Some(key) => Some(ScrubPosition {
                derived: position.derived,
                key: Some(key),
            }),
            None => (position.derived < derived.len()).then_some(ScrubPosition {
                derived: position.derived + 1,
                key: None,
            }),
        };
        Ok(scrubbed)
    }

    async fn read_shard(
        &self,
        shard: ShardId,
        range: &KeyRange,
        limit: PageLimit,
    ) -> Result<Salvage, StoreError> {
        let snapshot = self.kv.snapshot(shard).await?;
        Ok(snapshot.salvage(range, limit).await?)
    }
}
