//! The catalog's shard.

use super::Namespace;
use crate::StoreError;
use kv::{Batch, CommitError, Durability, Head, Kv, ShardId};
use value::varint;

/// The shard of the catalog; collections have the numbers above.
pub(crate) const CATALOG_SHARD: ShardId = ShardId(0);

/// Entries: database, a zero byte and collection follow.
pub(crate) const ENTRY: u8 = 0x10;
/// Shards that are being dropped: the number follows.
pub(super) const DROPPED: u8 = 0x20;

/// The head of the catalog's shard. Its holder may change the catalog.
#[derive(Debug)]
pub(crate) struct Disk {
    sequence: u64,
    /// The number of the next shard. No number is used twice, so a new shard holds nothing old.
    next_shard: u64,
    /// Why the head cannot be read, if it cannot. Without it nothing is changed, since a new shard might get the number of another.
    damage: Option<String>,
}

impl Disk {
    /// Reads the head.
    pub(super) async fn open(kv: &Kv) -> Result<Disk, StoreError> {
        let first = CATALOG_SHARD.0 + 1;
        let (head, damage) = match kv.head(CATALOG_SHARD).await {
            Ok(head) => (head, None),
            Err(error) if error.is_damage() => (Head::default(), Some(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        let next_shard = varint::take(&mut &head.state[..]);
        let is_lost = next_shard.is_none() && head.sequence > 0;
        Ok(Disk {
            sequence: head.sequence,
            next_shard: next_shard.unwrap_or(first),
            damage: damage.or_else(|| is_lost.then(|| "the number of the next shard is lost".to_owned())),
        })
    }

    /// Why the head cannot be read, if it cannot.
    pub(super) fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// The number for a new shard. The next commit records that it is taken; without a commit, it may be returned again after a
    /// restart.
    pub(crate) fn new_shard(&mut self) -> ShardId {
        let shard = ShardId(self.next_shard);
        self.next_shard += 1;
        shard
    }

    /// Writes a change of the catalog and waits until it is flushed.
    pub(crate) async fn commit(&mut self, kv: &Kv, batch: Batch) -> Result<(), StoreError> {
        if let Some(what) = self.damage() {
            return Err(StoreError::Corrupt {
                namespace: "the catalog".to_owned(),
                what: format!("its head: {what}"),
            });
        }
        let mut state = Vec::new();
        varint::put(self.next_shard, &mut state);
        let head = Head {
            sequence: self.sequence + 1,
            state: state.into(),
        };
        match kv
            .commit(CATALOG_SHARD, self.sequence, head, batch, Durability::Flushed)
            .await
        {
            Ok(()) => {
                self.sequence += 1;
                Ok(())
            }
            // Another process has changed the catalog, so this one's copy in memory is stale.
            Err(CommitError::HeadMoved(_)) => Err(StoreError::Contention),
            // All readers see the change, and it will be on the disk as soon as there is room. Memory has to follow it: otherwise a
            // collection whose drop was reported as failed would stay in use and be gone after a restart, and no later change could be made.
            Err(CommitError::Engine(error @ kv::Error::DiskFullAtFlush { .. })) => {
                tracing::warn!(%error, "a change of collections was made, but is not flushed yet");
                self.sequence += 1;
                Ok(())
            }
            Err(CommitError::Engine(error)) => Err(error.into()),
        }
    }
}

/// The key of a collection's entry.
pub(crate) fn entry_key(namespace: &Namespace) -> Vec<u8> {
    [
        &[ENTRY],
        namespace.database.as_bytes(),
        &[0],
        namespace.collection.as_bytes(),
    ]
    .concat()
}

/// The collection's name out of its entry's key.
pub(crate) fn entry_namespace(key: &[u8]) -> Option<Namespace> {
    let (database, collection) = std::str::from_utf8(key.strip_prefix(&[ENTRY])?)
        .ok()?
        .split_once('\0')?;
    Some(Namespace::new(database, collection))
}

/// The key of the mark that a shard is being dropped.
pub(super) fn dropped_key(shard: ShardId) -> Vec<u8> {
    [&[DROPPED], shard.0.to_be_bytes().as_slice()].concat()
}

/// The shard out of such a key.
pub(super) fn dropped_shard(key: &[u8]) -> Option<ShardId> {
    Some(ShardId(u64::from_be_bytes(
        key.strip_prefix(&[DROPPED])?.try_into().ok()?,
    )))
}
