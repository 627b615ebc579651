//! The indexes of a collection at one moment.

use super::Index;
use std::sync::Arc;

/// All indexes, `_id_` first. A change makes a new set, so a holder of one always sees it whole.
#[derive(Clone, Debug)]
pub(crate) struct IndexSet {
    /// Rises with every change of the set.
    pub(crate) version: u64,
    /// The indexes; `_id_` is first.
    pub(crate) indexes: Vec<Arc<Index>>,
}

impl IndexSet {
    /// The set that follows this one.
    pub(crate) fn with(&self, indexes: Vec<Arc<Index>>) -> IndexSet {
        IndexSet {
            version: self.version + 1,
            indexes,
        }
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|index| index.spec().name == name)
    }

    pub(crate) fn numbered(&self, id: u32) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|index| index.id() == id)
    }
}
