//! Deleting documents.

use super::change::{Change, ChangeKind};
use super::lookup::Lookup;
use super::run::{Executed, Statement, run_all};
use super::single::Done;
use super::{Failures, WriteError, WriteOptions};
use language::expression::Variables;
use std::sync::Arc;
use store::{Collection, ReplayedKind};

/// One statement of a delete.
#[derive(Clone, Debug)]
pub struct DeleteRequest {
    /// Which documents.
    pub lookup: Lookup,
    /// Whether only the first match is deleted.
    pub only_first: bool,
}

/// What the statements of a delete did.
#[derive(Clone, Debug, Default)]
pub struct Deleted {
    /// The number of documents removed.
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
    let mut deleted = 0;
    let count = |_, executed| match executed {
        Executed::Many(counts) => deleted += counts.changed,
        Executed::Single(done) => deleted += u64::from(is_deletion(&done)),
    };
    let failures = run_all(collection, requests, options, count).await?;
    Ok(Deleted {
        count: deleted,
        failures,
    })
}

fn is_deletion(done: &Done) -> bool {
    match done {
        Done::Deleted(_) => true,
        Done::Replayed(replayed) => replayed.kind == ReplayedKind::Deleted,
        _ => false,
    }
}

impl Statement for DeleteRequest {
    fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    fn change(&self, options: &WriteOptions) -> Arc<Change> {
        Arc::new(Change {
            filter: self.lookup.filter.clone(),
            kind: ChangeKind::Delete,
            variables: Arc::new(Variables::default()),
            validator: None,
            interruption: options.interruption.clone(),
        })
    }

    fn is_multi(&self) -> bool {
        !self.only_first
    }
}
