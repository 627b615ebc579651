//! Reading and writing whole shards.

use crate::collection::{describe, is_sealed};
use crate::seal::unseal;
use crate::state::ShardState;
use crate::{KeyRange, PageLimit, Record, StoreError, keys};
use bytes::Bytes;
use kv::{Batch, CommitError, Durability, Head, Kv, Salvage, ShardId, Snapshot};
use std::ops::Bound;

/// The entries of a small shard, and what cannot be read.
pub(super) struct ShardEntries {
    pub(super) entries: Vec<(Vec<u8>, Bytes)>,
    pub(super) lost: Vec<String>,
}

/// What was found in a collection's shard.
#[derive(Default)]
pub(super) struct ShardFindings {
    /// The state in its head; `None` if that cannot be read.
    pub(super) state: Option<ShardState>,
    /// A number that no change in it exceeds.
    pub(super) sequence: u64,
    /// What cannot be read.
    pub(super) lost: Vec<String>,
}

/// Reads a shard page by page, and skips what cannot be read.
pub(super) struct Walk {
    snapshot: Snapshot,
    /// Where the next page begins; `None` after the last one.
    low: Option<Bound<Vec<u8>>>,
}

impl Walk {
    pub(super) async fn of(kv: &Kv, shard: ShardId) -> Result<Walk, StoreError> {
        Ok(Walk {
            snapshot: kv.snapshot(shard).await?,
            low: Some(Bound::Unbounded),
        })
    }

    /// The next page; `None` after the last. Even an empty shard has a first page.
    pub(super) async fn page(&mut self) -> Result<Option<Salvage>, StoreError> {
        let Some(low) = self.low.take() else {
            return Ok(None);
        };
        let range = KeyRange {
            low,
            high: Bound::Unbounded,
        };
        let read = self.snapshot.salvage(&range, PageLimit::default()).await?;
        self.low = read.next.clone().map(Bound::Included);
        Ok(Some(read))
    }
}

/// Reads a shard to its end, and calls `take` with everything that can be read. Returns what cannot be read.
pub(super) async fn for_each(
    kv: &Kv,
    shard: ShardId,
    mut take: impl FnMut(&[u8], Bytes) -> Result<(), StoreError>,
) -> Result<Vec<String>, StoreError> {
    let (mut walk, mut lost) = (Walk::of(kv, shard).await?, Vec::new());
    while let Some(read) = walk.page().await? {
        lost.extend(read.unreadable.iter().map(describe));
        for at in 0..read.page.len() {
            take(read.page.key(at), read.page.value_bytes(at))?;
        }
    }
    Ok(lost)
}

/// Reads all of a small shard.
pub(super) async fn read(kv: &Kv, shard: ShardId) -> Result<ShardEntries, StoreError> {
    let mut entries = Vec::new();
    let lost = for_each(kv, shard, |key, value| {
        entries.push((key.to_vec(), value));
        Ok(())
    });
    let lost = lost.await?;
    Ok(ShardEntries { entries, lost })
}

/// Checks a collection's shard.
pub(super) async fn look(kv: &Kv, shard: ShardId) -> Result<ShardFindings, StoreError> {
    let (mut faults, mut sequence) = (Vec::new(), 0);
    let mut lost = for_each(kv, shard, |key, value| {
        if !is_intact(key, &value) {
            faults.push(format!("what is kept at {key:02x?} fails its checksum"));
        }
        let number = keys::record_id(key)
            .map(|id| id.0)
            .or_else(|| keys::log_sequence(key));
        sequence = sequence.max(number.unwrap_or(0));
        Ok(())
    })
    .await?;
    lost.append(&mut faults);
    let head = kv.head(shard).await;
    let state = head
        .as_ref()
        .ok()
        .and_then(|head| ShardState::decode(&head.state));
    if state.is_none() {
        lost.push("the counts of the collection cannot be read".to_owned());
    }
    Ok(ShardFindings {
        state,
        sequence: sequence.max(head.map_or(0, |head| head.sequence)),
        lost,
    })
}

/// Whether every derived page can be read.
pub(super) async fn is_whole(kv: &Kv, shard: ShardId) -> Result<bool, StoreError> {
    let mut is_whole = kv.head(shard).await.is_ok();
    let lost = for_each(kv, shard, |_, value| {
        is_whole &= unseal(&value).is_some();
        Ok(())
    });
    Ok(lost.await?.is_empty() && is_whole)
}

/// Whether an entry of a collection agrees with its own checksum.
pub(super) fn is_intact(key: &[u8], value: &Bytes) -> bool {
    match keys::record_id(key) {
        Some(id) => Record::decode(id, value).is_ok(),
        None => !is_sealed(key) || unseal(value).is_some(),
    }
}

/// Copies a shard as it is.
pub(super) async fn copy(from: &Kv, to: &Kv, shard: ShardId) -> Result<(), StoreError> {
    let (head, mut walk) = (from.head(shard).await?, Walk::of(from, shard).await?);
    let mut expected = 0;
    while let Some(read) = walk.page().await? {
        let mut batch = Batch::new();
        read.page.iter().for_each(|(key, value)| batch.put(key, value));
        expected = write(to, shard, expected, head.clone(), batch, Durability::Soon).await?;
    }
    Ok(())
}

/// Writes a part of a shard. Returns the head that the next write must expect.
pub(super) async fn write(
    to: &Kv,
    shard: ShardId,
    expected: u64,
    head: Head,
    batch: Batch,
    durability: Durability,
) -> Result<u64, StoreError> {
    let sequence = head.sequence;
    match to.commit(shard, expected, head, batch, durability).await {
        Ok(()) => Ok(sequence),
        Err(CommitError::HeadMoved(_)) => Err(StoreError::Contention),
        Err(CommitError::Engine(error)) => Err(error.into()),
    }
}
