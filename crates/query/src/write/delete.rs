//! Deleting documents.

use super::change::{Change, ChangeKind};
use super::lookup::Lookup;
use super::many::change_all;
use super::run::{Run, run_singles};
use super::single::{Done, Single};
use super::{Failures, WriteError, WriteOptions};
use crate::plan::{Hint, Ordering};
use language::expression::Variables;
use language::filter::Filter;
use std::sync::Arc;
use store::{Collection, Image, ReplayedKind};

/// One statement of a delete.
#[derive(Clone, Debug)]
pub struct DeleteRequest {
    /// Which documents.
    pub filter: Arc<Filter>,
    /// Only the first.
    pub only_first: bool,
    /// The index to use.
    pub hint: Option<Hint>,
}

/// What the statements of a delete did.
#[derive(Clone, Debug, Default)]
pub struct Deleted {
    /// Documents removed.
    pub count: u64,
    /// The statements that failed.
    pub failures: Failures,
}

/// Executes the statements of a delete in order.
pub async fn delete(
    collection: &Arc<Collection>,
    requests: Vec<DeleteRequest>,
    options: &WriteOptions,
) -> Result<Deleted, WriteError> {
    let mut deleted = Deleted::default();
    let runs = Run::of(requests.into_iter().map(|request| (!request.only_first, request)));
    for run in runs {
        let failed_before = deleted.failures.len();
        match run {
            Run::Many(at, request) => {
                match change_all(
                    collection,
                    request.change(options),
                    &request.lookup(options),
                    options,
                )
                .await
                {
                    Ok(counts) => deleted.count += counts.changed,
                    Err(error) => deleted.failures.push((at, error)),
                }
            }
            Run::Singles(first, requests) => {
                let singles = requests
                    .iter()
                    .enumerate()
                    .map(|(offset, request)| request.single(first + offset, options));
                for (at, result) in run_singles(collection, first, singles.collect(), options).await? {
                    match result {
                        Ok(done) => deleted.count += u64::from(is_deletion(&done)),
                        Err(error) => deleted.failures.push((at, error)),
                    }
                }
            }
        }
        if options.ordered && deleted.failures.len() > failed_before {
            break;
        }
    }
    Ok(deleted)
}

fn is_deletion(done: &Done) -> bool {
    match done {
        Done::Deleted(_) => true,
        Done::Replayed(replayed) => replayed.kind == ReplayedKind::Deleted,
        _ => false,
    }
}

impl DeleteRequest {
    fn change(&self, options: &WriteOptions) -> Arc<Change> {
        Arc::new(Change {
            filter: self.filter.clone(),
            kind: ChangeKind::Delete,
            variables: Arc::new(Variables::default()),
            validator: None,
            interruption: options.interruption.clone(),
        })
    }

    fn lookup(&self, options: &WriteOptions) -> Lookup {
        Lookup {
            filter: self.filter.clone(),
            ordering: Ordering::Any,
            hint: self.hint.clone(),
            interruption: options.interruption.clone(),
        }
    }

    fn single(&self, at: usize, options: &WriteOptions) -> Single {
        Single {
            change: self.change(options),
            lookup: self.lookup(options),
            upsert: false,
            statement: options.statement(at),
            image: Image::None,
        }
    }
}
