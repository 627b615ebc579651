//! Updating documents.

use super::change::{Change, ChangeKind};
use super::lookup::Lookup;
use super::run::{Executed, Statement, run_all};
use super::single::Done;
use super::{Failures, WriteError, WriteOptions};
use crate::{Code, QueryError};
use language::expression::Variables;
use std::sync::Arc;
use store::{Collection, ReplayedKind};
use update::Update;
use value::{Value, ValueRef};

/// One statement of an update.
#[derive(Clone, Debug)]
pub struct UpdateRequest {
    /// Which documents.
    pub lookup: Lookup,
    /// How they are changed.
    pub update: Arc<Update>,
    /// Whether all are changed, not only the first.
    pub multi: bool,
    /// Whether a document is inserted if none matches.
    pub upsert: bool,
    /// The variables that the update sees.
    pub variables: Arc<Variables>,
}

/// What the statements of an update did.
#[derive(Clone, Debug, Default)]
pub struct Updated {
    /// The number of documents matched, without upserts.
    pub matched: u64,
    /// The number of documents changed.
    pub modified: u64,
    /// Statement position and `_id` of each document that was made.
    pub upserted: Vec<(usize, Value)>,
    /// The statements that failed.
    pub failures: Failures,
}

/// Executes the statements of an update in order.
pub async fn update(
    collection: &Arc<Collection>,
    requests: Vec<UpdateRequest>,
    options: &WriteOptions,
) -> Result<Updated, WriteError> {
    let mut updated = Updated::default();
    let count = |at, executed| match executed {
        Executed::Many(counts) => {
            updated.matched += counts.matched;
            updated.modified += counts.changed;
        }
        Executed::Single(done) => updated.count(at, done),
    };
    let failures = run_all(collection, requests, options, count).await?;
    Ok(Updated { failures, ..updated })
}

impl Statement for UpdateRequest {
    fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    fn change(&self, options: &WriteOptions) -> Arc<Change> {
        Arc::new(Change {
            filter: self.lookup.filter.clone(),
            kind: ChangeKind::Update(self.update.clone()),
            variables: self.variables.clone(),
            validator: options.validator.clone(),
            interruption: options.interruption.clone(),
        })
    }

    fn is_multi(&self) -> bool {
        self.multi
    }

    fn is_upsert(&self) -> bool {
        self.upsert
    }

    fn check_multi(&self) -> Result<(), WriteError> {
        if self.update.is_replacement() {
            return Err(QueryError::new(
                Code::FAILED_TO_PARSE,
                "multi update is not supported for replacement-style update",
            )
            .into());
        }
        Ok(())
    }
}

impl Updated {
    fn count(&mut self, at: usize, done: Done) {
        match done {
            Done::Changed { .. } => {
                self.matched += 1;
                self.modified += 1;
            }
            Done::Unchanged(_) => self.matched += 1,
            Done::Upserted(document) => self.upserted.extend(id_of(&document).map(|id| (at, id))),
            Done::Replayed(replayed) => match (replayed.kind, replayed.upserted) {
                (_, Some(id)) => self.upserted.push((at, id)),
                (ReplayedKind::Updated, None) => {
                    self.matched += 1;
                    self.modified += 1;
                }
                _ => {}
            },
            Done::Deleted(_) | Done::NothingMatched => {}
        }
    }
}

pub(super) fn id_of(document: &value::DocumentBuf) -> Option<Value> {
    document.as_raw().get("_id").map(ValueRef::to_value)
}
