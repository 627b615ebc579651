//! Documents with their revisions, for protocols that replicate.
//!
//! A [`RevisionedCollection`] is the same collection that [`Engine::find`] reads: here a protocol sees revisions,
//! branches, deletions, the change log and local documents. Reading goes through a [`RevisionedSnapshot`], so that
//! everything that belongs together is from the same moment.

mod collated;
mod notes;
mod planned;
mod purges;
mod search_index;
mod snapshot;
mod views;

pub use collated::{CollatedDefinition, CollatedIndex, CollatedRange, CollatedRow};
pub use planned::FoundIds;
pub use snapshot::{DocumentPosition, RevisionedSnapshot};
pub use store::{
    Change, ChangeKind, ChangePage, DocumentHistory, Edit, EditOrigin, Notes, Order, PageLimit, Record,
    RecordId, Resolve, Revision, RevisionHash, RevisionPath, RevisionTree, Sequence, Terms,
};

use crate::catalog::own::check_no_accounts;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::write::durability;
use code::Code;
use memory::{Budget, Full, Turn, WAIT_MAX};
use query::write::Validator;
use std::sync::Arc;
use store::{Collection, CommitOptions, Namespace, Outcome, WriteOp};
use value::{Document, DocumentBuf, Value};

/// The property of a collection that says who may use it.
const SECURITY: &str = "security";
/// The property of a collection whose ids name the partitions that documents belong to.
const PARTITIONED: &str = "partitioned";
/// The property of a collection that says how many revisions of a branch it remembers.
const REVISIONS_KEPT: &str = "revisionsKept";

/// The number of changes that a compaction reads together.
const COMPACT_PAGE_CHANGES: usize = 500;

/// One collection with its revisions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RevisionedCollection {
    engine: Engine,
    collection: Arc<Collection>,
}

/// The outcome of an edit.
#[derive(Clone, Debug)]
pub enum EditOutcome {
    /// The history has this revision now, or had it before.
    Written(Revision),
    /// The revision to follow is not a leaf, or none was named and the document exists.
    Conflict,
    /// The edit was refused: by a unique index, a validator, a limit.
    Refused(Error),
}

/// Counts and sizes of a collection.
#[derive(Clone, Debug, Default)]
pub struct RevisionedReport {
    /// Documents that are not deleted.
    pub documents: u64,
    /// Deleted documents that are remembered.
    pub deleted: u64,
    /// The position after the last change.
    pub head: Sequence,
    /// The position after the last purge; the start if there was none.
    pub purge_sequence: Sequence,
    /// The bytes of the documents.
    pub data_bytes: u64,
    /// The bytes on disk, indexes included.
    pub storage_bytes: u64,
}

impl Engine {
    /// The collection of this name with its revisions; `None` if there is none. Fails for a view.
    pub fn revisioned(&self, namespace: &Namespace) -> Result<Option<RevisionedCollection>> {
        let Some(collection) = self.store().collection(namespace) else {
            return Ok(None);
        };
        collection.refuse_view()?;
        Ok(Some(RevisionedCollection {
            engine: self.clone(),
            collection,
        }))
    }

    /// Makes a collection that remembers this many revisions of a branch. Fails if it exists. In a `partitioned` one, ids must
    /// name the partitions that documents belong to.
    pub async fn create_revisioned(
        &self,
        namespace: &Namespace,
        revisions_kept: u32,
        partitioned: bool,
    ) -> Result<()> {
        crate::catalog::names::check_namespace(namespace)?;
        self.check_nameable(namespace)?;
        let mut options = store::CollectionOptions::default();
        options.properties.set(REVISIONS_KEPT, i64::from(revisions_kept));
        if partitioned {
            options.properties.set(PARTITIONED, true);
        }
        self.store().create(namespace, options).await?;
        Ok(())
    }
}

impl RevisionedCollection {
    /// An id that a later collection of the same name does not share.
    pub fn uuid(&self) -> [u8; 16] {
        self.collection.uuid()
    }

    /// The memory from which what is read of it is taken.
    pub fn memory(&self) -> &Budget {
        self.engine.memory()
    }

    /// Waits until answers in memory have gone to their clients or to the disk and leave room for another. To be called before a
    /// document is read for an answer. If documents of this collection may be long, few are read at the same time. Fails if the
    /// answers of others are not sent in time: clients that read nothing would fill the memory.
    pub async fn turn_to_answer(&self) -> std::result::Result<Turn, Full> {
        let may_be_long = self.collection.may_be_long();
        self.memory().turn_to_answer(may_be_long, WAIT_MAX).await
    }

