//! Partitions: the documents of a collection grouped by the part of their ids before the first colon.
//!
//! The rule is CouchDB's (`src/couch/src/couch_partition.erl`); design documents belong to no partition. The counts and
//! sizes of each partition are kept, and written by the commits that change them, so that they are known without reading
//! the partition.

use crate::seal::{seal, unseal};
use value::{ValueRef, varint};

/// What stands between the partition and the rest of an id.
pub const PARTITION_END: char = ':';
/// The next byte after the separator: a name with it sorts after all ids of the partition.
pub const PARTITION_BEHIND: char = ';';

/// The prefix of the ids of design documents.
const DESIGN: &str = "_design/";

/// Whether this is the id of a design document.
pub(crate) fn is_design(id: &str) -> bool {
    id.starts_with(DESIGN)
}

/// The partition that an id names; `None` if it names none, as ids of design documents do.
pub fn partition_of(id: &str) -> Option<&str> {
    if is_design(id) {
        return None;
    }
    id.split_once(PARTITION_END).map(|(partition, _)| partition)
}

/// Appends the prefix of the keys of one partition: its name and a colon. No name has a colon, so they are one range.
pub fn put_partition(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.push(PARTITION_END as u8);
}

/// Whether a document with this `_id` may be in a partitioned collection.
pub(crate) fn is_placed(id: ValueRef<'_>) -> bool {
    id.as_str()
        .is_some_and(|id| is_design(id) || partition_of(id).is_some())
}

/// What a partition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartitionStats {
    /// The documents.
    pub count: u64,
    /// Their BSON bytes.
    pub data_bytes: u64,
    /// The tombstones of deleted documents that are kept.
    pub deleted: u64,
}

/// By how much a batch changes what a partition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartitionChange {
    pub(crate) count: i64,
    pub(crate) data_bytes: i64,
    pub(crate) deleted: i64,
}

impl PartitionStats {
    /// What the partition holds after the change.
    pub(crate) fn after(self, change: PartitionChange) -> PartitionStats {
        PartitionStats {
            count: self.count.saturating_add_signed(change.count),
            data_bytes: self.data_bytes.saturating_add_signed(change.data_bytes),
            deleted: self.deleted.saturating_add_signed(change.deleted),
        }
    }

    /// The bytes that are stored.
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut out = vec![0; 4];
        for number in [self.count, self.data_bytes, self.deleted] {
            varint::put(number, &mut out);
        }
        seal(&mut out);
        out
    }

    /// Reads what was stored.
    pub(crate) fn decode(bytes: &[u8]) -> Option<PartitionStats> {
        let mut rest = unseal(bytes)?;
        Some(PartitionStats {
            count: varint::take(&mut rest)?,
            data_bytes: varint::take(&mut rest)?,
            deleted: varint::take(&mut rest)?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn the_partition_is_what_stands_before_the_first_colon() {
        assert_eq!(partition_of("a:b:c"), Some("a"));
        assert_eq!(partition_of(":b"), Some(""));
        assert_eq!(partition_of("ab"), None);
    }

    #[test]
    fn design_documents_are_placed_and_in_no_partition() {
        assert_eq!(partition_of("_design/a:b"), None);
        assert!(is_placed(ValueRef::String("_design/a")));
        assert!(!is_placed(ValueRef::String("a")));
        assert!(!is_placed(ValueRef::Int32(1)));
    }

    #[test]
    fn stats_are_read_as_they_were_written() {
        let stats = PartitionStats {
            count: 3,
            data_bytes: 70_000,
            deleted: 1,
        };
        assert_eq!(PartitionStats::decode(&stats.encode()).unwrap(), stats);
        assert_eq!(PartitionStats::decode(b"short"), None);
    }
}
