//! A document with all its revisions, read and written within a batch.
//!
//! Where the revisions are one line of digests, the record or the tombstone holds them itself. Otherwise a tree stands
//! beside it, and each leaf that is not the winner keeps its body under a key of its own.

use super::group::Group;
use super::request::check;
use crate::index::EntrySet;
use crate::keys::id_of;
use crate::record::{Ancestry, RevisionHash, RevisionIndex, Tombstone};
use crate::{
    REVISION_ANCESTORS_MAX, Record, RecordId, Revision, RevisionTree, SUPERSEDED_BODIES_MAX, StoreError, keys,
};
use value::{DocumentBuf, ValueRef};

/// A document as it is stored, in whichever form.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) record: Option<Record>,
    pub(super) tombstone: Option<Tombstone>,
    pub(super) tree: RevisionTree,
    /// Whether the body that readers saw is kept when another revision takes its place.
    pub(super) keeps_superseded: bool,
    /// Whether the new revision has a hash that was not computed from its body, so that computing it would be in vain.
    pub(super) has_own_hash: bool,
}

/// How a winner's revisions are kept with it.
struct Version {
    ancestry: Ancestry,
    given: Option<RevisionHash>,
    has_tree: bool,
}

impl History {
    /// The revision that readers see.
    pub(super) fn winner(&self) -> Option<Revision> {
        let record = self.record.as_ref().map(Record::revision);
        record.or_else(|| self.tombstone.as_ref().map(Tombstone::revision))
    }

    fn winning_body(&self) -> Option<&DocumentBuf> {
        match (&self.record, &self.tombstone) {
            (Some(record), _) => Some(&record.document),
            (None, Some(tombstone)) => tombstone.body.as_ref(),
            (None, None) => None,
        }
    }
}

