//! The revision tree of one document: the versions that replicas have made of it. Each branch ends in a leaf.
//!
//! The algorithms are CouchDB's (`src/couch/src/couch_key_tree.erl`): merging a path of revisions into the tree,
//! stemming branches to a length, and choosing the winner. All replicas with the same leaves choose the same winner.

use super::{Revision, RevisionHash, RevisionIndex};
use crate::seal::{seal, unseal};
use std::cmp::Ordering;
use value::varint;

/// The form of the bytes.
const VERSION: u8 = 1;
const NODE_DELETED: u8 = 0x01;
const NODE_HAS_BODY: u8 = 0x02;
const NODE_HAS_PARENT: u8 = 0x04;

/// One revision in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its generation and hash.
    pub revision: Revision,
    /// The place of its parent; `None` if that was stemmed or never known.
    pub parent: Option<usize>,
    /// Whether it is a deletion.
    pub deleted: bool,
    /// Whether its body is kept under its own key, since it is not the winner's.
    pub(crate) has_body: bool,
}

/// All known revisions of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RevisionTree {
    nodes: Vec<Node>,
}

/// A revision with those before it, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionPath {
    /// The generation of the newest.
    pub generation: u64,
    /// The hashes: at least one, at most as many as the generation.
    pub hashes: Vec<RevisionHash>,
}

impl Node {
    /// Whether its body is kept although it is not the winner.
    pub fn has_body(&self) -> bool {
        self.has_body
    }
}

impl RevisionPath {
    /// A path of one revision, whatever was before it.
    pub fn of(revision: Revision) -> RevisionPath {
        RevisionPath {
            generation: revision.generation,
            hashes: vec![revision.hash],
        }
    }

    /// Its revisions, newest first.
    pub fn revisions(&self) -> impl DoubleEndedIterator<Item = Revision> + ExactSizeIterator {
        let generation = self.generation;
        self.hashes.iter().enumerate().map(move |(back, hash)| Revision {
            generation: generation.saturating_sub(back as u64),
            hash: hash.clone(),
        })
    }
}

impl RevisionTree {
    /// A tree of one branch: the leaf, and the hashes before it, newest first.
    pub(crate) fn line(
        leaf: Revision,
        before: impl Iterator<Item = RevisionHash>,
        deleted: bool,
    ) -> RevisionTree {
        let hashes = std::iter::once(leaf.hash).chain(before).collect();
        let path = RevisionPath {
            generation: leaf.generation,
            hashes,
        };
        let mut tree = RevisionTree::default();
        tree.merge(&path, deleted);
        tree
    }

    /// The revisions in no special order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The place of a revision.
    pub fn find(&self, revision: &Revision) -> Option<usize> {
        self.nodes.iter().position(|node| node.revision == *revision)
    }

    /// As [`RevisionTree::find`], searching from a place on and then before it: quicker for many revisions in about their order.
    pub(crate) fn find_from(&self, place: usize, revision: &Revision) -> Option<usize> {
        let (before, behind) = self.nodes.split_at(place.min(self.nodes.len()));
        let found = |nodes: &[Node]| nodes.iter().position(|node| node.revision == *revision);
        found(behind)
            .map(|at| before.len() + at)
            .or_else(|| found(before))
    }

    /// The places of the leaves in CouchDB's order, the winner first: not deleted before deleted, higher generations
    /// first, then higher hashes. The order depends on the leaves alone, so all replicas that have the same leaves
    /// agree on a winner.
    pub fn leaves(&self) -> Vec<usize> {
        let is_leaf = self.leaf_marks();
        let mut leaves: Vec<usize> = (0..self.nodes.len()).filter(|&at| is_leaf[at]).collect();
        leaves.sort_by(|&a, &b| self.compare_leaves(a, b));
        leaves
    }

    /// For each revision, whether it is a leaf.
    pub(crate) fn leaf_marks(&self) -> Vec<bool> {
        let mut is_leaf = vec![true; self.nodes.len()];
        for node in &self.nodes {
            if let Some(parent) = node.parent {
                is_leaf[parent] = false;
            }
        }
        is_leaf
    }

