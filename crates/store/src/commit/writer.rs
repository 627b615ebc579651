//! What a collection's only writer knows of the shard.

use crate::index::IndexSet;
use crate::state::{Build, IndexEntries, ShardState};
use kv::Head;

/// Guarded by a lock, whose holder is the only one in this process that writes the shard.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// The head as last read or written; `None` if it has to be read again.
    pub(crate) head: Option<(u64, ShardState)>,
    /// No record is before this one. A capped collection searches for its oldest from here.
    pub(crate) oldest: u64,
    /// No entry of the index on `_id` is above this key, so a greater one need not be looked up: rising ids, as most are, are
    /// inserted without a read. `None` if it has to be read again.
    pub(crate) highest_id: Option<Vec<u8>>,
}

impl Writer {
    /// The next head, with this state.
    pub(crate) fn next_head(sequence: u64, state: &ShardState) -> Head {
        Head {
            sequence,
            state: state.encode().into(),
        }
    }
}

/// Makes the state have exactly these indexes. An index that it did not have has no entries yet: if there are documents, it has to
/// be built.
pub(crate) fn align(state: &mut ShardState, sequence: u64, set: &IndexSet) {
    let aligned = state.indexes.len() == set.indexes.len()
        && state
            .indexes
            .iter()
            .zip(&set.indexes)
            .all(|(state, index)| state.id == index.id());
    if aligned {
        return;
    }
    let build = (state.count > 0).then_some(Build {
        position: 0,
        end: sequence,
    });
    let mut known = std::mem::take(&mut state.indexes);
    let state_of = |id: u32| match known.iter().position(|index| index.id == id) {
        Some(at) => known.swap_remove(at),
        None => IndexEntries {
            id,
            build: build.filter(|_| id != crate::index::ID_INDEX),
            ..IndexEntries::default()
        },
    };
    state.indexes = set.indexes.iter().map(|index| index.id()).map(state_of).collect();
}
