//! What the sweep remembers about chunks without an entry.

use parking_lot::Mutex;
use std::collections::HashMap;
use store::{RecordId, Sequence, Store};

/// What the name of a collection of chunks ends with.
pub(super) const CHUNKS_SUFFIX: &str = ".chunks";

/// What is remembered between rounds.
#[derive(Debug)]
pub(crate) struct Orphans {
    /// The heads of the collections of chunks, by UUID, when the engine was opened.
    pub(super) at_start: HashMap<[u8; 16], Sequence>,
    pub(super) seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The head of each collection of chunks (by UUID) when it was last looked through and had no chunk without entry.
    pub(super) clean: HashMap<[u8; 16], (Sequence, Sequence)>,
    /// Files without entry that a driver may still be writing, by collection and encoded id: the last chunk, and since
    /// when it is that.
    pub(super) waiting: HashMap<([u8; 16], Vec<u8>), (RecordId, i64)>,
}

impl Orphans {
    /// Nothing seen yet of a store that was just opened.
    pub(crate) fn new(store: &Store) -> Orphans {
        let collections = store
            .databases()
            .into_iter()
            .flat_map(|database| store.collections(&database));
        let at_start = collections
            .filter(|collection| collection.namespace().collection.ends_with(CHUNKS_SUFFIX))
            .map(|collection| (collection.uuid(), collection.head()))
            .collect();
        Orphans {
            at_start,
            seen: Mutex::default(),
        }
    }
}
