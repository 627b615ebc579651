//! An index of a tree's revisions, for many look-ups: each look-up in the tree itself reads all of it.

use super::{Node, Revision, RevisionTree};
use std::collections::HashMap;

/// The place of each revision in a tree.
#[derive(Debug, Default)]
pub(crate) struct RevisionIndex {
    /// Clients choose the revisions, so the hash is seeded at random.
    places: HashMap<Revision, usize, foldhash::quality::RandomState>,
}

impl RevisionIndex {
    /// The index of a tree as it is now.
    pub(crate) fn of(tree: &RevisionTree) -> RevisionIndex {
        let mut index = RevisionIndex::default();
        index.extend(tree.nodes(), 0);
        index
    }

    /// The place of a revision.
    pub(crate) fn find(&self, revision: &Revision) -> Option<usize> {
        self.places.get(revision).copied()
    }

    /// Adds the revisions from a place on.
    pub(super) fn extend(&mut self, nodes: &[Node], first: usize) {
        let new = nodes.iter().enumerate().skip(first);
        self.places
            .extend(new.map(|(at, node)| (node.revision.clone(), at)));
    }
}
