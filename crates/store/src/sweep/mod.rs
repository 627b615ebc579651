//! Removing what has expired: documents of TTL indexes and of collections with a time to live, executed statements,
//! tombstones. What a full disk ended goes on too: index builds, and drops.
//!
//! Nothing here is urgent, so everything is done in small commits with [`Durability::Soon`](crate::Durability::Soon)
//! between those of the clients. What was found expired is looked at again in the commit that removes it.

mod aged;
mod expired;
mod ttl;

use crate::{Collection, Store, StoreError, index};
use std::sync::Arc;

/// What one sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Documents past their time.
    pub documents: u64,
    /// Sessions whose executed statements were forgotten.
    pub sessions: u64,
    /// Tombstones past their time.
    pub tombstones: u64,
}

/// Removes everything that has expired at `now_ms` (milliseconds since 1970), in all collections; an error of one does
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
