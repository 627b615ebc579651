//! Writing: checking a commit against the head, and writing it to the log.

use super::archive::{ArchiveEntry, Made};
use super::database::Database;
use super::error::engine_error;
use super::flusher::Ticket;
use super::large::{LargeShards, Places};
use super::layout::{ShardKeys, decode_head, encode_head};
use super::options;
use crate::batch::Change;
use crate::{Batch, CommitError, Error, Head, ShardId};
use bytes::Bytes;
use rocksdb::{ErrorKind, Range, WriteBatch, WriteOptions};
use std::sync::atomic::Ordering;

/// A batch up to this size is written on the caller's own thread; a larger one would keep an async thread too
/// long.
const INLINE_BYTES_MAX: usize = 64 << 10;

/// A dropped shard of up to this many entries is deleted entry by entry, since a range delete slows down every later
/// reader.
const POINT_DELETES_MAX: usize = 1024;

/// The space of a shard that was dropped is worth freeing if it has at least this many bytes in tables.
const DROPPED_BYTES_MIN: u64 = 64 << 10;

/// The bytes that an entry takes in the engine's batch besides key and value.
const ENTRY_OVERHEAD_BYTES: usize = 24;

/// All of a commit but its durability.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) shard: ShardId,
    pub(super) expected: u64,
    pub(super) head: Head,
    pub(super) batch: Batch,
}

impl Database {
    /// The shard's head, from memory if it was read before.
    pub(super) fn head(&self, shard: ShardId) -> Result<Head, Error> {
        self.load_head(shard, &mut self.heads.slot(shard).lock())
    }

    /// Writes the commit if that needs no waiting for a lock, a stalled engine or much copying; otherwise returns
    /// `None`, and nothing is written. Meant for async threads.
    pub(super) fn try_commit(&self, commit: &Commit) -> Result<Option<Ticket>, CommitError> {
        if commit.batch.size_bytes() > INLINE_BYTES_MAX || self.concerns_large(commit.shard, &commit.batch) {
            return Ok(None);
        }
        let slot = self.heads.slot(commit.shard);
        let Some(mut head) = slot.try_lock() else {
            return Ok(None);
        };
        self.commit_locked(
            commit,
            &Places::default(),
            &mut head,
            &options::write_unless_stalled(),
        )
    }

    /// Writes the commit, however long it takes. Blocks.
    pub(super) fn commit(&self, commit: &Commit) -> Result<Ticket, CommitError> {
        // Large values are on the disk before the shard's lock is taken: other commits do not wait for their flush, and
        // no commit that survives a crash names a value that did not.
        let placed = self.place(&commit.batch)?;
        let slot = self.heads.slot(commit.shard);
        let mut head = slot.lock();
        let ticket = self
            .commit_locked(commit, &placed, &mut head, &options::write())
            // A write that failed may be in the log all the same. It has poisoned the store, and a poisoned store frees
            // no extent, so nothing that such a write names is lost. One for which there was no room is not there.
            .inspect_err(|_| self.give_up(&placed))?;
        // A write that may wait is made or fails; it never returns without a ticket.
        ticket.ok_or_else(|| self.poison.set("a write was not made").into())
    }

    /// Removes all of a shard. Returns whether its space has to be freed by [`Database::free_dropped`]. Blocks.
    pub(super) fn drop_shard(&self, shard: ShardId) -> Result<(Ticket, bool), Error> {
        let slot = self.heads.slot(shard);
        let (ticket, is_freed) = {
            let mut head = slot.lock();
            let had_large_values = self.empty_of_large(shard)?;
            let (mut batch, is_freed) = self.deletes_of(&ShardKeys::new(shard));
            if had_large_values {
                LargeShards::delete(shard, &mut batch);
            }
            let noted = self.archive.note_drop(shard);
            let ticket = self
                .write(batch, &options::write())
                .inspect_err(|_| self.archive.undo(noted))?;
            self.large.shards.forget(shard);
            *head = Some(Head::default());
            (ticket, is_freed)
        };
        self.heads.forget(shard, slot);
        // As in `commit`: a write that may wait is made or fails.
        let ticket = ticket.ok_or_else(|| self.poison.set("a delete was not made"))?;
        Ok((ticket, is_freed))
    }

    /// Frees the space of a shard in the background, once its removal is flushed. Before that, the snapshot of the last flush still has
    /// all of the shard, and a merge would write everything again, for which a full disk has no room.
    pub(super) fn free_dropped(&self, shard: ShardId) {
        self.compactor.add(ShardKeys::new(shard).all());
    }