    /// The collection as it is now.
    pub async fn snapshot(&self) -> Result<RevisionedSnapshot> {
        RevisionedSnapshot::new(&self.collection, self.collection.snapshot().await?)
    }

    /// The collection as it is on the disk: no crash takes back what a feed reads from it, and no other change will have the
    /// same position.
    pub async fn durable_snapshot(&self) -> Result<RevisionedSnapshot> {
        RevisionedSnapshot::new(&self.collection, self.collection.durable_snapshot().await?)
    }

    /// The position after the last change.
    pub fn head(&self) -> Sequence {
        self.collection.head()
    }

    /// Waits until there is a change after `sequence`. Returns false if the collection was dropped meanwhile.
    pub async fn changed_after(&self, sequence: &Sequence) -> bool {
        let mut head = self.collection.head_watch();
        let is_over = |head: &Sequence| head > sequence || self.collection.is_dropped();
        head.wait_for(is_over).await.is_ok() && !self.collection.is_dropped()
    }

    /// Makes everything that was acknowledged durable.
    pub async fn flush(&self) -> Result<()> {
        self.engine.flush().await
    }

    /// Whether the collection was dropped.
    pub fn is_dropped(&self) -> bool {
        self.collection.is_dropped()
    }

    /// Counts and sizes.
    pub async fn report(&self) -> Result<RevisionedReport> {
        let stats = self.collection.stats();
        let snapshot = self.collection.durable_snapshot().await?;
        let purges = snapshot.newest_purges(1).await?;
        Ok(RevisionedReport {
            documents: snapshot.ids_count(),
            deleted: stats.deleted,
            head: snapshot.head(),
            purge_sequence: purges
                .first()
                .map_or(Sequence::START, |purge| purge.sequence.clone()),
            data_bytes: stats.data_bytes,
            storage_bytes: self.collection.stored_bytes().await?.total(),
        })
    }

    /// Who may use the collection, in the form that the protocol gave it; `None` if it was never set.
    pub fn security(&self) -> Option<Document> {
        match self.collection.options().properties.get(SECURITY) {
            Some(Value::Document(security)) => Some(security.clone()),
            _ => None,
        }
    }

    /// Sets who may use the collection.
    pub async fn set_security(&self, security: Document) -> Result<()> {
        self.set_property(SECURITY, Value::from(security)).await
    }

    /// Whether ids must name the partitions that documents belong to.
    pub fn is_partitioned(&self) -> bool {
        self.collection.options().is_partitioned()
    }

    /// Whether it is capped: its oldest documents are then deleted without entries in the change log.
    pub fn is_capped(&self) -> bool {
        self.collection.options().capped.is_some()
    }

    /// How many revisions of a branch are remembered.
    pub fn revisions_kept(&self) -> usize {
        self.collection.options().revisions_kept()
    }

    /// Sets how many revisions of a branch are remembered.
    pub async fn set_revisions_kept(&self, kept: u32) -> Result<()> {
        self.set_property(REVISIONS_KEPT, Value::Int64(i64::from(kept)))
            .await
    }

    async fn set_property(&self, name: &str, value: Value) -> Result<()> {
        let namespace = self.collection.namespace();
        let name = name.to_owned();
        let set = self.engine.store().modify(&namespace, move |options| {
            options.properties.set(&name, value);
            Ok(())
        });
        Ok(set.await?)
    }

    /// Writes revisions, each independently of the others. Returns one outcome for each.
    pub async fn edit(&self, edits: Vec<Edit>, journaled: bool) -> Result<Vec<EditOutcome>> {
        let writes = edits.into_iter().map(WriteOp::Edit);
        let outcomes = self.write_checked(writes, journaled).await?.into_iter();
        let told = outcomes.map(|outcome| outcome.map_or_else(EditOutcome::Refused, edit_outcome));
        Ok(told.collect())
    }

    /// Inserts documents, each independently of the others. Returns for each the position after its insertion, or why it was refused.
    /// Revisions are not computed until the documents are read.
    pub async fn insert(&self, documents: Vec<DocumentBuf>) -> Result<Vec<Result<Sequence>>> {
        let writes = documents.into_iter().map(WriteOp::Insert);
        let outcomes = self.write_checked(writes, true).await?.into_iter();
        Ok(outcomes.map(|outcome| outcome.and_then(inserted)).collect())
    }

