//! One statement that changes at most one document.

use super::by_id::{self, fixed_id};
use super::change::{Change, ChangeOne, Missing};
use super::lookup::Lookup;
use super::report::{Operation, Report};
use super::{LOOKUP_ATTEMPTS_MAX, WriteError, WriteOptions};
use crate::plan::Ordering;
use crate::{Code, QueryError};
use language::filter::{Comparison, Node, Predicate};
use std::sync::Arc;
use store::{
    Collection, CommitOptions, Image, Outcome, ReplayedOutcome, StatementId, StoreError, Target, WriteOp,
};
use value::{Document, DocumentBuf, compare};

/// A statement that changes the first document that matches.
#[derive(Clone, Debug)]
pub(super) struct Single {
    pub(super) change: Arc<Change>,
    pub(super) lookup: Lookup,
    pub(super) upsert: bool,
    pub(super) statement: Option<StatementId>,
    pub(super) image: Image,
}

/// Its result.
#[derive(Debug)]
pub(super) enum Done {
    Changed { before: DocumentBuf, after: DocumentBuf },
    Unchanged(DocumentBuf),
    Deleted(DocumentBuf),
    Upserted(DocumentBuf),
    NothingMatched,
    Replayed(ReplayedOutcome),
}

impl Done {
    /// Whether a document matched.
    pub(super) fn found(&self) -> bool {
        matches!(self, Done::Changed { .. } | Done::Unchanged(_) | Done::Deleted(_))
    }
}

impl Single {
    /// The operation for the committer, if the filter fixes `_id`; otherwise `None`.
    pub(super) fn op_by_id(&self, collection: &Collection) -> Option<Operation> {
        // A hint needs the planner even if it cannot help, because a hint that names no index is an error.
        let id = match &self.lookup.hint {
            None => fixed_id(&self.change.filter)?,
            Some(_) => return None,
        };
        // Unless the filter is just an `_id`, the keys of a sort are computed, which may fail.
        let is_sorted = matches!(self.lookup.ordering, Ordering::By(_));
        if is_sorted && !self.change.filter.is_written_by_id() {
            return None;
        }
        // Several documents may have the `_id`, and the first need not be the one that matches.
        if collection.options().repeats_ids() {
            return None;
        }
        let missing = match self.upsert {
            true => Missing::IsMade {
                namespace: collection.namespace().to_string(),
            },
            false => Missing::Stays,
        };
        Some(self.op(Target::Id(id), missing, None))
    }

    fn op(&self, target: Target, missing: Missing, drawn: Option<DocumentBuf>) -> Operation {
        let report = Report::default();
        let one = ChangeOne {
            change: self.change.clone(),
            missing,
            drawn,
            report: report.clone(),
        };
        Operation {
            write: WriteOp::modify(target, one),
            report,
        }
    }

    /// Executes the statement by itself.
    pub(super) async fn execute(
        &self,
        collection: &Arc<Collection>,
        options: &WriteOptions,
    ) -> Result<Done, WriteError> {
        if let Some(operation) = self.op_by_id(collection) {
            let done = self.commit(collection, options, operation).await;
            by_id::note(done.as_ref().is_ok_and(Done::found));
            return done;
        }
        // Boxed, to keep the futures of statements by `_id` small.
        Box::pin(self.look_up_and_change(collection, options)).await
    }

