//! One store opened on a simulated disk, and its snapshots.

use super::Simulation;
use super::disk::{Change, Disk, DiskEntry, Shard};
use crate::page::PageBuilder;
use crate::rocks::LARGE_VALUE_BYTES_MIN;
use crate::{
    Batch, CommitError, Durability, EngineStats, Error, Head, KeyRange, Order, Page, PageLimit, ShardId,
    batch,
};
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::ops::Bound;
use std::sync::Arc;

/// See [`crate::Kv::simulated`].
#[derive(Debug)]
pub(crate) struct Engine {
    disk: Arc<Mutex<Disk>>,
    generation: u64,
}

/// See [`crate::Moment`].
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    shards: Arc<HashMap<ShardId, Shard>>,
}

impl Moment {
    pub(crate) fn snapshot(&self, shard: ShardId) -> Snapshot {
        Snapshot {
            shard: self.shards.get(&shard).cloned().unwrap_or_default(),
        }
    }
}

/// See [`crate::Snapshot`].
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    shard: Shard,
}

impl Engine {
    pub(crate) fn open(simulation: &Simulation) -> Engine {
        let disk = simulation.disk.clone();
        let generation = disk.lock().open();
        Engine { disk, generation }
    }

    pub(crate) fn check_room(&self) -> Result<(), Error> {
        match self.disk()?.is_low {
            true => Err(Error::DiskLow {
                free_bytes: 0,
                reserve_bytes: 1,
            }),
            false => Ok(()),
        }
    }

    pub(crate) fn check_open(&self) -> Result<(), Error> {
        self.disk().map(drop)
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.disk().is_ok_and(|disk| !disk.poison.is_set())
    }

    pub(crate) fn head(&self, shard: ShardId) -> Result<Head, Error> {
        Ok(self.shard(shard)?.head)
    }

    pub(crate) fn commit(
        &self,
        shard: ShardId,
        expected: u64,
        head: Head,
        batch: Batch,
        durability: Durability,
    ) -> Result<(), CommitError> {
        let mut disk = self.disk()?;
        let present = disk
            .present
            .get(&shard)
            .map(|shard| shard.head.clone())
            .unwrap_or_default();
        if present.sequence != expected {
            return Err(CommitError::HeadMoved(present));
        }
        disk.write(Change::Commit(shard, head, entries(&batch)?))?;
        disk.commits += 1;
        match durability {
            Durability::Flushed => Ok(disk.flush()?),
            Durability::Soon => Ok(()),
        }
    }

    /// As the embedded engine does, only values of its size.
    pub(crate) fn place(&self, value: &[u8]) -> Result<Option<Bytes>, Error> {
        self.check_open()?;
        Ok((value.len() >= LARGE_VALUE_BYTES_MIN).then(|| Bytes::copy_from_slice(value)))
    }

    pub(crate) fn moment(&self) -> Result<Moment, Error> {
        Ok(Moment {
            shards: Arc::new(self.disk()?.present.clone()),
        })
    }

    pub(crate) fn durable_moment(&self) -> Result<Moment, Error> {
        let mut disk = self.disk()?;
        // Where it fails, what was flushed before stays.
        let _ = disk.flush();
        Ok(Moment {
            shards: Arc::new(disk.flushed().clone()),
        })
    }

    pub(crate) fn snapshot(&self, shard: ShardId) -> Result<Snapshot, Error> {
        Ok(Snapshot {
            shard: self.shard(shard)?,
        })
    }

    pub(crate) fn drop_shard(&self, shard: ShardId) -> Result<(), Error> {
        let mut disk = self.disk()?;
        disk.write(Change::Drop(shard))?;
        disk.flush()
    }

    pub(crate) fn flush(&self) -> Result<(), Error> {
        self.disk()?.flush()
    }

    pub(crate) fn disk_bytes(&self, shard: ShardId, range: &KeyRange) -> Result<u64, Error> {
        let shard = self.shard(shard)?;
        Ok(within(&shard, range)
            .map(|(key, value)| (key.len() + value.len()) as u64)
            .sum())
    }

    pub(crate) fn stats(&self) -> EngineStats {
        let Ok(disk) = self.disk() else {
            return EngineStats::default();
        };
        EngineStats {
            flushes: disk.flushes,
            commits: disk.commits,
            ..EngineStats::default()
        }
    }

    pub(crate) fn close(&self) -> Result<(), Error> {
        let Ok(mut disk) = self.disk() else { return Ok(()) };
        let flushed = disk.flush();
        match flushed {
            Ok(()) => disk.close(),
            // What could not be flushed may be lost, as by a crash.
            Err(_) => disk.crash(),
        }
        flushed
    }

    fn disk(&self) -> Result<MutexGuard<'_, Disk>, Error> {
        let disk = self.disk.lock();
        disk.check(self.generation)?;
        Ok(disk)
    }

    fn shard(&self, shard: ShardId) -> Result<Shard, Error> {
        Ok(self.disk()?.present.get(&shard).cloned().unwrap_or_default())
    }
}

impl Snapshot {
    pub(crate) fn head(&self) -> Result<Head, Error> {
        Ok(self.shard.head.clone())
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        Ok(self.shard.entries.get(key).cloned())
    }

    pub(crate) fn get_many_within(
        &self,
        keys: &[Vec<u8>],
        bytes: usize,
    ) -> Result<Vec<Option<Bytes>>, Error> {
        let mut read = 0;
        let mut found = Vec::new();
        for key in keys {
            let value = self.get(key)?;
            read += value.as_ref().map_or(0, Bytes::len);
            found.push(value);
            if read >= bytes {
                break;
            }
        }
        Ok(found)
    }

    pub(crate) fn page(&self, range: &KeyRange, order: Order, limit: PageLimit) -> Result<Page, Error> {
        let entries = within(&self.shard, range);
        Ok(match order {
            Order::Forward => fill(entries, limit),
            Order::Backward => fill(entries.rev(), limit),
        })
    }
}

/// What a batch does, in its order.
fn entries(batch: &Batch) -> Result<Vec<DiskEntry>, Error> {
    let entry = |(key, change): (&[u8], batch::Change<'_>)| {
        let value = match change {
            batch::Change::Put(value) => Some(Bytes::copy_from_slice(value)),
            batch::Change::PutPlaced(head, placed) => Some([head, &placed.read()?].concat().into()),
            batch::Change::Delete => None,
        };
        Ok((key.to_vec(), value))
    };
    batch.iter().map(entry).collect()
}

fn fill<'a>(entries: impl Iterator<Item = (&'a Vec<u8>, &'a Bytes)>, limit: PageLimit) -> Page {
    let mut page = PageBuilder::new(limit);
    for (key, value) in entries {
        if !page.push(key, value) {
            return page.into_page();
        }
    }
    page.into_last_page()
}

/// The entries in a range.
fn within<'a>(
    shard: &'a Shard,
    range: &'a KeyRange,
) -> impl DoubleEndedIterator<Item = (&'a Vec<u8>, &'a Bytes)> {
    let entries = (!is_empty(range)).then(|| shard.entries.range((range.low.clone(), range.high.clone())));
    entries.into_iter().flatten()
}

/// Whether no key can lie in the range; the map panics where the bounds are the wrong way round.
fn is_empty(range: &KeyRange) -> bool {
    match (&range.low, &range.high) {
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high))
        | (Bound::Excluded(low), Bound::Included(high)) => low >= high,
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
    }
}
