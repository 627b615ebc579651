//! Requests, prepared in the caller's task: documents are checked and index entries computed there, because a collection has
//! only one committer.

use super::{CommitOptions, Edit, EditOrigin, Outcome, PlacedDocument, Resolve, Target, Transform, WriteOp};
use crate::index::EntrySet;
use crate::index::IndexSet;
use crate::{DOCUMENT_BYTES_MAX, Revision, StoreError};
use std::ops::Range;
use tokio::sync::oneshot;
use value::{DocumentBuf, RawDocument, Type, Value};

/// The operations of one commit, whose caller waits for `reply`.
pub(crate) struct Request {
    pub(crate) operations: Vec<Operation>,
    pub(crate) options: CommitOptions,
    /// The bytes of its documents.
    pub(crate) size_bytes: usize,
    pub(crate) reply: oneshot::Sender<Result<Vec<Outcome>, StoreError>>,
    /// The index entries of all inserts, as of this version of the collection's indexes.
    pub(crate) entries: EntrySet,
    version: u64,
}

pub(crate) enum Operation {
    Insert {
        document: DocumentBuf,
        /// Its entries in the request's set, or why it can have none.
        entries: Result<Range<usize>, StoreError>,
    },
    InsertPlaced(PlacedDocument),
    Modify {
        target: Target,
        transform: Box<dyn Transform>,
    },
    Edit {
        edit: Edit,
        /// Its revision, in case the document was never there. Computed here, since hashing takes as long as applying the edit.
        first: Option<Revision>,
        /// The entries of its document in the request's set, or why it can have none.
        entries: Result<Range<usize>, StoreError>,
    },
    Resolve(Resolve),
    Purge {
        id: Value,
        revisions: Vec<Revision>,
    },
    ForgetSuperseded(Value),
    Local {
        name: String,
        document: Option<DocumentBuf>,
    },
}

impl Request {
    /// Checks documents and computes the entries of inserts.
    pub(crate) fn new(
        operations: Vec<WriteOp>,
        options: CommitOptions,
        set: &IndexSet,
        reply: oneshot::Sender<Result<Vec<Outcome>, StoreError>>,
    ) -> Request {
        let mut size_bytes = 0;
        let operation = |operation| match operation {
            WriteOp::Insert(document) => {
                size_bytes += document.bytes().len();
                Operation::Insert {
                    document,
                    entries: Ok(0..0),
                }
            }
            WriteOp::InsertPlaced(document) => Operation::InsertPlaced(document),
            WriteOp::Modify { target, transform } => Operation::Modify { target, transform },
            WriteOp::Edit(edit) => {
                size_bytes += edit.document.bytes().len();
                Operation::Edit {
                    first: first_revision(&edit),
                    edit,
                    entries: Ok(0..0),
                }
            }
            WriteOp::Resolve(resolve) => {
                let document = resolve.document.as_ref();
                size_bytes += document.map_or(0, |(document, _)| document.bytes().len());
                Operation::Resolve(resolve)
            }
            WriteOp::Purge { id, revisions } => Operation::Purge { id, revisions },
            WriteOp::ForgetSuperseded(id) => Operation::ForgetSuperseded(id),
            WriteOp::Local { name, document } => Operation::Local { name, document },
        };
        let operations = operations.into_iter().map(operation).collect();
        let mut request = Request {
            operations,
            options,
            size_bytes,
            reply,
            entries: EntrySet::default(),
            version: 0,
        };
        request.compute_entries(set);
        request
    }

    /// Computes the entries of inserts again if indexes were made or dropped since.
    pub(crate) fn follow_indexes(&mut self, set: &IndexSet) {
        if self.version != set.version {
            self.compute_entries(set);
        }
    }

    fn compute_entries(&mut self, set: &IndexSet) {
        self.entries = EntrySet::default();
        self.version = set.version;
        for operation in &mut self.operations {
            let (document, entries) = match operation {
                Operation::Insert { document, entries } => (document, entries),
                Operation::Edit { edit, entries, .. } => (&mut edit.document, entries),
                _ => continue,
            };
            let start = self.entries.len();
            let found = check(document.as_raw()).and_then(|()| self.entries.extend(set, document.as_raw()));
            *entries = found.map(|()| start..self.entries.len());
        }
    }
}

fn first_revision(edit: &Edit) -> Option<Revision> {
    let makes_document = matches!(edit.origin, EditOrigin::After(None)) && !edit.deleted;
    makes_document.then(|| Revision::of(None, false, Some(edit.document.as_raw())))
}

/// Refuses a document that cannot be stored.
pub(crate) fn check(document: RawDocument<'_>) -> Result<(), StoreError> {
    let size_bytes = document.as_bytes().len();
    if size_bytes > DOCUMENT_BYTES_MAX {
        return Err(StoreError::DocumentTooLarge { size_bytes });
    }
    let Some(id) = document.get("_id") else {
        return Err(StoreError::BadId(
            "a document without an _id cannot be stored".to_owned(),
        ));
    };
    match id.type_of() {
        kind @ (Type::Array | Type::Regex | Type::Undefined) => {
            let message = format!("The '_id' value cannot be of type {}", kind.alias());
            Err(StoreError::BadId(message))
        }
        _ => Ok(()),
    }
}
