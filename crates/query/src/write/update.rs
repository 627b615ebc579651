//! Updating documents.

use super::change::{Change, ChangeKind};
use super::lookup::Lookup;
use super::many::change_all;
use super::run::{Run, run_singles};
use super::single::{Done, Single};
use super::{Failures, WriteError, WriteOptions};
use crate::plan::{Hint, Ordering};
use crate::{Code, QueryError};
use language::expression::Variables;
use language::filter::Filter;
use language::update::Update;
use std::sync::Arc;
use store::{Collection, Image, ReplayedKind};
use value::{Value, ValueRef};

/// One statement of an update.
#[derive(Clone, Debug)]
pub struct UpdateRequest {
    /// Which documents.
    pub filter: Arc<Filter>,
    /// What becomes of them.
    pub update: Arc<Update>,
    /// All, not only the first.
    pub multi: bool,
    /// Whether a document is inserted if none matches.
    pub upsert: bool,
    /// Which document is the first.
    pub ordering: Ordering,
    /// The index to use.
    pub hint: Option<Hint>,
    /// The variables that the update sees.
    pub variables: Arc<Variables>,
}

/// What the statements of an update did.
#[derive(Clone, Debug, Default)]
pub struct Updated {
    /// Documents matched, without upserts.
    pub matched: u64,
    /// Documents changed.
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
    let runs = Run::of(requests.into_iter().map(|request| (request.multi, request)));
    for run in runs {
        let failed_before = updated.failures.len();
        match run {
            Run::Many(at, request) => match update_many(collection, &request, options).await {
                Ok((matched, modified, upserted)) => {
                    updated.matched += matched;
                    updated.modified += modified;
                    updated.upserted.extend(upserted.map(|id| (at, id)));
                }
                Err(error) => updated.failures.push((at, error)),
            },
            Run::Singles(first, requests) => {
                let singles = requests
                    .iter()
                    .enumerate()
                    .map(|(offset, request)| request.single(first + offset, options));
                for (at, result) in run_singles(collection, first, singles.collect(), options).await? {
                    match result {
                        Ok(done) => updated.count(at, done),
                        Err(error) => updated.failures.push((at, error)),
                    }
                }
            }
        }
        if options.ordered && updated.failures.len() > failed_before {
            break;
        }
    }
    Ok(updated)
}

impl UpdateRequest {
    fn change(&self, options: &WriteOptions) -> Arc<Change> {
        Arc::new(Change {
            filter: self.filter.clone(),
            kind: ChangeKind::Update(self.update.clone()),
            variables: self.variables.clone(),
            validator: options.validator.clone(),
            interruption: options.interruption.clone(),
        })
    }

    fn lookup(&self, options: &WriteOptions) -> Lookup {
        Lookup {
            filter: self.filter.clone(),
            ordering: self.ordering.clone(),
            hint: self.hint.clone(),
            interruption: options.interruption.clone(),
        }
    }

    fn single(&self, at: usize, options: &WriteOptions) -> Single {
        Single {
            change: self.change(options),
            lookup: self.lookup(options),
            upsert: self.upsert,
            statement: options.statement(at),
            image: Image::None,
        }
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

async fn update_many(
    collection: &Arc<Collection>,
    request: &UpdateRequest,
    options: &WriteOptions,
) -> Result<(u64, u64, Option<Value>), WriteError> {
    if request.update.is_replacement() {
        return Err(QueryError::new(
            Code::FAILED_TO_PARSE,
            "multi update is not supported for replacement-style update",
        )
        .into());
    }
    let counts = change_all(
        collection,
        request.change(options),
        &request.lookup(options),
        options,
    )
    .await?;
    if counts.matched > 0 || !request.upsert {
        return Ok((counts.matched, counts.changed, None));
    }
    let mut once = Updated::default();
    let single = Single {
        statement: None,
        ..request.single(0, options)
    };
    once.count(0, single.execute(collection, options).await?);
    Ok((once.matched, once.modified, once.upserted.pop().map(|(_, id)| id)))
}