    /// Commits the writes that pass the validator. Returns the outcome of each, or why it was refused.
    async fn write_checked(
        &self,
        writes: impl Iterator<Item = WriteOp>,
        journaled: bool,
    ) -> Result<Vec<Result<Outcome>>> {
        let validator = self.engine.validators().of(&self.collection)?;
        let (mut refusals, mut operations) = (Vec::new(), Vec::new());
        for write in writes {
            let refused = validator
                .as_deref()
                .and_then(|validator| refusal(validator, &write));
            if refused.is_none() {
                operations.push(write);
            }
            refusals.push(refused);
        }
        let mut committed = self.commit(operations, journaled).await?.into_iter();
        let outcome = |refused: Option<Error>| match refused {
            Some(why) => Err(why),
            None => Ok(committed.next().unwrap_or(Outcome::Skipped)),
        };
        Ok(refusals.into_iter().map(outcome).collect())
    }

    /// Removes leaves as if they had never existed. Returns those that were removed, for each document.
    pub async fn purge(&self, purges: Vec<(Value, Vec<Revision>)>) -> Result<Vec<Vec<Revision>>> {
        let purge = |(id, revisions)| WriteOp::Purge { id, revisions };
        let operations = purges.into_iter().map(purge).collect();
        let purged = |outcome| match outcome {
            Outcome::Purged { revisions } => Ok(revisions),
            Outcome::Failed(error) => Err(Error::from(error)),
            _ => Ok(Vec::new()),
        };
        let outcomes = self.commit(operations, true).await?;
        outcomes.into_iter().map(purged).collect()
    }

    /// Puts a local document, which has no history and is in no change log, or removes it.
    pub async fn put_local(&self, name: &str, document: Option<DocumentBuf>, journaled: bool) -> Result<()> {
        let name = name.to_owned();
        let outcomes = self
            .commit(vec![WriteOp::Local { name, document }], journaled)
            .await?;
        match outcomes.into_iter().next() {
            Some(Outcome::Failed(error)) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Drops the bodies of superseded revisions, and rewrites the collection's files so that they hold only what is
    /// live.
    pub async fn compact(&self) -> Result<()> {
        let (mut position, end) = (Sequence::START, self.head());
        while position < end {
            let changes = self.collection.changes(&position, COMPACT_PAGE_CHANGES).await?;
            let with_tree = changes.iter().filter_map(|change| match &change.kind {
                ChangeKind::Put(record) if record.has_tree() => {
                    record.document.as_raw().get("_id").map(value::ValueRef::to_value)
                }
                ChangeKind::Deleted {
                    id, has_tree: true, ..
                } => Some(id.clone()),
                _ => None,
            });
            let operations: Vec<WriteOp> = with_tree.map(WriteOp::ForgetSuperseded).collect();
            if !operations.is_empty() {
                self.commit(operations, false).await?;
            }
            match changes.last() {
                Some(last) => position = last.sequence.clone(),
                None => break,
            }
        }
        self.collection.compact().await?;
        Ok(())
    }

    async fn commit(&self, operations: Vec<WriteOp>, journaled: bool) -> Result<Vec<Outcome>> {
        check_no_accounts(&self.collection.namespace())?;
        let options = CommitOptions {
            ordered: false,
            durability: durability(journaled),
            ..CommitOptions::default()
        };
        Ok(self.collection.commit(operations, options).await?)
    }
}

fn edit_outcome(outcome: Outcome) -> EditOutcome {
    match outcome {
        Outcome::Edited { revision } => EditOutcome::Written(revision),
        Outcome::Failed(error) => EditOutcome::Refused(error.into()),
        _ => EditOutcome::Conflict,
    }
}

fn inserted(outcome: Outcome) -> Result<Sequence> {
    match outcome {
        Outcome::Inserted { record } => Ok(Sequence::after_insert_of(record)),
        Outcome::Failed(error) => Err(error.into()),
        _ => Err(Error::new(
            Code::INTERNAL_ERROR,
            "an insertion has another outcome than insertions have",
        )),
    }
}

/// The error if the collection's validator refuses a write; deletions are not checked.
fn refusal(validator: &Validator, write: &WriteOp) -> Option<Error> {
    let document = match write {
        WriteOp::Insert(document) => document,
        WriteOp::Edit(edit) if !edit.deleted => &edit.document,
        _ => return None,
    };
    validator
        .check_insert(document.as_ref())
        .err()
        .map(|_| Error::new(Code::DOCUMENT_VALIDATION_FAILURE, "Document failed validation"))
}
