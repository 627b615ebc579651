//! One revision that follows several leaves, or stands beside them.

use super::group::Group;
use super::types::{Outcome, Resolve};
use crate::record::RevisionHash;
use crate::{ENDED_BRANCHES_MAX, Revision, RevisionPath, RevisionTree, StoreError};
use value::DocumentBuf;

impl Group<'_> {
    /// Adds the revision, ends the leaves that it resolves, and puts the notes. An error leaves the batch as it was.
    pub(super) async fn resolve(&mut self, resolve: &Resolve) -> Result<Outcome, StoreError> {
        let id = resolve.id.as_ref();
        self.check_partition(id)?;
        let (record, tombstone) = self.record_or_tombstone(id).await?;
        if let (None, None, Some((document, hash))) = (&record, &tombstone, &resolve.document)
            && resolve.leaves.is_empty()
            && resolve.ended.is_empty()
        {
            return self.begin_document(resolve, document, hash).await;
        }
        let mut history = self.history(id, record, tombstone).await?;
        history.has_own_hash = true;
        let mut tree = history.tree.clone();
        let live = live_leaves(&tree);
        let is_known = |revision: &Revision| resolve.leaves.contains(revision);
        if live.len() != resolve.leaves.len() || !live.iter().all(is_known) {
            return Ok(Outcome::Conflict);
        }
        let mut written = Vec::new();
        let mut ended = resolve.ended.iter();
        let mut revision = live.first().cloned();
        if let Some((document, hash)) = &resolve.document {
            let path = match ended.next() {
                Some(parent) => after(parent, hash.clone()),
                // Beside other leaves it is newer than all of them; after a deletion it continues that branch.
                None if !live.is_empty() => alone(newest(&live) + 1, hash.clone()),
                None => match history.winner() {
                    Some(parent) => after(&parent, hash.clone()),
                    None => alone(1, hash.clone()),
                },
            };
            let new = Revision {
                generation: path.generation,
                hash: hash.clone(),
            };
            tree.merge(&path, false);
            written.push((new.clone(), document.clone()));
            revision = Some(new);
        }
        for parent in ended {
            let deletion = Revision::deletion_of(parent);
            tree.merge(&after(parent, deletion.hash), true);
        }
        forget_ended(&mut tree);
        if resolve.document.is_some() || !resolve.ended.is_empty() {
            self.settle(id, &history, tree, written).await?;
        } else {
            // Every commit takes a number, by which other processes learn that the shard has changed.
            self.sequence += 1;
        }
        if let Some(notes) = &resolve.notes {
            self.put_notes(id, notes).await?;
        }
        Ok(match revision {
            Some(revision) => Outcome::Edited { revision },
            None => Outcome::NotMatched,
        })
    }

    /// Writes a document that was never there, as most are, without making a tree for its one revision.
    async fn begin_document(
        &mut self,
        resolve: &Resolve,
        document: &DocumentBuf,
        hash: &RevisionHash,
    ) -> Result<Outcome, StoreError> {
        self.write_first(document.clone(), hash.clone()).await?;
        if let Some(notes) = &resolve.notes {
            self.put_first_notes(resolve.id.as_ref(), notes).await?;
        }
        Ok(Outcome::Edited {
            revision: Revision {
                generation: 1,
                hash: hash.clone(),
            },
        })
    }
}

fn live_leaves(tree: &RevisionTree) -> Vec<Revision> {
    let nodes = tree.leaves().into_iter().map(|at| &tree.nodes()[at]);
    nodes
        .filter(|node| !node.deleted)
        .map(|node| node.revision.clone())
        .collect()
}

fn newest(leaves: &[Revision]) -> u64 {
    leaves
        .iter()
        .map(|leaf| leaf.generation)
        .max()
        .unwrap_or_default()
}

fn alone(generation: u64, hash: RevisionHash) -> RevisionPath {
    RevisionPath {
        generation,
        hashes: vec![hash],
    }
}

fn after(parent: &Revision, hash: RevisionHash) -> RevisionPath {
    RevisionPath {
        generation: parent.generation + 1,
        hashes: vec![hash, parent.hash.clone()],
    }
}

/// Drops all but the newest ended branches. Otherwise, writers that never see each other's revisions would make the tree grow for ever.
fn forget_ended(tree: &mut RevisionTree) {
    let leaves = tree.leaves();
    let is_live = leaves
        .first()
        .is_some_and(|&winner| !tree.nodes()[winner].deleted);
    if !is_live || leaves.len() <= ENDED_BRANCHES_MAX {
        return;
    }
    let ended: Vec<Revision> = leaves
        .into_iter()
        .filter(|&at| tree.nodes()[at].deleted)
        .skip(ENDED_BRANCHES_MAX)
        .map(|at| tree.nodes()[at].revision.clone())
        .collect();
    for revision in ended {
        tree.remove_leaf(&revision);
    }
}
