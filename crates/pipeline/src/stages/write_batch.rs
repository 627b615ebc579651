//! What `$out` and `$merge` share: documents collected to be written together, and what writing gives back.

use crate::collections::WriteTarget;
use crate::row::Row;
use crate::{Code, QueryError, Result};
use query::write::{CHANGES_PER_COMMIT_MAX, Failures, WriteError, WriteOptions, insert};
use store::Durability;
use value::DocumentBuf;

/// The documents that are written together, as in MongoDB: of these, all are written that can be.
const DOCUMENTS_MAX: usize = 100_000;

/// The bytes of documents after which no more are collected: a long one does not wait for others.
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// Documents that wait to be written.
#[derive(Default)]
pub(super) struct WriteBatch {
    documents: Vec<DocumentBuf>,
    bytes: usize,
}

impl WriteBatch {
    /// Takes one more; gives back all once they are enough.
    pub(super) fn add(&mut self, row: Row) -> Result<Option<Vec<DocumentBuf>>> {
        let document = row.into_bson()?;
        self.bytes += document.bytes().len();
        self.documents.push(document);
        let full = self.documents.len() >= DOCUMENTS_MAX || self.bytes >= BYTES_MAX;
        Ok(full.then(|| self.take()))
    }

    /// All that wait.
    pub(super) fn take(&mut self) -> Vec<DocumentBuf> {
        self.bytes = 0;
        std::mem::take(&mut self.documents)
    }
}

/// Inserts all documents that can be; the first that is refused is the error. They are durable once the pipeline's end is
/// flushed.
pub(super) async fn insert_all(target: &WriteTarget, documents: Vec<DocumentBuf>) -> Result<()> {
    if let Some(check) = &target.check {
        documents.iter().try_for_each(|document| check.check(document))?;
    }
    let options = write_options(target);
    let mut failures = Failures::new();
    let mut documents = documents.into_iter();
    while documents.len() > 0 {
        let together = documents.by_ref().take(CHANGES_PER_COMMIT_MAX).collect();
        let inserted = insert(&target.collection, together, &options).await?;
        failures.extend(inserted.failures);
    }
    first_failure(failures)
}

/// How statements on the target are executed: all of them, whatever becomes of the others.
pub(super) fn write_options(target: &WriteTarget) -> WriteOptions {
    WriteOptions {
        ordered: false,
        durability: Durability::Soon,
        validator: target.validator.clone(),
        ..WriteOptions::default()
    }
}

/// The first statement that failed, as the pipeline's error.
pub(super) fn first_failure(failures: Failures) -> Result<()> {
    match failures.into_iter().next() {
        Some((_, error)) => Err(as_query_error(error)),
        None => Ok(()),
    }
}

/// A failed write as the pipeline's error.
pub(super) fn as_query_error(error: WriteError) -> QueryError {
    match error {
        WriteError::Language(error) => error.into(),
        WriteError::Store(error) => error.into(),
        WriteError::Validation(_) => {
            QueryError::new(Code::DOCUMENT_VALIDATION_FAILURE, "Document failed validation")
        }
    }
}
