//! Counts and sizes as a batch changes them: in the shard's head, and of each partition.

use super::group::Group;
use crate::keys::id_of;
use crate::partition::{PartitionChange, PartitionStats, is_placed, partition_of};
use crate::{StoreError, keys};
use value::{DocumentBuf, ValueRef};

impl Group<'_> {
    /// Refuses the id of a document of a partitioned collection that names no partition.
    pub(super) fn check_partition(&self, id: ValueRef<'_>) -> Result<(), StoreError> {
        match self.partitions.is_none() || is_placed(id) {
            true => Ok(()),
            false => Err(StoreError::NoPartition),
        }
    }

    /// Counts a document that is added.
    pub(super) fn count_in(&mut self, document: &DocumentBuf) {
        self.count_bytes_in(id_of(document.as_raw()), document.bytes().len());
    }

    /// As [`Group::count_in`], by the document's id and size.
    pub(super) fn count_bytes_in(&mut self, id: ValueRef<'_>, bytes: usize) {
        self.state.count += 1;
        self.state.data_bytes += bytes as u64;
        self.change_partition(id, |change| {
            change.count += 1;
            change.data_bytes += bytes as i64;
        });
    }

    /// Counts a document that is removed.
    pub(super) fn count_out(&mut self, document: &DocumentBuf) {
        let bytes = document.bytes().len();
        self.state.count = self.state.count.saturating_sub(1);
        self.state.data_bytes = self.state.data_bytes.saturating_sub(bytes as u64);
        self.change_partition(id_of(document.as_raw()), |change| {
            change.count -= 1;
            change.data_bytes -= bytes as i64;
        });
    }

    /// Counts a tombstone that is added.
    pub(super) fn count_tombstone_in(&mut self, id: ValueRef<'_>) {
        self.state.tombstones += 1;
        self.change_partition(id, |change| change.deleted += 1);
    }

    /// Counts a tombstone that is removed.
    pub(super) fn count_tombstone_out(&mut self, id: ValueRef<'_>) {
        self.state.tombstones = self.state.tombstones.saturating_sub(1);
        self.change_partition(id, |change| change.deleted -= 1);
    }

    fn change_partition(&mut self, id: ValueRef<'_>, change: impl FnOnce(&mut PartitionChange)) {
        let Some(partitions) = &mut self.partitions else {
            return;
        };
        let Some(partition) = id.as_str().and_then(partition_of) else {
            return;
        };
        match partitions.get_mut(partition) {
            Some(known) => change(known),
            None => change(partitions.entry(partition.to_owned()).or_default()),
        }
    }

    /// Puts the counts of the changed partitions into the batch.
    pub(super) async fn put_partitions(&mut self) -> Result<(), StoreError> {
        let Some(mut changes) = self.partitions.take() else {
            return Ok(());
        };
        changes.retain(|_, change| *change != PartitionChange::default());
        let changed: Vec<Vec<u8>> = changes.keys().map(|name| keys::partition(name)).collect();
        let found = self.snapshot.get_many(&changed).await?;
        for ((key, bytes), change) in changed.iter().zip(found).zip(changes.into_values()) {
            let before = match bytes {
                None => PartitionStats::default(),
                Some(bytes) => PartitionStats::decode(&bytes)
                    .ok_or_else(|| self.corrupt("what is known of a partition"))?,
            };
            match before.after(change) {
                nothing if nothing == PartitionStats::default() => self.batch.delete(key),
                after => self.batch.put(key, &after.encode()),
            }
        }
        Ok(())
    }
}
