//! Inserting, updating, deleting.

mod statements;

pub use statements::{DeleteStatement, FindAndModifyRequest, UpdateStatement};

use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::tables::users;
use crate::time_series::TimeSeries;
use code::Code;
use kv::Durability;
use query::write::{self, DeleteRequest, UpdateRequest, WriteError};
use std::sync::Arc;
use store::{Collection, Namespace, StatementId};
use value::{DocumentBuf, Value};

/// The code of pipelines with a stage of an unknown name.
const UNKNOWN_STAGE: Code = Code::location(40_324);

/// How writes are made.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Whether the first failed statement ends the command.
    pub ordered: bool,
    /// Whether the answer waits for the flush to disk.
    pub journaled: bool,
    /// Whether documents are written without the collection's validator.
    pub bypass_validation: bool,
    /// Whether empty timestamps of whole documents stay empty, instead of becoming the present time.
    pub keeps_empty_timestamps: bool,
    /// The number of the command's first statement, for retries (`stmtId`).
    pub first_statement: i32,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions {
            ordered: true,
            journaled: true,
            bypass_validation: false,
            keeps_empty_timestamps: false,
            first_statement: 0,
        }
    }
}

impl WriteOptions {
    pub(crate) fn durability(&self) -> Durability {
        durability(self.journaled)
    }

    /// The ids of statements by their positions in the command; empty outside retryable writes.
    fn statements(
        &self,
        context: &Context,
        positions: impl Iterator<Item = usize>,
    ) -> Vec<Option<StatementId>> {
        match context.statement(self.first_statement) {
            None => Vec::new(),
            Some(_) => positions
                .map(|at| context.statement(self.first_statement + at as i32))
                .collect(),
        }
    }
}

