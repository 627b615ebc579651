//! Notes: what a protocol keeps with a document besides its fields, written with its revisions.

use super::{EditOutcome, RevisionedCollection, RevisionedSnapshot, edit_outcome};
use crate::error::{Error, Result};
use code::Code;
use std::ops::Bound;
use store::{PageLimit, Resolve, WriteOp};
use value::{DocumentBuf, Value, ValueRef};

impl RevisionedCollection {
    /// Writes revisions that follow several leaves or stand beside them, with the notes of their documents. Each is independent of the
    /// others. Returns one outcome for each.
    pub async fn resolve(&self, resolves: Vec<Resolve>, journaled: bool) -> Result<Vec<EditOutcome>> {
        let validator = self.engine.validators().of(&self.collection)?;
        let mut outcomes: Vec<Option<EditOutcome>> = Vec::with_capacity(resolves.len());
        let mut operations = Vec::with_capacity(resolves.len());
        for resolve in resolves {
            let refused = resolve.document.as_ref().is_some_and(|(document, _)| {
                let document = document.as_ref();
                validator
                    .as_deref()
                    .is_some_and(|validator| validator.check_insert(document).is_err())
            });
            if !refused {
                operations.push(WriteOp::Resolve(resolve));
            }
            let failed = || Error::new(Code::DOCUMENT_VALIDATION_FAILURE, "Document failed validation");
            outcomes.push(refused.then(|| EditOutcome::Refused(failed())));
        }
        let mut committed = self.commit(operations, journaled).await?.into_iter();
        let outcome = |known: Option<EditOutcome>| {
            known.unwrap_or_else(|| committed.next().map_or(EditOutcome::Conflict, edit_outcome))
        };
        Ok(outcomes.into_iter().map(outcome).collect())
    }
}

impl RevisionedSnapshot {
    /// The notes of a document; `None` if it has none.
    pub async fn notes(&self, id: ValueRef<'_>) -> Result<Option<DocumentBuf>> {
        Ok(self.snapshot.notes(id).await?)
    }

    /// The notes of several documents, in their order.
    pub async fn notes_of(&self, ids: &[Value]) -> Result<Vec<Option<DocumentBuf>>> {
        Ok(self.snapshot.notes_of(ids).await?)
    }

    /// The terms of a name within a range, with the `_id`s of their documents, including deleted ones. They come after a term and
    /// `_id` if these are given. Returns false if there are more.
    pub async fn terms(
        &self,
        name: &str,
        range: (Bound<Value>, Bound<Value>),
        after: Option<&(Value, Value)>,
        limit: PageLimit,
    ) -> Result<(Vec<(Value, Value)>, bool)> {
        Ok(self.snapshot.terms(name, range, after, limit).await?)
    }
}
