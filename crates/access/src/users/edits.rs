//! Edits and purges of documents of users, which their accounts follow.
//!
//! Both run to their end once they have begun, even if the client goes away or its time runs out: an account that did not follow its
//! document would keep a password or roles that nobody sees any more.

use super::{UserChange, settle};
use crate::database::Database;
use crate::error::{CouchError, Result};
use engine::{Edit, EditOutcome, Engine, Revision};
use http::StatusCode;
use value::Value;

/// Makes edits, each with the change that it makes to an account, if any. Returns the outcome of each.
pub async fn edit(
    engine: &Engine,
    database: &Database,
    edits: Vec<Edit>,
    changes: Vec<Option<UserChange>>,
    is_journaled: bool,
) -> Result<Vec<EditOutcome>> {
    if changes.iter().all(Option::is_none) {
        return Ok(database.collection.edit(edits, is_journaled).await?);
    }
    let (engine, database) = (engine.clone(), database.clone());
    to_the_end(async move {
        let outcomes = match database.collection.edit(edits, is_journaled).await {
            Ok(outcomes) => outcomes,
            Err(error) => {
                let changes = changes.into_iter().flatten();
                follow_what_is_there(&engine, &database, changes).await;
                return Err(error.into());
            }
        };
        for (change, outcome) in changes.into_iter().zip(&outcomes) {
            if let (Some(change), EditOutcome::Written(revision)) = (change, outcome) {
                settle(&engine, &database, Some(revision), change).await?;
            }
        }
        Ok(outcomes)
    })
    .await
}

/// Purges revisions, with the changes to accounts that follow. Returns for each document the revisions that were there.
pub async fn purge(
    engine: &Engine,
    database: &Database,
    purges: Vec<(Value, Vec<Revision>)>,
    changes: Vec<UserChange>,
) -> Result<Vec<Vec<Revision>>> {
    if changes.is_empty() {
        return Ok(database.collection.purge(purges).await?);
    }
    let (engine, database) = (engine.clone(), database.clone());
    to_the_end(async move {
        match database.collection.purge(purges).await {
            Ok(purged) => {
                for change in changes {
                    settle(&engine, &database, None, change).await?;
                }
                Ok(purged)
            }
            Err(error) => {
                follow_what_is_there(&engine, &database, changes.into_iter()).await;
                Err(error.into())
            }
        }
    })
    .await
}

/// Called after a failure: what could not be flushed because the disk is full is written all the same, and readers see it.
async fn follow_what_is_there(
    engine: &Engine,
    database: &Database,
    changes: impl Iterator<Item = UserChange>,
) {
    for change in changes {
        if let Err(error) = settle(engine, database, None, change).await {
            tracing::warn!(%error, database = database.name, "an account may not be what its document says");
        }
    }
}

async fn to_the_end<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let ended = tokio::spawn(work).await;
    ended.unwrap_or_else(|failed| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Err(CouchError::new(
            status,
            "internal_server_error",
            failed.to_string(),
        ))
    })
}