impl Group<'_> {
    /// The stored history of an `_id`.
    pub(super) async fn history_of(&mut self, id: ValueRef<'_>) -> Result<History, StoreError> {
        let (record, tombstone) = self.record_or_tombstone(id).await?;
        self.history(id, record, tombstone).await
    }

    /// The record of an `_id`, or else the tombstone that the document has left.
    pub(super) async fn record_or_tombstone(
        &mut self,
        id: ValueRef<'_>,
    ) -> Result<(Option<Record>, Option<Tombstone>), StoreError> {
        match self.record_of(id).await? {
            Some(record) => Ok((Some(record), None)),
            None => Ok((None, self.tombstone_of(id).await?)),
        }
    }

    /// The stored history of an `_id`, whose record and tombstone were read already.
    pub(super) async fn history(
        &mut self,
        id: ValueRef<'_>,
        record: Option<Record>,
        tombstone: Option<Tombstone>,
    ) -> Result<History, StoreError> {
        let live = record
            .as_ref()
            .map(|record| (record.revision(), &record.ancestry));
        let deleted = tombstone
            .as_ref()
            .map(|tombstone| (tombstone.revision(), &tombstone.ancestry));
        let has_tree = record.as_ref().is_some_and(Record::has_tree)
            || tombstone.as_ref().is_some_and(Tombstone::has_tree);
        let tree = match (live, deleted) {
            _ if has_tree => self.tree(id).await?,
            (Some((own, before)), _) => RevisionTree::line(own, before.iter(), false),
            // A tombstone's ancestry begins with the deletion itself.
            (None, Some((own, all))) => RevisionTree::line(own, all.iter().skip(1), true),
            (None, None) => RevisionTree::default(),
        };
        Ok(History {
            record,
            tombstone,
            tree,
            keeps_superseded: false,
            has_own_hash: false,
        })
    }

    async fn tree(&mut self, id: ValueRef<'_>) -> Result<RevisionTree, StoreError> {
        let key = keys::tree(id);
        if let Some(known) = self.overlay.trees.get(&key) {
            return known.clone().ok_or_else(|| self.corrupt("no revision tree"));
        }
        let bytes = self.snapshot.get(&key).await?;
        bytes
            .and_then(|bytes| RevisionTree::decode(&bytes))
            .ok_or_else(|| self.corrupt("a revision tree that is missing or has a wrong form"))
    }

    /// The body of a leaf that is kept apart.
    async fn body(&mut self, key: &[u8]) -> Result<Option<DocumentBuf>, StoreError> {
        if let Some(known) = self.overlay.bodies.get(key) {
            return Ok(known.clone());
        }
        let bytes = self.snapshot.get(key).await?;
        bytes
            .map(|bytes| keys::read_body(&bytes).ok_or_else(|| self.corrupt("the body of a revision")))
            .transpose()
    }

    /// Writes a history whose tree has been changed. `written` are the new revisions with their bodies. A
    /// tree without revisions removes the document. An error leaves the batch as it was.
    pub(super) async fn settle(
        &mut self,
        id: ValueRef<'_>,
        before: &History,
        mut tree: RevisionTree,
        written: Vec<(Revision, DocumentBuf)>,
    ) -> Result<(), StoreError> {
        tree.stem(self.revisions_kept);
        let Some(winner) = tree.winner() else {
            return self.forget(id, before).await;
        };
        let node = tree.nodes()[winner].clone();
        // The winner's body is a new one, or is still in the record or tombstone. Otherwise another leaf has become
        // the winner (a deletion or a purge ended the branch that won before): its body is under a key of its own, or
        // it is a deletion without a body.
        let new = written.iter().find(|(revision, _)| *revision == node.revision);
        let body = match new {
            Some((_, body)) => Some(body.clone()),
            _ if before.winner().as_ref() == Some(&node.revision) => before.winning_body().cloned(),
            _ => self.body(&keys::body(id, &node.revision)).await?,
        };
        let bodies = plan_bodies(before, &mut tree, winner, written);
        let version = version(&tree, winner, body.as_ref().filter(|_| !before.has_own_hash));
        let has_tree = version.has_tree;
        // The record or tombstone goes first: this is the only step below that can fail (a unique index, the size of
        // the document), and it fails before it writes. Bodies and tree follow, so a refused operation leaves nothing
        // behind.
        match (node.deleted, body) {
            (false, Some(document)) => self.write_live(before, document, version).await?,
            (false, None) => return Err(self.corrupt("a revision without its body")),
            (true, body) => {
                // A body of an `_id` alone is not stored; readers make it up.
                let body = body.filter(|body| !is_bare(body));
                self.write_deleted(id, before, node.revision, body, version)
                    .await?;
            }
        }
        for (revision, body) in bodies {
            self.put_body(keys::body(id, &revision), body);
        }
        self.keep_tree(id, before, has_tree.then_some(tree));
        Ok(())
    }

    /// Writes a document that was never there, as a revision of this hash.
    pub(super) async fn write_first(
        &mut self,
        document: DocumentBuf,
        hash: RevisionHash,
    ) -> Result<(), StoreError> {
        let version = Version {
            ancestry: Ancestry::default(),
            given: Some(hash),
            has_tree: false,
        };
        self.write_live(&History::default(), document, version).await
    }

    async fn write_live(
        &mut self,
        before: &History,
        document: DocumentBuf,
        version: Version,
    ) -> Result<(), StoreError> {
        check(document.as_raw())?;
        let old = match &before.record {
            Some(record) => self.entries_of(record).await?,
            None => EntrySet::default(),
        };
        let new = EntrySet::of(&self.set, document.as_raw())?;
        // A live document keeps its record id, and with it its place in natural order. One that comes back from a
        // deletion gets a new record id.
        let next = RecordId(self.sequence + 1);
        let record = before.record.as_ref().map_or(next, |record| record.id);
        self.check_unique(&new, &new.not_in(&old), record).await?;
        self.sequence = next.0;
        match &before.record {
            Some(before) => {
                self.change_entries(&old, &new, record);
                self.count_out(&before.document);
                self.leave_log(before);
            }
            None => {
                self.put_entries(&new, new.all(), record);
            }
        }
        self.count_in(&document);
        // A record whose id is its sequence number is its own entry in the change log.
        if record != next {
            self.log_put(record);
        }
        if let Some(tombstone) = &before.tombstone {
            self.remove_tombstone(tombstone);
        }
        self.put_record(Record {
            id: record,
            sequence: next.0,
            document,
            ancestry: version.ancestry,
            given: version.given,
            has_tree: version.has_tree,
            repeats_id: false,
        });
        Ok(())
    }

    async fn write_deleted(
        &mut self,
        id: ValueRef<'_>,
        before: &History,
        own: Revision,
        body: Option<DocumentBuf>,
        version: Version,
    ) -> Result<(), StoreError> {
        if let Some(record) = &before.record {
            self.remove_live(record).await?;
        }
        if let Some(tombstone) = &before.tombstone {
            self.remove_tombstone(tombstone);
        }
        self.sequence += 1;
        self.put_tombstone(Tombstone {
            sequence: self.sequence,
            time_ms: self.now_ms,
            ancestry: version.ancestry,
            id: id.to_value(),
            body,
            tree: version.has_tree.then_some(own.hash),
        });
        Ok(())
    }

    /// Removes a document with its tree and all bodies kept apart, without a tombstone: what a purge of all leaves
    /// comes to.
    async fn forget(&mut self, id: ValueRef<'_>, before: &History) -> Result<(), StoreError> {
        if let Some(record) = &before.record {
            self.remove_live(record).await?;
        }
        if let Some(tombstone) = &before.tombstone {
            self.remove_tombstone(tombstone);
        }
        self.sequence += 1;
        for node in before.tree.nodes().iter().filter(|node| node.has_body) {
            self.put_body(keys::body(id, &node.revision), None);
        }
        self.keep_tree(id, before, None);
        Ok(())
    }

    pub(super) fn put_body(&mut self, key: Vec<u8>, body: Option<DocumentBuf>) {
        match &body {
            Some(body) => self.batch.put(&key, &keys::write_body(body)),
            None => self.batch.delete(&key),
        }
        self.overlay.bodies.insert(key, body);
    }

    pub(super) fn keep_tree(&mut self, id: ValueRef<'_>, before: &History, tree: Option<RevisionTree>) {
        let had_tree = before.record.as_ref().is_some_and(Record::has_tree)
            || before.tombstone.as_ref().is_some_and(Tombstone::has_tree);
        if tree.is_some() || had_tree {
            self.overlay.trees.insert(keys::tree(id), tree);
        }
    }

    /// Puts the trees as they are in the end: a document that is written many times has its tree encoded once.
    pub(super) fn put_trees(&mut self) {
        for (key, tree) in &self.overlay.trees {
            match tree {
                Some(tree) => self.batch.put(key, &tree.encode()),
                None => self.batch.delete(key),
            }
        }
    }
}

