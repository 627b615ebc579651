//! Large values in a commit: written before it, freed after it.

use super::pointer::{Extent, Pointer};
use super::reclaim::{delete_free, put_free};
use super::{LargeShards, LargeValues, PlacedValue};
use crate::rocks::database::Database;
use crate::rocks::error::engine_error;
use crate::rocks::layout::ShardKeys;
use crate::rocks::options;
use crate::{Batch, Error, ShardId, batch};
use rocksdb::WriteBatch;

/// The large values of a dropped shard that are removed in one write.
const DROPPED_TOGETHER_MAX: usize = 1024;

/// Where the large values of a batch are on the disk.
#[derive(Debug, Default)]
pub(in crate::rocks) struct Places {
    /// Those that were written for this commit, in the order of their keys.
    own: Vec<(Vec<u8>, Pointer)>,
    /// Those that were written ahead and that the commit names.
    ahead: Vec<PlacedValue>,
}

/// The changes that a commit makes to the large values of its shard.
#[derive(Debug, Default)]
pub(in crate::rocks) struct Change {
    /// The extents that it no longer names.
    pub(in crate::rocks) freed: Vec<Extent>,
    /// Bytes of large values in the shard after the commit; `None` if it never had any.
    pub(in crate::rocks) bytes: Option<u64>,
}

impl Places {
    /// The pointer that takes the place of a value of the batch itself, by its key.
    pub(in crate::rocks) fn get(&self, key: &[u8]) -> Option<&Pointer> {
        let at = self
            .own
            .binary_search_by(|(placed, _)| placed.as_slice().cmp(key));
        at.ok().map(|at| &self.own[at].1)
    }

    /// Bytes of the values that are in the batch themselves.
    pub(in crate::rocks) fn value_bytes(&self) -> usize {
        let own = self.own.iter();
        own.map(|(_, pointer)| pointer.value_bytes as usize).sum()
    }

    /// Notes that the commit was made, which names them all.
    pub(in crate::rocks) fn set_named(&self) {
        self.ahead.iter().for_each(PlacedValue::set_named);
    }

    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.ahead.is_empty()
    }

    fn extents(&self) -> impl Iterator<Item = &Extent> {
        let own = self.own.iter().map(|(_, pointer)| pointer);
        let all = own.chain(self.ahead.iter().map(PlacedValue::pointer));
        all.map(|pointer| &pointer.extent)
    }
}

impl Database {
    /// Whether a commit puts a large value, or may replace one.
    pub(in crate::rocks) fn concerns_large(&self, shard: ShardId, batch: &Batch) -> bool {
        self.large.shards.bytes(shard).is_some()
            || batch.iter().any(|(_, change)| match change {
                batch::Change::Put(value) => LargeValues::takes(value),
                batch::Change::PutPlaced(..) => true,
                batch::Change::Delete => false,
            })
    }

    /// Writes and flushes the large values of a batch. Until it is committed their places count as free.
    pub(in crate::rocks) fn place(&self, batch: &Batch) -> Result<Places, Error> {
        let (mut places, mut large) = (Places::default(), Vec::new());
        for (key, change) in batch.sorted() {
            match change {
                batch::Change::Put(value) if LargeValues::takes(value) => large.push((key, value)),
                batch::Change::PutPlaced(_, placed) => {
                    let placed = placed.on_disk()?;
                    // Usually the first flush serves all.
                    placed.flush().map_err(|error| self.not_flushed(&error))?;
                    places.ahead.push(placed.clone());
                }
                batch::Change::Put(_) | batch::Change::Delete => {}
            }
        }
        if large.is_empty() {
            return Ok(places);
        }
        self.poison.check()?;
        let values: Vec<&[u8]> = large.iter().map(|(_, value)| *value).collect();
        let written = self
            .large
            .files
            .write(&values, None, |pointers| self.reserve(pointers));
        let written = written.map_err(|error| self.not_written(error))?;
        let flushed = written.file.flush(written.last);
        flushed.map_err(|error| self.not_flushed(&error))?;
        let keys = large.iter().map(|(key, _)| key.to_vec());
        places.own = keys.zip(written.pointers).collect();
        Ok(places)
    }