    fn commit_locked(
        &self,
        commit: &Commit,
        placed: &Places,
        present: &mut Option<Head>,
        options: &WriteOptions,
    ) -> Result<Option<Ticket>, CommitError> {
        let head = self.load_head(commit.shard, present)?;
        if head.sequence != commit.expected {
            // After a failed flush the snapshot stays behind the head for ever, so trying again would not help.
            self.poison.check()?;
            return Err(CommitError::HeadMoved(head));
        }
        let mut encoded = commit.encode(placed)?;
        let change = self.change_large(commit.shard, &commit.batch, placed, &mut encoded)?;
        if self.space.check().is_err() {
            self.archive.give_up("the disk is nearly full");
        }
        let made = Made {
            shard: commit.shard,
            expected: commit.expected,
            head: &commit.head,
            size_bytes: commit.batch.size_bytes() + commit.batch.len() * ENTRY_OVERHEAD_BYTES,
        };
        let noted = self.archive.note_commit(&made, || commit.archived());
        let written = self.write(encoded, options);
        if !matches!(written, Ok(Some(_))) {
            self.archive.undo(noted);
        }
        let ticket = written?;
        if ticket.is_some() {
            *present = Some(commit.head.clone());
            self.note_large(commit.shard, change);
            placed.set_named();
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
        Ok(ticket)
    }

    /// Writes a batch. All writes of keys and heads go through here, and a failure other than a full disk poisons the store. `None`,
    /// and nothing is written, if the write would have to wait and `options` forbid it.
    pub(super) fn write(&self, batch: WriteBatch, options: &WriteOptions) -> Result<Option<Ticket>, Error> {
        self.poison.check()?;
        match self.db.write_opt(batch, options) {
            Ok(()) => Ok(Some(self.flusher.wrote())),
            Err(error) if error.kind() == ErrorKind::Incomplete => Ok(None),
            Err(error) => Err(self.durable.write_failed(error)),
        }
    }

    fn load_head(&self, shard: ShardId, present: &mut Option<Head>) -> Result<Head, Error> {
        if let Some(head) = present {
            return Ok(head.clone());
        }
        let stored = self
            .db
            .get_pinned(ShardKeys::new(shard).head())
            .map_err(engine_error("reading a head"))?;
        let head = stored.map_or_else(|| Ok(Head::default()), |bytes| decode_head(&bytes))?;
        *present = Some(head.clone());
        Ok(head)
    }

    /// The deletes of everything in a shard, and whether there is space to free after them.
    fn deletes_of(&self, keys: &ShardKeys) -> (WriteBatch, bool) {
        let (low, high) = keys.all();
        let mut batch = WriteBatch::new();
        let mut read = rocksdb::ReadOptions::default();
        read.set_iterate_range(low.clone()..high.clone());
        let mut entries = self.db.raw_iterator_opt(read);
        entries.seek(&low);
        while let Some(key) = entries.key() {
            if batch.len() == POINT_DELETES_MAX {
                break;
            }
            batch.delete(key);
            entries.next();
        }
        let (is_long, failed) = (entries.valid(), entries.status().err());
        // Entries that cannot be read are deleted all the same, as a range.
        if is_long || failed.is_some() {
            batch.clear();
            batch.delete_range(&low, &high);
        }
        // A shard that an interrupted drop deleted before still has entries in the tables.
        let is_in_tables = || {
            let sizes = self.db.get_approximate_sizes(&[Range::new(&low, &high)]);
            sizes.iter().sum::<u64>() >= DROPPED_BYTES_MIN
        };
        let is_freed = match failed {
            None => is_long || (batch.is_empty() && is_in_tables()),
            // A merge that cannot read something ends all writes of the engine, so none is requested.
            Some(error) => {
                tracing::warn!(
                    %error,
                    "the space of a dropped shard, which cannot be read to its end, is freed when its tables are merged"
                );
                false
            }
        };
        (batch, is_freed)
    }
}

impl Commit {
    /// The entries in the form for the archive, with large values as a whole.
    fn archived(&self) -> impl Iterator<Item = Result<ArchiveEntry<'_>, Error>> {
        self.batch.sorted().map(|(key, change)| {
            Ok(match change {
                Change::Put(value) => (key, Some((value, Bytes::new()))),
                Change::PutPlaced(head, placed) => (key, Some((head, placed.read()?))),
                Change::Delete => (key, None),
            })
        })
    }

    /// The engine's batch: the head, then the entries ordered by key.
    fn encode(&self, placed: &Places) -> Result<WriteBatch, Error> {
        let keys = ShardKeys::new(self.shard);
        let bytes = self.batch.size_bytes().saturating_sub(placed.value_bytes());
        let capacity = bytes + (self.batch.len() + 2) * ENTRY_OVERHEAD_BYTES;
        let mut encoded = WriteBatch::with_capacity_bytes(capacity);
        encoded.put(keys.head(), encode_head(&self.head));
        let mut buffer = Vec::new();
        for (key, change) in self.batch.sorted() {
            keys.key_into(key, &mut buffer);
            match change {
                Change::Put(value) => match placed.get(key) {
                    Some(pointer) => encoded.put(&buffer, pointer.encode()),
                    None => encoded.put(&buffer, value),
                },
                Change::PutPlaced(head, value) => {
                    let pointer = value.on_disk()?.pointer().encode();
                    encoded.put(&buffer, [&pointer, head].concat());
                }
                Change::Delete => encoded.delete(&buffer),
            }
        }
        Ok(encoded)
    }
}
