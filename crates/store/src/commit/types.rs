//! The operations of a commit, its options and its outcomes.

use super::PlacedDocument;
use crate::{Durability, RecordId, Revision, RevisionHash, RevisionPath, StoreError};
use value::{DocumentBuf, Value};

/// One operation of a commit.
pub enum WriteOp {
    /// Inserts a document. Fails with [`StoreError::DuplicateKey`] if a unique key is taken.
    Insert(DocumentBuf),
    /// Inserts a document that was placed in this collection.
    InsertPlaced(PlacedDocument),
    /// Runs `transform` in the committer on the document as it is at that moment.
    Modify {
        /// Which document.
        target: Target,
        /// How it is changed.
        transform: Box<dyn Transform>,
    },
    /// Adds a revision to a document's history.
    Edit(Edit),
    /// Follows several leaves of a document's history at once.
    Resolve(Resolve),
    /// Removes leaves of a document's history as if they had never been.
    Purge {
        /// The document's `_id`.
        id: Value,
        /// The leaves.
        revisions: Vec<Revision>,
    },
    /// Drops the bodies of a document's superseded revisions.
    ForgetSuperseded(Value),
    /// Puts a local document, which is in no log and has no history, or removes it.
    Local {
        /// Its name.
        name: String,
        /// Its new value; `None` removes it.
        document: Option<DocumentBuf>,
    },
}

/// A revision that a document gets.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The whole document. For a deletion: its `_id`, and fields to keep with the deletion.
    pub document: DocumentBuf,
    /// Whether it deletes the document.
    pub deleted: bool,
    /// Where it stands in the history.
    pub origin: EditOrigin,
}

/// A revision that follows several leaves or none, with the notes of its document. It is for protocols that keep the versions that
/// a client did not know beside the one that it wrote, as Riak's siblings.
#[derive(Clone, Debug)]
pub struct Resolve {
    /// The document's `_id`.
    pub id: Value,
    /// The leaves that the caller knows of, except deletions. If there are others, that is a conflict.
    pub leaves: Vec<Revision>,
    /// Those of them that end: the new revision follows the first, the others are deleted.
    pub ended: Vec<Revision>,
    /// The document with the hash of its revision; `None` if nothing follows, so that the first is deleted too.
    pub document: Option<(DocumentBuf, RevisionHash)>,
    /// The new notes of the document; `None` leaves them as they are.
    pub notes: Option<Notes>,
}

/// Names of indexes with a term in each.
pub type Terms = Vec<(String, Value)>;

/// What a protocol keeps with a document besides its fields. No other protocol sees or changes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Notes {
    /// The protocol's own data.
    pub content: DocumentBuf,
    /// The terms under which the document is found.
    pub terms: Terms,
}

/// Where a revision stands in a document's history.
#[derive(Clone, Debug)]
pub enum EditOrigin {
    /// It follows this leaf; `None` if the document does not exist or is deleted. If the revision is not a leaf, that is
    /// a conflict.
    After(Option<Revision>),
    /// Another store made it: the revision itself, then its ancestors. It never conflicts.
    Given(RevisionPath),
}

impl WriteOp {
    /// A [`WriteOp::Modify`] of this transformation.
    pub fn modify(target: Target, transform: impl Transform + 'static) -> WriteOp {
        WriteOp::Modify {
            target,
            transform: Box::new(transform),
        }
    }
}

impl std::fmt::Debug for WriteOp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WriteOp::Insert(document) => f.debug_tuple("Insert").field(document).finish(),
            WriteOp::InsertPlaced(document) => f.debug_tuple("InsertPlaced").field(document).finish(),
            WriteOp::Modify { target, .. } => f.debug_struct("Modify").field("target", target).finish(),
            WriteOp::Edit(edit) => f.debug_tuple("Edit").field(edit).finish(),
            WriteOp::Resolve(resolve) => f.debug_tuple("Resolve").field(resolve).finish(),
            WriteOp::Purge { id, .. } => f.debug_struct("Purge").field("id", id).finish(),
            WriteOp::ForgetSuperseded(id) => f.debug_tuple("ForgetSuperseded").field(id).finish(),
            WriteOp::Local { name, .. } => f.debug_struct("Local").field("name", name).finish(),
        }
    }
}