    fn compare_leaves(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        a.deleted
            .cmp(&b.deleted)
            .then_with(|| b.revision.cmp(&a.revision))
    }

    /// The place of the leaf that readers see; `None` if the tree is empty.
    pub fn winner(&self) -> Option<usize> {
        let is_leaf = self.leaf_marks();
        let leaves = (0..self.nodes.len()).filter(|&at| is_leaf[at]);
        leaves.min_by(|&a, &b| self.compare_leaves(a, b))
    }

    /// Whether no revision follows the one at this place.
    pub fn is_leaf(&self, at: usize) -> bool {
        self.nodes.iter().all(|node| node.parent != Some(at))
    }

    /// The places of the leaves that a revision leads to; its own place if it is a leaf.
    pub fn leaves_from(&self, at: usize) -> Vec<usize> {
        let leads = |&leaf: &usize| self.path(leaf).any(|place| place == at);
        self.leaves().into_iter().filter(leads).collect()
    }

    /// The places from a revision back to the oldest that is known.
    pub fn path(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(at), |&place| self.nodes[place].parent)
    }

    /// Adds a path, and returns the place of its newest revision and whether that was new; `None` if the path is empty.
    pub(crate) fn merge(&mut self, path: &RevisionPath, deleted: bool) -> Option<(usize, bool)> {
        let places = self.places(path);
        self.join(path, places, deleted)
    }

    /// As [`RevisionTree::merge`], with an index of the tree's revisions, which gets the new ones too: for many paths.
    pub(crate) fn merge_indexed(
        &mut self,
        path: &RevisionPath,
        deleted: bool,
        index: &mut RevisionIndex,
    ) -> Option<(usize, bool)> {
        let places = path.revisions().map(|revision| index.find(&revision)).collect();
        let first_new = self.nodes.len();
        let merged = self.join(path, places, deleted);
        index.extend(&self.nodes, first_new);
        merged
    }

    /// Adds the revisions of a path that have no place yet.
    fn join(
        &mut self,
        path: &RevisionPath,
        places: Vec<Option<usize>>,
        deleted: bool,
    ) -> Option<(usize, bool)> {
        let is_new = places.first()?.is_none();
        // Oldest first, so that the parent of each node is in the tree before the node.
        let mut before = None;
        for (revision, place) in path.revisions().zip(places).rev() {
            let at = match place {
                Some(known) => {
                    // A root may have been stemmed here: the path can name its parent, which joins what had become two
                    // trees.
                    if self.nodes[known].parent.is_none() {
                        self.nodes[known].parent = before;
                    }
                    known
                }
                None => self.push(revision, before),
            };
            before = Some(at);
        }
        let at = before?;
        // A known revision stays as it is. Ancestors of which only the hash is known count as not deleted.
        if is_new {
            self.nodes[at].deleted = deleted;
        }
        Some((at, is_new))
    }

    /// The place of each revision of a path. A path has one revision of each generation, so each node is compared once.
    fn places(&self, path: &RevisionPath) -> Vec<Option<usize>> {
        let mut places = vec![None; path.hashes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let back = path.generation.checked_sub(node.revision.generation);
            let back = back.and_then(|back| usize::try_from(back).ok());
            if let Some(back) = back.filter(|&back| path.hashes.get(back) == Some(&node.revision.hash)) {
                places[back] = Some(at);
            }
        }
        places
    }

    fn push(&mut self, revision: Revision, parent: Option<usize>) -> usize {
        self.nodes.push(Node {
            revision,
            parent,
            deleted: false,
            has_body: false,
        });
        self.nodes.len() - 1
    }

    /// The places of revisions that are not leaves and whose bodies are still kept.
    pub(crate) fn superseded_with_body(&self) -> Vec<usize> {
        let is_leaf = self.leaf_marks();
        let is_one = |&at: &usize| self.nodes[at].has_body && !is_leaf[at];
        (0..self.nodes.len()).filter(is_one).collect()
    }

    pub(crate) fn node_mut(&mut self, at: usize) -> &mut Node {
        &mut self.nodes[at]
    }

    /// Shortens every branch to `limit` revisions, its leaf counted. A revision that several branches share stays as
    /// long as one of them needs it. Branches that were joined by older revisions become separate trees.
    pub(crate) fn stem(&mut self, limit: usize) {
        let limit = limit.max(1);
        let generations = || self.nodes.iter().map(|node| node.revision.generation);
        let oldest = generations().min().unwrap_or_default();
        let newest = generations().max().unwrap_or_default();
        if newest - oldest < limit as u64 {
            return;
        }
        // The number of revisions to keep from each one back. A branch is followed only until another one reaches as far back.
        let mut reach = vec![0; self.nodes.len()];
        let mut leaves = self.leaves();
        leaves.sort_by_key(|&leaf| self.nodes[leaf].revision.generation);
        for leaf in leaves {
            for (at, left) in self.path(leaf).zip((1..=limit).rev()) {
                if reach[at] >= left {
                    break;
                }
                reach[at] = left;
            }
        }
        let kept: Vec<bool> = reach.into_iter().map(|left| left > 0).collect();
        self.retain(&kept);
    }

    /// Removes a leaf with the revisions that led only to it. Returns false if the revision is unknown or not a leaf.
    pub(crate) fn remove_leaf(&mut self, revision: &Revision) -> bool {
        let Some(at) = self.find(revision).filter(|&at| self.is_leaf(at)) else {
            return false;
        };
        let mut kept = vec![false; self.nodes.len()];
        for leaf in self.leaves().into_iter().filter(|&leaf| leaf != at) {
            for place in self.path(leaf) {
                kept[place] = true;
            }
        }
        self.retain(&kept);
        true
    }

    fn retain(&mut self, kept: &[bool]) {
        // The new places are all computed first, since `merge` can put a parent after its child. A node whose parent
        // goes becomes a root.
        let mut places = vec![None; self.nodes.len()];
        let mut next = 0;
        for (at, place) in places.iter_mut().enumerate() {
            if kept[at] {
                *place = Some(next);
                next += 1;
            }
        }
        let mut at = 0;
        self.nodes.retain_mut(|node| {
            node.parent = node.parent.and_then(|parent| places[parent]);
            at += 1;
            kept[at - 1]
        });
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![0, 0, 0, 0, VERSION];
        varint::put(self.nodes.len() as u64, &mut out);
        for node in &self.nodes {
            let mut flags = 0;
            flags |= if node.deleted { NODE_DELETED } else { 0 };
            flags |= if node.has_body { NODE_HAS_BODY } else { 0 };
            flags |= node.parent.map_or(0, |_| NODE_HAS_PARENT);
            out.push(flags);
            varint::put(node.revision.generation, &mut out);
            node.revision.hash.encode(&mut out);
            if let Some(parent) = node.parent {
                varint::put(parent as u64, &mut out);
            }
        }
        seal(&mut out);
        out
    }

    /// Reads what was stored; `None` if checksum or form is wrong.
    pub(crate) fn decode(bytes: &[u8]) -> Option<RevisionTree> {
        let (&version, mut rest) = unseal(bytes)?.split_first()?;
        if version != VERSION {
            return None;
        }
        let count = usize::try_from(varint::take(&mut rest)?).ok()?;
        let nodes: Vec<Node> = (0..count)
            .map(|_| read_node(&mut rest, count))
            .collect::<Option<_>>()?;
        rest.is_empty().then_some(RevisionTree { nodes })
    }
}

fn read_node(bytes: &mut &[u8], count: usize) -> Option<Node> {
    let (&flags, rest) = bytes.split_first()?;
    *bytes = rest;
    let generation = varint::take(bytes)?;
    let hash = RevisionHash::read(bytes)?;
    let parent = match flags & NODE_HAS_PARENT {
        0 => None,
        _ => Some(
            usize::try_from(varint::take(bytes)?)
                .ok()
                .filter(|&at| at < count)?,
        ),
    };
    Some(Node {
        revision: Revision { generation, hash },
        parent,
        deleted: flags & NODE_DELETED != 0,
        has_body: flags & NODE_HAS_BODY != 0,
    })
}
