//! Removing what has expired: documents of TTL indexes and of collections with a time to live, executed statements,
//! tombstones. Index builds and drops that a full disk ended are resumed too.
//!
//! Nothing here is urgent, so everything is done in small commits with [`Durability::Soon`](crate::Durability::Soon)
//! between those of the clients. The commit that removes something checks again that it has expired.

mod aged;
mod expired;
mod ttl;

use crate::{Collection, Store, StoreError, index};
use std::sync::Arc;

/// What one sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// The number of expired documents.
    pub documents: u64,
    /// The number of sessions whose executed statements were removed.
    pub sessions: u64,
    /// The number of expired tombstones.
    pub tombstones: u64,
}

/// Removes everything that has expired at `now_ms` (milliseconds since 1970) in all collections. An error in one does
/// not keep the others from being swept.
pub async fn run_once(store: &Store, now_ms: i64) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let mut failed = store.finish_drops().await.err();
    let is_swept = |collection: &&Arc<Collection>| !collection.is_view() && collection.check_sound().is_ok();
    for collection in store.all().iter().filter(is_swept) {
        match sweep_collection(collection, now_ms, &mut swept).await {
            Ok(()) | Err(StoreError::CollectionDropped(_)) => {}
            Err(error) => {
                tracing::warn!(%error, namespace = %collection.namespace(), "the sweep failed");
                failed = Some(error);
            }
        }
    }
    failed.map_or(Ok(swept), Err)
}

async fn sweep_collection(
    collection: &Arc<Collection>,
    now_ms: i64,
    swept: &mut Swept,
) -> Result<(), StoreError> {
    index::resume_ended(collection).await?;
    for index in collection.indexes() {
        swept.documents += ttl::sweep(collection, &index, now_ms).await?;
    }
    swept.documents += aged::sweep(collection, now_ms).await?;
    swept.sessions += expired::sweep_sessions(collection, now_ms).await?;
    swept.tombstones += expired::sweep_tombstones(collection, now_ms).await?;
    Ok(())
}
