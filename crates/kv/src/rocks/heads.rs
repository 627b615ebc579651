//! The present heads of the shards in memory, each behind the lock that commits to its shard take.

use crate::{Head, ShardId};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// A shard's head; `None` until it was first read from disk.
pub(super) type HeadSlot = Arc<Mutex<Option<Head>>>;

/// One slot for each shard that was used since the start.
#[derive(Debug, Default)]
pub(super) struct Heads {
    slots: Mutex<HashMap<ShardId, HeadSlot>>,
}

impl Heads {
    /// The slot of a shard. The holder of its lock is the shard's only writer in this process.
    pub(super) fn slot(&self, shard: ShardId) -> HeadSlot {
        self.slots.lock().entry(shard).or_default().clone()
    }

    /// Forgets a dropped shard, unless its slot is in use. A second slot for the same shard would let two commits write
    /// at once. The count is read under the lock of the map, where alone a slot is cloned, so it cannot rise meanwhile.
    pub(super) fn forget(&self, shard: ShardId, slot: HeadSlot) {
        let mut slots = self.slots.lock();
        drop(slot);
        if slots.get(&shard).is_some_and(|kept| Arc::strong_count(kept) == 1) {
            slots.remove(&shard);
        }
    }
}
