//! Looking up executed statements, and compaction.

use crate::commit::Session;
use crate::{Collection, ReplayedOutcome, StatementId, StoreError, keys};

impl Collection {
    /// What the statement did; `None` if it was not executed before.
    pub async fn executed(&self, statement: &StatementId) -> Result<Option<ReplayedOutcome>, StoreError> {
        self.check_usable()?;
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

    /// Rewrites the files, so that they hold only live data. Returns the number of bytes freed.
    pub async fn compact(&self) -> Result<u64, StoreError> {
        self.check_usable()?;
        let before = self.file_bytes().await?;
        self.kv.compact(self.shard).await?;
        Ok(before.saturating_sub(self.file_bytes().await?))
    }
}
