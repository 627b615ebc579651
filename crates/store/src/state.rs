//! What the head of a shard keeps: counts and sizes and, for each index, the number of its entries, its multikey parts and how
//! far its build has come. It is written with every commit, so it is small.

use crate::seal::{seal, unseal};
use value::varint;

/// The form of the bytes.
const VERSION: u8 = 1;

/// The state of a collection's shard, except its sequence number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShardState {
    /// The documents.
    pub(crate) count: u64,
    /// Their BSON bytes.
    pub(crate) data_bytes: u64,
    pub(crate) tombstones: u64,
    /// The state of each index in the order of the collection's indexes.
    pub(crate) indexes: Vec<IndexEntries>,
}

/// The state of one index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexEntries {
    /// The index's number.
    pub(crate) id: u32,
    pub(crate) entries: u64,
    /// For each field the parts of its path that ever reached an array, one bit each.
    pub(crate) multikey: Vec<u64>,
    /// How far its build has come; `None` if it is complete.
    pub(crate) build: Option<Build>,
}

/// A build enters the records after `position` up to `end`. Writes keep the entries of all others, so each record is
/// entered by one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Build {
    /// The last record that was entered.
    pub(crate) position: u64,
    /// The last record that was there before the build.
    pub(crate) end: u64,
}

impl IndexEntries {
    /// Whether writes keep the entries of this record. They do unless the build has yet to reach it.
    pub(crate) fn keeps(&self, record: u64) -> bool {
        self.build
            .is_none_or(|build| record <= build.position || record > build.end)
    }
}

impl ShardState {
    /// The state of an index.
    pub(crate) fn index(&self, id: u32) -> Option<&IndexEntries> {
        self.indexes.iter().find(|index| index.id == id)
    }

    /// The state of an index, to change it.
    pub(crate) fn index_mut(&mut self, id: u32) -> Option<&mut IndexEntries> {
        self.indexes.iter_mut().find(|index| index.id == id)
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![0, 0, 0, 0, VERSION];
        for number in [
            self.count,
            self.data_bytes,
            self.tombstones,
            self.indexes.len() as u64,
        ] {
            varint::put(number, &mut out);
        }
        for index in &self.indexes {
            index.encode(&mut out);
        }
        seal(&mut out);
        out
    }

    /// Reads what was stored; no bytes are the state of a new shard.
    pub(crate) fn decode(bytes: &[u8]) -> Option<ShardState> {
        if bytes.is_empty() {
            return Some(ShardState::default());
        }
        let (&version, mut rest) = unseal(bytes)?.split_first()?;
        if version != VERSION {
            return None;
        }
        let mut take = || varint::take(&mut rest);
        let (count, data_bytes, tombstones, indexes) = (take()?, take()?, take()?, take()?);
        let indexes = (0..indexes)
            .map(|_| IndexEntries::read(&mut rest))
            .collect::<Option<_>>()?;
        Some(ShardState {
            count,
            data_bytes,
            tombstones,
            indexes,
        })
    }
}

impl IndexEntries {
    fn encode(&self, out: &mut Vec<u8>) {
        varint::put(u64::from(self.id), out);
        varint::put(self.entries, out);
        varint::put(self.multikey.len() as u64, out);
        self.multikey.iter().for_each(|&parts| varint::put(parts, out));
        match self.build {
            None => out.push(0),
            Some(build) => {
                out.push(1);
                varint::put(build.position, out);
                varint::put(build.end, out);
            }
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<IndexEntries> {
        let id = u32::try_from(varint::take(bytes)?).ok()?;
        let entries = varint::take(bytes)?;
        let fields = varint::take(bytes)?;
        let multikey = (0..fields).map(|_| varint::take(bytes)).collect::<Option<_>>()?;
        let build = match varint::take(bytes)? {
            0 => None,
            _ => Some(Build {
                position: varint::take(bytes)?,
                end: varint::take(bytes)?,
            }),
        };
        Some(IndexEntries {
            id,
            entries,
            multikey,
            build,
        })
    }
}