/// When a commit is answered whose client waits for the flush to disk, or does not.
pub(crate) fn durability(journaled: bool) -> Durability {
    match journaled {
        true => Durability::Flushed,
        false => Durability::Soon,
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

/// What the statements of a delete did.
#[derive(Clone, Debug, Default)]
pub struct DeleteReply {
    /// Documents deleted.
    pub deleted: u64,
    /// The statements that failed.
    pub failures: Vec<WriteFailure>,
}

/// What `findAndModify` did.
#[derive(Clone, Debug, Default)]
pub struct FindAndModifyReply {
    /// The document before or after the change, projected; `None` if there was none.
    pub document: Option<DocumentBuf>,
    /// Whether a document that was there was changed or removed.
    pub existed: bool,
    /// The `_id` of the document that was made.
    pub upserted: Option<Value>,
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Error {
        match error {
            WriteError::Language(error) => error.into(),
            WriteError::Store(error) => error.into(),
            WriteError::Validation(info) => {
                Error::new(Code::DOCUMENT_VALIDATION_FAILURE, "Document failed validation")
                    .with_detail("errInfo", *info)
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

impl Engine {
    /// Inserts documents; creates the collection if it does not exist.
    pub async fn insert(
        &self,
        context: &Context,
        namespace: &Namespace,
        documents: Vec<DocumentBuf>,
        options: &WriteOptions,
    ) -> Result<InsertReply> {
        if let Some(target) = self.buckets_of(namespace) {
            return Box::pin(self.insert_buckets(context, &target, &documents, options)).await;
        }
        let collection = self.for_writing(namespace).await?;
        let series = TimeSeries::of(&collection.options());
        let timeless = series.as_ref().and_then(|series| {
            let mut checked = documents.iter().map(|document| series.check_document(document));
            checked.position(|checked| checked.is_err())
        });
        if let (Some(series), Some(index)) = (&series, timeless) {
            // As MongoDB does, all of a batch with a document without time is refused.
            series.check_document(&documents[index])?;
        }
        let write = self.write_options(context, &collection, options, 0..documents.len())?;
        let inserted = write::insert(&collection, documents, &write).await?;
        Ok(InsertReply {
            inserted: inserted.count,
            failures: inserted.failures.into_iter().map(WriteFailure::of).collect(),
        })
    }

    /// Executes the statements of an update. An upsert creates the collection if it does not exist.
    pub async fn update(
        &self,
        context: &Context,
        namespace: &Namespace,
        statements: Vec<UpdateStatement>,
        options: &WriteOptions,
    ) -> Result<UpdateReply> {
        let upserts = statements.iter().any(|statement| statement.upsert);
        let default = self.collation(namespace, None)?;
        let keeps = options.keeps_empty_timestamps;
        let parse = |statement: &UpdateStatement| {
            refuse_many_again(context, statement.multi, "multi=true")?;
            statement.parse(context, default.as_ref(), keeps)
        };
        let (parsed, mut failures) = parse_all(&statements, options.ordered, parse);
        // A stage that does not exist fails the command, not its statement alone, as in MongoDB.
        if let Some(unknown) = failures
            .iter()
            .find(|failure| failure.error.code == UNKNOWN_STAGE)
        {
            return Err(unknown.error.clone());
        }
        let mut reply = UpdateReply::default();
        let (positions, requests): (Vec<usize>, Vec<UpdateRequest>) = parsed.into_iter().unzip();
        if let Some(collection) = self.target(namespace, upserts && !requests.is_empty()).await? {
            if let Some(series) = TimeSeries::of(&collection.options()) {
                statements
                    .iter()
                    .try_for_each(|statement| series.check_update(statement))?;
            }
            let write = self.write_options(context, &collection, options, positions.iter().copied())?;
            let updated = write::update(&collection, requests, &write).await?;
            reply.matched = updated.matched + updated.upserted.len() as u64;
            reply.modified = updated.modified;
            reply.upserted = updated
                .upserted
                .into_iter()
                .map(|(at, id)| (original(&positions, at), id))
                .collect();
            failures.extend(located(updated.failures, &positions));
        }
        reply.failures = first_failures(failures, options.ordered);
        Ok(reply)
    }

    /// Executes the statements of a delete.
    pub async fn delete(
        &self,
        context: &Context,
        namespace: &Namespace,
        statements: Vec<DeleteStatement>,
        options: &WriteOptions,
    ) -> Result<DeleteReply> {
        let default = self.collation(namespace, None)?;
        let parse = |statement: &DeleteStatement| {
            refuse_many_again(context, !statement.only_first, "limit=0")?;
            statement.parse(context, default.as_ref())
        };
        let (parsed, mut failures) = parse_all(&statements, options.ordered, parse);
        let mut reply = DeleteReply::default();
        let (positions, requests): (Vec<usize>, Vec<DeleteRequest>) = parsed.into_iter().unzip();
        let are_users = *namespace == users::namespace();
        let collection = match are_users {
            true => self.store().collection(namespace),
            false => self.target(namespace, false).await?,
        };
        if let Some(collection) = collection {
            let write = self.write_options(context, &collection, options, positions.iter().copied())?;
            let deleted = match are_users {
                true => self.delete_users(&collection, requests, write).await?,
                false => write::delete(&collection, requests, &write).await?,
            };
            reply.deleted = deleted.count;
            failures.extend(located(deleted.failures, &positions));
        }
        reply.failures = first_failures(failures, options.ordered);
        Ok(reply)
    }

    /// Changes or removes one document and returns it.
    pub async fn find_and_modify(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: FindAndModifyRequest,
        options: &WriteOptions,
    ) -> Result<FindAndModifyReply> {
        let default = self.collation(namespace, None)?;
        let parsed = request.parse(context, default.as_ref(), options.keeps_empty_timestamps)?;
        let Some(collection) = self.target(namespace, request.upsert).await? else {
            return Ok(FindAndModifyReply::default());
        };
        if request.update.is_some() && TimeSeries::of(&collection.options()).is_some() {
            let message = "Cannot perform a non-multi update on a time-series collection";
            return Err(Error::new(Code::INVALID_OPTIONS, message));
        }
        let write = self.write_options(context, &collection, options, 0..1)?;
        let _turn = self.turn_to_answer(context, &collection).await?;
        let done = write::find_and_modify(&collection, &parsed, &write).await?;
        Ok(FindAndModifyReply {
            document: done.document,
            existed: done.existed,
            upserted: done.upserted,
        })
    }

    /// The collection that a write changes. If it does not exist, it is created if `makes`, and otherwise `None`.
    async fn target(&self, namespace: &Namespace, makes: bool) -> Result<Option<Arc<Collection>>> {
        if self.buckets_of(namespace).is_some() {
            let message =
                format!("the buckets {namespace} can be read and inserted into: change the time series");
            return Err(Error::new(Code::ILLEGAL_OPERATION, message));
        }
        self.check_writable(namespace)?;
        match makes || self.store().collection(namespace).is_some() {
            true => self.for_writing(namespace).await.map(Some),
            false => crate::catalog::names::check_namespace(namespace).map(|()| None),
        }
    }

    fn write_options(
        &self,
        context: &Context,
        collection: &Collection,
        options: &WriteOptions,
        positions: impl Iterator<Item = usize>,
    ) -> Result<write::WriteOptions> {
        let validator = if options.bypass_validation {
            None
        } else {
            self.validators().of(collection)?
        };
        Ok(write::WriteOptions {
            ordered: options.ordered,
            durability: options.durability(),
            validator,
            keeps_empty_timestamps: options.keeps_empty_timestamps,
            statements: options.statements(context, positions),
            interruption: context.interruption(),
        })
    }
}

/// Refuses a retryable statement that may change many documents: only one document is kept with a statement.
fn refuse_many_again(context: &Context, changes_many: bool, option: &str) -> Result<()> {
    match changes_many && context.retry_number.is_some() {
        true => Err(Error::new(
            Code::INVALID_OPTIONS,
            format!("Cannot use (or request) retryable writes with {option}"),
        )),
        false => Ok(()),
    }
}

/// Parses statements; in an ordered command those after the first wrong one are not parsed. The others keep their
/// positions in the command, because ids for retries and errors count all of its statements.
fn parse_all<S, R>(
    statements: &[S],
    ordered: bool,
    parse: impl Fn(&S) -> Result<R>,
) -> (Vec<(usize, R)>, Vec<WriteFailure>) {
    let mut parsed = Vec::with_capacity(statements.len());
    let mut failures = Vec::new();
    for (index, statement) in statements.iter().enumerate() {
        match parse(statement) {
            Ok(request) => parsed.push((index, request)),
            Err(error) => {
                failures.push(WriteFailure { index, error });
                if ordered {
                    break;
                }
            }
        }
    }
    (parsed, failures)
}

/// The position in the command of a statement that was parsed.
fn original(positions: &[usize], at: usize) -> usize {
    positions.get(at).copied().unwrap_or(at)
}

fn located(failures: write::Failures, positions: &[usize]) -> impl Iterator<Item = WriteFailure> {
    failures
        .into_iter()
        .map(|(at, error)| WriteFailure::of((original(positions, at), error)))
}

/// Failures in the order of their statements; of an ordered command only the first.
fn first_failures(mut failures: Vec<WriteFailure>, ordered: bool) -> Vec<WriteFailure> {
    failures.sort_by_key(|failure| failure.index);
    if ordered {
        failures.truncate(1);
    }
    failures
}
