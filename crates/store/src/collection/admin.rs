//! What is done to a collection as a whole.

use crate::commit::{Group, Session};
use crate::{COMMIT_ATTEMPTS_MAX, Collection, Durability, ReplayedOutcome, StatementId, StoreError, keys};
use std::sync::Arc;

impl Collection {
    /// What the statement did, if it was executed before.
    pub async fn executed(&self, statement: &StatementId) -> Result<Option<ReplayedOutcome>, StoreError> {
        self.check_writable()?;
        let snapshot = self.kv.snapshot(self.shard).await?;
        let Some(bytes) = snapshot.get(&keys::session(&statement.session)).await? else {
            return Ok(None);
        };
        let session = Session::decode(&bytes).map_err(|what| StoreError::Corrupt {
            namespace: self.namespace().to_string(),
            what: what.to_owned(),
        })?;
        session.executed(statement)
    }

    /// Deletes the oldest documents until the collection is within its capped limits.
    pub async fn truncate_capped(self: &Arc<Self>) -> Result<(), StoreError> {
        let mut writer = self.writer.lock().await;
        for _ in 0..COMMIT_ATTEMPTS_MAX {
            let mut group = Group::begin(self, &mut writer).await?;
            group.evict().await?;
            if !group.batch.is_empty() {
                group.sequence += 1;
            }
            if group.commit(Durability::Flushed).await? {
                return Ok(());
            }
        }
        Err(StoreError::Contention)
    }

    /// Rewrites the files so that they hold only what lives.
    pub async fn compact(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        Ok(self.kv.compact(self.shard).await?)
    }
}