    async fn look_up_and_change(
        &self,
        collection: &Arc<Collection>,
        options: &WriteOptions,
    ) -> Result<Done, WriteError> {
        // A retried statement is answered before it looks for a document: after its own change the filter may match
        // another one.
        if let Some(statement) = &self.statement
            && let Some(replayed) = collection.executed(statement).await?
        {
            return Ok(Done::Replayed(replayed));
        }
        for _ in 0..LOOKUP_ATTEMPTS_MAX {
            options.interruption.check()?;
            let Some(found) = self.lookup.first(collection, &options.interruption).await? else {
                if !self.upsert {
                    return Ok(Done::NothingMatched);
                }
                match self.insert_new(collection, options).await {
                    Err(WriteError::Store(StoreError::DuplicateKey { pattern, key, .. }))
                        if self.names_key(&pattern, &key) => {}
                    done => return done,
                }
                continue;
            };
            let drawn = self.change.drawn(&found.document);
            let operation = self.op(Target::Record(found.record), Missing::Stays, drawn);
            match self.commit(collection, options, operation).await? {
                // The document was changed or deleted after it was found: another may match.
                Done::NothingMatched => {}
                done => return Ok(done),
            }
        }
        Err(QueryError::new(
            Code::WRITE_CONFLICT,
            format!(
                "the statement looked {LOOKUP_ATTEMPTS_MAX} times for a document and each time another write was first"
            ),
        )
        .into())
    }

    async fn insert_new(
        &self,
        collection: &Arc<Collection>,
        options: &WriteOptions,
    ) -> Result<Done, WriteError> {
        let (id, document) = self.change.new_document()?;
        let missing = Missing::Becomes {
            document,
            namespace: collection.namespace().to_string(),
        };
        self.commit(collection, options, self.op(Target::Id(id), missing, None))
            .await
    }

    /// Whether the duplicate key has the values that the filter asks for, and the filter asks for nothing else. If so, a concurrent
    /// statement has inserted the document, which matches now, and this one is tried again instead of failing. With other conditions,
    /// the document might exist without matching, and trying would never end.
    fn names_key(&self, pattern: &Document, key: &Document) -> bool {
        let equalities = self.change.filter.equalities();
        asks_values_alone(self.change.filter.root())
            && equalities.len() == pattern.len()
            && pattern.iter().all(|(name, _)| {
                let wanted = equalities.iter().find(|(path, _)| *path == name);
                let taken = key.get(name);
                matches!((wanted, taken), (Some((_, a)), Some(b)) if compare(a.as_ref(), b.as_ref()).is_eq())
            })
    }

    async fn commit(
        &self,
        collection: &Arc<Collection>,
        options: &WriteOptions,
        operation: Operation,
    ) -> Result<Done, WriteError> {
        let statements = self.statement.map(|statement| vec![Some(statement)]);
        let commit = CommitOptions {
            image: self.image,
            ..options.commit(statements.unwrap_or_default())
        };
        let outcomes = collection.commit(vec![operation.write], commit).await?;
        let outcome = outcomes.into_iter().next();
        done(outcome.unwrap_or(Outcome::NotMatched), &operation.report)
    }
}

/// Whether a filter only asks that fields have certain values.
fn asks_values_alone(node: &Node) -> bool {
    match node {
        Node::And(children) => children.iter().all(asks_values_alone),
        Node::Field {
            predicate: Predicate::Compare {
                op: Comparison::Eq, ..
            },
            ..
        } => true,
        _ => false,
    }
}

/// The result of a statement with this outcome.
pub(super) fn done(outcome: Outcome, report: &Report) -> Result<Done, WriteError> {
    Ok(match outcome {
        Outcome::Inserted { .. } => match report.upserted() {
            Some(document) => Done::Upserted(document),
            None => Done::NothingMatched,
        },
        Outcome::Updated { before, after } => Done::Changed { before, after },
        Outcome::Deleted { before } => Done::Deleted(before),
        Outcome::Unchanged { document } => Done::Unchanged(document),
        Outcome::NotMatched | Outcome::Skipped => Done::NothingMatched,
        // Outcomes of operations that are not used here.
        Outcome::Edited { .. } | Outcome::Conflict | Outcome::Purged { .. } | Outcome::Local => {
            Done::NothingMatched
        }
        Outcome::Failed(error) => return Err(report.error(error)),
        Outcome::Replayed(replayed) => Done::Replayed(replayed),
    })
}