/// Which document a [`WriteOp::Modify`] is about.
#[derive(Clone, Debug)]
pub enum Target {
    /// The one with this record id.
    Record(RecordId),
    /// The one with this `_id`, which may not exist.
    Id(Value),
}

/// A change of one document. It may run more than once, for example after another process has committed first, so it must return
/// the same result for the same document.
pub trait Transform: Send {
    /// Returns what to do with the document; `present` is `None` if there is none.
    fn transform(&mut self, present: Option<Present<'_>>) -> Result<Transformed, StoreError>;
}

impl<F> Transform for F
where
    F: FnMut(Option<Present<'_>>) -> Result<Transformed, StoreError> + Send,
{
    fn transform(&mut self, present: Option<Present<'_>>) -> Result<Transformed, StoreError> {
        self(present)
    }
}

/// A document as the committer finds it.
#[derive(Clone, Copy, Debug)]
pub struct Present<'a> {
    /// Where the document is.
    pub record: RecordId,
    /// The document.
    pub document: &'a DocumentBuf,
}

/// What a [`Transform`] decides.
#[derive(Clone, Debug)]
pub enum Transformed {
    /// The document matches, but is already as it should be.
    Unchanged,
    /// The document does not match, or no longer.
    NotMatched,
    /// The document becomes this one; where none was present, it is inserted.
    Put(DocumentBuf),
    /// The document is removed.
    Delete,
}

/// How a commit is made.
#[derive(Clone, Debug)]
pub struct CommitOptions {
    /// Stop at the first failed operation; later ones are [`Outcome::Skipped`].
    pub ordered: bool,
    /// When the commit is answered.
    pub durability: Durability,
    /// The statement that each operation executes, for exactly-once retries: empty, or one for each operation.
    pub statements: Vec<Option<StatementId>>,
    /// Which document is kept with the statement.
    pub image: Image,
}

impl Default for CommitOptions {
    /// Ordered, flushed, without statements.
    fn default() -> CommitOptions {
        CommitOptions {
            ordered: true,
            durability: Durability::Flushed,
            statements: Vec::new(),
            image: Image::None,
        }
    }
}

/// A statement of a retryable write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementId {
    /// The digest of the logical session and its user.
    pub session: [u8; 32],
    /// The transaction number, which rises by one with each command.
    pub number: i64,
    /// The statement within the command.
    pub statement: i32,
}

/// Which document a retried findAndModify returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Image {
    /// None is kept.
    #[default]
    None,
    /// The one before the change.
    Before,
    /// The one after the change.
    After,
}

/// What became of one operation.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The document was inserted, by an insert or by a transformation of a missing one.
    Inserted {
        /// Where the document is.
        record: RecordId,
    },
    /// The document was changed.
    Updated {
        /// As it was.
        before: DocumentBuf,
        /// As it is.
        after: DocumentBuf,
    },
    /// The document was removed.
    Deleted {
        /// As it was.
        before: DocumentBuf,
    },
    /// The document matches and is already as it should be.
    Unchanged {
        /// As it is.
        document: DocumentBuf,
    },
    /// The document no longer matches, or does not exist.
    NotMatched,
    /// The history has this revision now, or had it before.
    Edited {
        /// The revision of the edit.
        revision: Revision,
    },
    /// The revision to follow is not a leaf.
    Conflict,
    /// Leaves were removed.
    Purged {
        /// Those that were there.
        revisions: Vec<Revision>,
    },
    /// The local document was put or removed, or bodies were dropped. Neither is in the change log.
    Local,
    /// The operation was refused; nothing of it was written.
    Failed(StoreError),
    /// Not tried, since an earlier operation of an ordered commit failed.
    Skipped,
    /// The statement was executed before; nothing was written now.
    Replayed(ReplayedOutcome),
}

/// What a statement did when it was executed.
#[derive(Clone, Debug)]
pub struct ReplayedOutcome {
    /// The kind of change.
    pub kind: ReplayedKind,
    /// The `_id` of a document that a transformation inserted.
    pub upserted: Option<Value>,
    /// The document asked for by [`CommitOptions::image`].
    pub image: Option<DocumentBuf>,
}

/// The kind of change that a statement made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayedKind {
    /// A document was inserted.
    Inserted = 1,
    /// A document was changed.
    Updated = 2,
    /// A document was removed.
    Deleted = 3,
}