    /// Gives up what was written for a commit that was not made; what was written ahead may be in the next one.
    pub(in crate::rocks) fn give_up(&self, placed: &Places) {
        let extents = placed.own.iter().map(|(_, pointer)| pointer.extent).collect();
        self.large
            .reclaimer
            .free(extents, self.db.latest_sequence_number());
    }

    /// Adds to the engine's batch what a commit does to the large values of its shard, whose lock the caller holds.
    pub(in crate::rocks) fn change_large(
        &self,
        shard: ShardId,
        batch: &Batch,
        placed: &Places,
        encoded: &mut WriteBatch,
    ) -> Result<Change, Error> {
        let mut change = Change {
            freed: Vec::new(),
            bytes: self.large.shards.bytes(shard),
        };
        // Each key is looked up, since what it replaces may be a pointer. Only shards that ever had a large value pay
        // for that.
        if change.bytes.is_some() {
            let keys = ShardKeys::new(shard);
            let mut buffer = Vec::new();
            for (key, _) in batch.sorted() {
                keys.key_into(key, &mut buffer);
                let present = self.db.get_pinned(&buffer);
                let present = present.map_err(engine_error("reading what a commit puts over"))?;
                if let Some(present) = present
                    && let Some((pointer, _)) = Pointer::decode(&present)?
                {
                    change.freed.push(pointer.extent);
                }
            }
        } else if placed.is_empty() {
            return Ok(change);
        }
        let before = change.bytes.unwrap_or(0);
        let stored = |extents: &mut dyn Iterator<Item = &Extent>| -> u64 {
            extents.map(|extent| u64::from(extent.stored_bytes)).sum()
        };
        let after = before.saturating_sub(stored(&mut change.freed.iter())) + stored(&mut placed.extents());
        for extent in placed.extents() {
            delete_free(extent, encoded);
        }
        for extent in &change.freed {
            put_free(extent, encoded);
        }
        if change.bytes != Some(after) {
            LargeShards::put(shard, after, encoded);
        }
        change.bytes = Some(after);
        Ok(change)
    }

    /// Removes the large values of a dropped shard, whose lock the caller holds, some at a time. Returns false if it never had any.
    /// After a crash the rest of the shard is dropped again at the next start. The space of pointers that cannot be read is not
    /// freed.
    pub(in crate::rocks) fn empty_of_large(&self, shard: ShardId) -> Result<bool, Error> {
        if self.large.shards.bytes(shard).is_none() {
            return Ok(false);
        }
        let (mut low, high) = ShardKeys::new(shard).all();
        loop {
            let mut read = rocksdb::ReadOptions::default();
            read.set_iterate_range(low.clone()..high.clone());
            let (mut batch, mut freed) = (WriteBatch::new(), Vec::new());
            let mut entries = self.db.raw_iterator_opt(read);
            entries.seek_to_first();
            while let Some((key, value)) = entries.item()
                && freed.len() < DROPPED_TOGETHER_MAX
            {
                if let Ok(Some((pointer, _))) = Pointer::decode(value) {
                    batch.delete(key);
                    put_free(&pointer.extent, &mut batch);
                    freed.push(pointer.extent);
                    low = [key, &[0]].concat();
                }
                entries.next();
            }
            if let Err(error) = entries.status() {
                tracing::warn!(
                    %error,
                    shard = shard.0,
                    "the space of large values is not freed: their shard cannot be read to its end"
                );
            }
            if freed.is_empty() {
                return Ok(true);
            }
            self.write(batch, &options::write())?;
            self.large.reclaimer.free(freed, self.db.latest_sequence_number());
        }
    }

    /// Notes a change that has been written, and frees what it no longer names.
    pub(in crate::rocks) fn note_large(&self, shard: ShardId, change: Change) {
        if let Some(bytes) = change.bytes {
            self.large.shards.note(shard, bytes);
        }
        self.large
            .reclaimer
            .free(change.freed, self.db.latest_sequence_number());
    }
}
