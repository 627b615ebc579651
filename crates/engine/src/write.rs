//! Inserting, updating, deleting.

use crate::{Context, Engine, Error, Result};
use kv::Durability;
use query::Code;
use query::write::{self, InsertOptions, WriteError};
use store::{Namespace, StatementId};
use value::{Document, DocumentBuf, Value};

/// How writes are made.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Whether the first failed statement ends the command.
    pub ordered: bool,
    /// Whether the answer waits for the flush to disk.
    pub journaled: bool,
    /// Whether the collection's validator is passed by.
    pub bypass_validation: bool,
    /// The number of the command's first statement, for retries (`stmtId`).
    pub first_statement: i32,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions {
            ordered: true,
            journaled: true,
            bypass_validation: false,
            first_statement: 0,
        }
    }
}

impl WriteOptions {
    pub(crate) fn durability(&self) -> Durability {
        if self.journaled {
            Durability::Flushed
        } else {
            Durability::Soon
        }
    }
}

/// A statement that failed.
#[derive(Clone, Debug)]
pub struct WriteFailure {
    /// The statement's position in the command.
    pub index: usize,
    /// Why.
    pub error: Error,
}

/// What an insert did.
#[derive(Clone, Debug, Default)]
pub struct InsertReply {
    /// Documents inserted.
    pub inserted: u64,
    /// The statements that failed.
    pub failures: Vec<WriteFailure>,
}

/// One statement of an update.
#[derive(Clone, Debug, Default)]
pub struct UpdateStatement {
    /// Which documents.
    pub filter: Document,
    /// Operators or a replacement (a document), or a pipeline (an array).
    pub update: Option<Value>,
    /// All matching documents, not only the first.
    pub multi: bool,
    /// Whether a document is made where none matches.
    pub upsert: bool,
    /// Which array elements `$[name]` means.
    pub array_filters: Vec<Document>,
    /// The index to use.
    pub hint: Option<Value>,
    /// Which document is the first.
    pub sort: Document,
    /// Variables for `$expr` and pipelines.
    pub variables: Document,
    /// Constants that a pipeline sees.
    pub constants: Document,
}

/// What the statements of an update did.
#[derive(Clone, Debug, Default)]
pub struct UpdateReply {
    /// Documents matched, upserts included.
    pub matched: u64,
    /// Documents changed.
    pub modified: u64,
    /// Statement position and `_id` of each upserted document.
    pub upserted: Vec<(usize, Value)>,
    /// The statements that failed.
    pub failures: Vec<WriteFailure>,
}

/// One statement of a delete.
#[derive(Clone, Debug, Default)]
pub struct DeleteStatement {
    /// Which documents.
    pub filter: Document,
    /// Only the first.
    pub only_first: bool,
    /// The index to use.
    pub hint: Option<Value>,
    /// Variables for `$expr`.
    pub variables: Document,
}

/// What the statements of a delete did.
#[derive(Clone, Debug, Default)]
pub struct DeleteReply {
    /// Documents deleted.
    pub deleted: u64,
    /// The statements that failed.
    pub failures: Vec<WriteFailure>,
}

/// What `findAndModify` is asked.
#[derive(Clone, Debug, Default)]
pub struct FindAndModifyRequest {
    /// Which document.
    pub filter: Document,
    /// The first in this order.
    pub sort: Document,
    /// How it is changed; none removes it.
    pub update: Option<Value>,
    /// Whether the document is given as it is afterwards.
    pub return_new: bool,
    /// What of the document is given.
    pub projection: Document,
    /// Whether a document is made where none matches.
    pub upsert: bool,
    /// Which array elements `$[name]` means.
    pub array_filters: Vec<Document>,
    /// The index to use.
    pub hint: Option<Value>,
    /// Variables for `$expr` and pipelines.
    pub variables: Document,
}

/// What `findAndModify` did.
#[derive(Clone, Debug, Default)]
pub struct FindAndModifyReply {
    /// The document before or after, projected; none where there was none.
    pub document: Option<DocumentBuf>,
    /// Whether a document that was there was changed or removed.
    pub existed: bool,
    /// The `_id` of the document that was made.
    pub upserted: Option<Value>,
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Error {
        match error {
            WriteError::Query(error) => error.into(),
            WriteError::Store(error) => error.into(),
            WriteError::Validation(info) => {
                Error::new(Code(121), "Document failed validation").with_detail("errInfo", *info)
            }
        }
    }
}

impl WriteFailure {
    fn of((index, error): (usize, WriteError)) -> WriteFailure {
        WriteFailure {
            index,
            error: error.into(),
        }
    }
}

impl WriteOptions {
    /// The statement ids of a command's statements; empty outside retryable writes.
    fn statements(&self, context: &Context, count: usize) -> Vec<Option<StatementId>> {
        match context.statement(self.first_statement) {
            None => Vec::new(),
            Some(_) => (0..count)
                .map(|at| context.statement(self.first_statement + at as i32))
                .collect(),
        }
    }
}

impl Engine {
    /// Inserts documents; the collection is made where it does not exist.
    pub async fn insert(
        &self,
        context: &Context,
        namespace: &Namespace,
        documents: Vec<DocumentBuf>,
        options: WriteOptions,
    ) -> Result<InsertReply> {
        let collection = self.for_writing(namespace).await?;
        let validator = if options.bypass_validation {
            None
        } else {
            self.validator(&collection)?
        };
        let insert = InsertOptions {
            ordered: options.ordered,
            durability: options.durability(),
            validator,
            statements: options.statements(context, documents.len()),
        };
        let inserted = write::insert(&collection, documents, insert).await?;
        Ok(InsertReply {
            inserted: inserted.count,
            failures: inserted.failures.into_iter().map(WriteFailure::of).collect(),
        })
    }
}
