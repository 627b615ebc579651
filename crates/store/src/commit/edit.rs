//! Edits of revisioned documents: a revision follows a leaf, or is given by another store; and purges.

use super::group::Group;
use super::history::owned_id;
use super::types::{Edit, EditOrigin, Outcome};
use super::widths::with_widths_of;
use crate::index::{EntrySet, Span};
use crate::keys::id_of;
use crate::record::{RevisionIndex, Tombstone};
use crate::{Purge, Record, Revision, RevisionPath, RevisionTree, Sequence, StoreError, keys};
use value::ValueRef;

impl Group<'_> {
    /// Adds a revision. `first` is its value if the document was never there before; `entries` are the document's index entries.
    pub(super) async fn edit(
        &mut self,
        edit: &Edit,
        first: Option<&Revision>,
        entries: &EntrySet,
        spans: &[Span],
    ) -> Result<Outcome, StoreError> {
        self.check_partition(id_of(edit.document.as_raw()))?;
        let id = owned_id(&edit.document);
        let (record, tombstone) = self.record_or_tombstone(id.as_ref()).await?;
        if let (None, None, Some(first)) = (&record, &tombstone, first) {
            self.insert(&edit.document, entries, spans).await?;
            let revision = first.clone();
            return Ok(Outcome::Edited { revision });
        }
        // Without a parent an edit can only make a document, not replace a live one.
        if record.is_some() && matches!(edit.origin, EditOrigin::After(None)) {
            return Ok(Outcome::Conflict);
        }
        let document = with_widths_of(&edit.document, record.as_ref());
        let mut history = self.history(id.as_ref(), record, tombstone).await?;
        history.keeps_superseded = true;
        let mut tree = history.tree.clone();
        let path = match &edit.origin {
            EditOrigin::Given(path) => path.clone(),
            EditOrigin::After(parent) => {
                let parent = match parent {
                    // An edit without a parent may only follow a deletion.
                    None if edit.deleted && history.tombstone.is_some() => return Ok(Outcome::Conflict),
                    None => history.winner(),
                    named => named.clone(),
                };
                let is_leaf = |parent| tree.find(parent).is_some_and(|at| tree.is_leaf(at));
                if parent.as_ref().is_some_and(|parent| !is_leaf(parent)) {
                    return Ok(Outcome::Conflict);
                }
                path_after(parent, edit)
            }
        };
        let Some((at, is_new)) = tree.merge(&path, edit.deleted) else {
            return Ok(Outcome::Conflict);
        };
        let revision = tree.nodes()[at].revision.clone();
        // A revision that is known already, as when a replication sends it again, changes nothing.
        if is_new {
            let written = vec![(revision.clone(), document)];
            self.settle(id.as_ref(), &history, tree, written).await?;
        }
        Ok(Outcome::Edited { revision })
    }

    /// Adds revisions that another store made of one document, all at once: one by one, each would go through the
    /// whole tree. An error leaves the batch as it was.
    pub(super) async fn add_given(
        &mut self,
        given: &[(&Edit, &RevisionPath)],
    ) -> Result<Vec<Outcome>, StoreError> {
        let Some((first, _)) = given.first() else {
            return Ok(Vec::new());
        };
        let id = owned_id(&first.document);
        self.check_partition(id.as_ref())?;
        let mut history = self.history_of(id.as_ref()).await?;
        history.keeps_superseded = true;
        let mut tree = history.tree.clone();
        let mut index = RevisionIndex::of(&tree);
        let mut written = Vec::new();
        let mut outcomes = Vec::with_capacity(given.len());
        for (edit, path) in given {
            let Some((at, is_new)) = tree.merge_indexed(path, edit.deleted, &mut index) else {
                outcomes.push(Outcome::Conflict);
                continue;
            };
            let revision = tree.nodes()[at].revision.clone();
            if is_new {
                let document = with_widths_of(&edit.document, history.record.as_ref());
                written.push((revision.clone(), document));
            }
            outcomes.push(Outcome::Edited { revision });
        }
        if !written.is_empty() {
            self.settle(id.as_ref(), &history, tree, written).await?;
        }
        Ok(outcomes)
    }

    /// Removes leaves as if they had never been, and returns those that were removed. Revisions that are no leaves are
    /// skipped. Followers of the change log learn of it from an entry of its own, put in the same commit.
    pub(super) async fn purge(
        &mut self,
        id: ValueRef<'_>,
        revisions: &[Revision],
    ) -> Result<Outcome, StoreError> {
        let history = self.history_of(id).await?;
        let mut tree = history.tree.clone();
        let mut purged = revisions.to_vec();
        purged.retain(|revision| tree.remove_leaf(revision));
        if !purged.is_empty() {
            let is_whole = tree.nodes().is_empty();
            self.settle(id, &history, tree, Vec::new()).await?;
            if is_whole {
                self.forget_notes(id).await?;
            }
            let purge = Purge {
                sequence: Sequence::after_change(self.sequence),
                id: id.to_value(),
                revisions: purged.clone(),
                is_whole,
            };
            self.batch.put(&keys::purge(self.sequence), &purge.encode());
        }
        Ok(Outcome::Purged { revisions: purged })
    }

    /// Drops the bodies of superseded revisions of a document.
    pub(super) async fn forget_superseded(&mut self, id: ValueRef<'_>) -> Result<Outcome, StoreError> {
        let history = self.history_of(id).await?;
        let superseded = history.tree.superseded_with_body();
        if superseded.is_empty() {
            return Ok(Outcome::NotMatched);
        }
        let mut tree = history.tree.clone();
        for at in superseded {
            self.put_body(keys::body(id, &tree.nodes()[at].revision), None);
            tree.node_mut(at).has_body = false;
        }
        // The winner does not change, so the record stays. The sequence rises, since each commit must move the head.
        self.keep_tree(id, &history, Some(tree));
        self.sequence += 1;
        Ok(Outcome::Local)
    }

    /// Removes everything that is kept of a deleted document: tombstone, tree and bodies. An empty tree makes `settle` do so.
    pub(crate) async fn forget_deleted(&mut self, tombstone: Tombstone) -> Result<(), StoreError> {
        let id = tombstone.id.clone();
        self.forget_notes(id.as_ref()).await?;
        let history = self.history(id.as_ref(), None, Some(tombstone)).await?;
        self.settle(id.as_ref(), &history, RevisionTree::default(), Vec::new())
            .await
    }

    /// Ends every branch of a document, for callers that delete it and know nothing of branches.
    pub(super) async fn end_branches(&mut self, record: Record) -> Result<(), StoreError> {
        let id = id_of(record.document.as_raw()).to_value();
        let history = self.history(id.as_ref(), Some(record), None).await?;
        let mut tree = history.tree.clone();
        for leaf in history.tree.leaves() {
            let node = &history.tree.nodes()[leaf];
            // Leaves that are deletions end their branches already.
            if !node.deleted {
                let deletion = Revision::deletion_of(&node.revision);
                tree.merge(&child(&node.revision, deletion), true);
            }
        }
        self.settle(id.as_ref(), &history, tree, Vec::new()).await
    }

    /// Adds a document as the next revision of the winning branch.
    pub(super) async fn go_on(
        &mut self,
        history: &super::history::History,
        document: &value::DocumentBuf,
    ) -> Result<(), StoreError> {
        let parent = history.winner();
        let revision = Revision::of(parent.as_ref(), false, Some(document.as_raw()));
        let path = match &parent {
            Some(parent) => child(parent, revision.clone()),
            None => RevisionPath::of(revision.clone()),
        };
        let mut tree = history.tree.clone();
        tree.merge(&path, false);
        let id = owned_id(document);
        self.settle(id.as_ref(), history, tree, vec![(revision, document.clone())])
            .await
    }
}

fn path_after(parent: Option<Revision>, edit: &Edit) -> RevisionPath {
    let revision = Revision::of(parent.as_ref(), edit.deleted, Some(edit.document.as_raw()));
    match parent {
        Some(parent) => child(&parent, revision),
        None => RevisionPath::of(revision),
    }
}

fn child(parent: &Revision, revision: Revision) -> RevisionPath {
    RevisionPath {
        generation: revision.generation,
        hashes: vec![revision.hash, parent.hash.clone()],
    }
}