/// Marks the revisions whose bodies are kept apart: leaves that are not the winner, and the newest superseded
/// revisions. Returns the bodies to put and, as `None`, those to remove. A body kept apart goes once its revision is
/// stemmed or purged, or becomes the winner, whose body is in the record. Apply the changes in order.
fn plan_bodies(
    before: &History,
    tree: &mut RevisionTree,
    winner: usize,
    written: Vec<(Revision, DocumentBuf)>,
) -> Vec<(Revision, Option<DocumentBuf>)> {
    let mut changes = Vec::new();
    // The nodes that are left in a changed tree are in their old order.
    let mut next = 0;
    for node in before.tree.nodes().iter().filter(|node| node.has_body) {
        let found = tree.find_from(next, &node.revision);
        next = found.map_or(next, |at| at + 1);
        match found {
            Some(at) if at != winner => {}
            gone => {
                changes.push((node.revision.clone(), None));
                if let Some(at) = gone {
                    tree.node_mut(at).has_body = false;
                }
            }
        }
    }
    // The body that the record held is about to be replaced there, and new ones may belong to losing branches:
    // whichever of them is not the winner now needs a key of its own.
    let was_winner = before.winner().zip(before.winning_body().cloned());
    let is_leaf = tree.leaf_marks();
    // Two look-ups, of one new revision and the winner, are quicker than making an index.
    let index = (written.len() > 1).then(|| RevisionIndex::of(tree));
    for (revision, body) in was_winner.into_iter().chain(written) {
        let found = match &index {
            Some(index) => index.find(&revision),
            None => tree.find(&revision),
        };
        let Some(at) = found.filter(|&at| at != winner) else {
            continue;
        };
        let is_kept = match is_leaf[at] {
            true => !(tree.nodes()[at].deleted && is_bare(&body)),
            false => before.keeps_superseded,
        };
        if is_kept {
            tree.node_mut(at).has_body = true;
            changes.push((revision, Some(body)));
        }
    }
    // Newest first. This may remove a body that was put just above; the later change of a key wins.
    let mut superseded = tree.superseded_with_body();
    superseded.sort_by_key(|&at| std::cmp::Reverse(tree.nodes()[at].revision.generation));
    for at in superseded.into_iter().skip(SUPERSEDED_BODIES_MAX) {
        tree.node_mut(at).has_body = false;
        changes.push((tree.nodes()[at].revision.clone(), None));
    }
    changes
}

