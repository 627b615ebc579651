//! What the rows of one group have in common.

use super::{Grouping, Query};
use crate::Result;
use crate::key::{group_prefix, partition_start};
use bytes::Bytes;
use serde_json::Value;

/// Which rows are of one group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroupBy {
    pub(super) grouping: Grouping,
    /// What stands before the key in the encoded keys of all rows that are asked for: their partition.
    partition: Bytes,
}

impl GroupBy {
    pub(super) fn of(query: &Query) -> Result<GroupBy> {
        let partition = query.partition.as_deref().map(partition_start);
        Ok(GroupBy {
            grouping: query.grouping()?,
            partition: partition.unwrap_or_default(),
        })
    }

    /// What a group's encoded keys begin with. Keys in the tree are encodings, so a prefix is always found, but for
    /// places of other partitions, between which subtrees may end.
    pub(super) fn prefix_of<'k>(&self, sort_key: &'k [u8]) -> &'k [u8] {
        let level = match self.grouping {
            Grouping::None => return &[],
            Grouping::Exact => usize::MAX,
            Grouping::Level(level) => usize::try_from(level).unwrap_or(usize::MAX),
        };
        let key = sort_key.strip_prefix(&*self.partition);
        let shared = key.and_then(|key| group_prefix(key, level));
        match shared {
            Some(shared) => &sort_key[..self.partition.len() + shared.len()],
            None => sort_key,
        }
    }

    /// What a client sees of the key of a group.
    pub(super) fn key_of(&self, key: &Bytes) -> Option<Bytes> {
        match self.grouping {
            Grouping::None => None,
            Grouping::Exact => Some(key.clone()),
            Grouping::Level(level) => match serde_json::from_slice(key) {
                Ok(Value::Array(mut elements)) => {
                    elements.truncate(usize::try_from(level).unwrap_or(usize::MAX));
                    Some(Value::Array(elements).to_string().into())
                }
                _ => Some(key.clone()),
            },
        }
    }
}
