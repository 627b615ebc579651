//! The collection that an `$out` fills before it takes the place of another.

use crate::engine::{Engine, WeakEngine};
use crate::error::{Error, Result};
use std::sync::Arc;
use store::{Collection, CollectionOptions, IndexSpec, Namespace, StoreError, to_the_end};
use tokio::runtime::Handle;

/// The prefix of its name, as in MongoDB.
const PREFIX: &str = "tmp.agg_out.";

/// A replacement that is not used yet. Dropping this drops it.
struct Unclaimed {
    engine: WeakEngine,
    name: Namespace,
    is_claimed: bool,
}

impl Drop for Unclaimed {
    fn drop(&mut self) {
        if !self.is_claimed {
            discard(&self.engine, self.name.clone());
        }
    }
}

/// Makes a replacement in this database. Nothing is left of it if its indexes cannot be made, or if the operation ends.
pub(super) async fn make(
    engine: &Engine,
    database: &str,
    options: CollectionOptions,
    indexes: Vec<IndexSpec>,
) -> Result<Arc<Collection>> {
    let name = format!("{PREFIX}{}", uuid::Uuid::new_v4().simple());
    let unclaimed = Unclaimed {
        engine: engine.downgrade(),
        name: Namespace::new(database, name),
        is_claimed: false,
    };
    let store = engine.store().clone();
    let made = to_the_end(async move {
        let collection = store.create(&unclaimed.name, options).await?;
        if !indexes.is_empty() {
            collection.create_indexes(indexes).await?;
        }
        Ok::<_, Error>((collection, unclaimed))
    });
    let (collection, mut unclaimed) = made.await?;
    unclaimed.is_claimed = true;
    Ok(collection)
}

/// Drops a replacement that was not used. If it has another name by now, it was used although the operation ended.
pub(super) fn discard(engine: &WeakEngine, name: Namespace) {
    let (Some(engine), Ok(runtime)) = (engine.upgrade(), Handle::try_current()) else {
        return;
    };
    if name.collection.starts_with(PREFIX) {
        runtime.spawn(async move {
            if let Err(error) = engine.store().drop_collection(&name).await {
                tracing::warn!(%error, %name, "an unfinished $out could not be removed");
            }
        });
    }
}

impl Engine {
    /// Drops the replacements of `$out`s that were interrupted when the server ended.
    pub(crate) async fn drop_unfinished_replacements(&self) -> Result<()> {
        for database in self.store().databases() {
            for collection in self.store().collections(&database) {
                let name = collection.namespace();
                if name.collection.starts_with(PREFIX) {
                    match self.store().drop_collection(&name).await {
                        // A replacement that cannot be dropped does not keep the store from starting.
                        Err(error @ StoreError::Corrupt { .. }) => {
                            tracing::warn!(%error, %name, "an unfinished $out could not be removed; the next start tries again");
                        }
                        dropped => drop(dropped?),
                    }
                }
            }
        }
        Ok(())
    }
}