/// Whether a body has nothing but its `_id`.
fn is_bare(body: &DocumentBuf) -> bool {
    body.as_raw().iter().all(|(name, _)| name == "_id")
}

/// Chooses the form in which the revisions are kept: in the header of the record or tombstone if they fit, else a tree.
fn version(tree: &RevisionTree, winner: usize, body: Option<&DocumentBuf>) -> Version {
    let nodes = tree.nodes();
    let own = &nodes[winner];
    let before = own.revision.generation.saturating_sub(1);
    let digests: Vec<[u8; 16]> = tree
        .path(winner)
        .filter_map(|at| match &nodes[at].revision.hash {
            RevisionHash::Digest(digest) => Some(*digest),
            RevisionHash::Text(_) => None,
        })
        .collect();
    // The header holds digests alone. Only a live winner may have another hash of its own, since `given` keeps that.
    let own_is_text = usize::from(matches!(own.revision.hash, RevisionHash::Text(_)));
    // The digests are those on the winner's path: if they are all the nodes, there is no other branch.
    let in_line = digests.len() + own_is_text == nodes.len()
        && nodes.len() <= REVISION_ANCESTORS_MAX
        && !(own.deleted && own_is_text == 1)
        && nodes.iter().all(|node| !node.has_body);
    let line = |digests: &[[u8; 16]], generation| Ancestry {
        generation,
        hashes: digests.concat().into(),
    };
    match (in_line, own.deleted) {
        (true, true) => Version {
            ancestry: line(&digests, own.revision.generation),
            given: None,
            has_tree: false,
        },
        (true, false) => {
            let ancestry = line(digests.get(1 - own_is_text..).unwrap_or_default(), before);
            let computed = body.map(|body| ancestry.revision(false, Some(body.as_raw())));
            // A revision made here has the hash that its body and parent give, so it need not be stored. One that a
            // replica computed in another way does not.
            let given = (computed.as_ref() != Some(&own.revision)).then(|| own.revision.hash.clone());
            Version {
                ancestry,
                given,
                has_tree: false,
            }
        }
        (false, deleted) => Version {
            ancestry: line(&[], if deleted { own.revision.generation } else { before }),
            given: (!deleted).then(|| own.revision.hash.clone()),
            has_tree: true,
        },
    }
}

pub(super) fn owned_id(document: &DocumentBuf) -> value::Value {
    id_of(document.as_raw()).to_value()
}
