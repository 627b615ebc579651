//! Building indexes anew that an earlier version kept in another form.

use super::{Index, IndexSpec};
use crate::{Collection, StoreError};
use std::sync::Arc;

/// Replaces such indexes by new ones, which are then built as if they had just been made; the entries of the old ones are
/// to be cleared. Before anything is resumed.
pub(crate) async fn renew(collection: &Arc<Collection>) -> Result<(), StoreError> {
    let set = collection.index_set();
    if !set.indexes.iter().any(|index| index.spec().outdated) {
        return Ok(());
    }
    let catalog = collection.catalog()?;
    let mut disk = catalog.disk.lock().await;
    let (mut indexes, mut gone) = (Vec::with_capacity(set.indexes.len()), Vec::new());
    for index in &set.indexes {
        if !index.spec().outdated {
            indexes.push(index.clone());
            continue;
        }
        let spec = IndexSpec {
            outdated: false,
            ..index.spec().clone()
        };
        let (compile, now_ms) = (catalog.options.filter_compiler, collection.now_ms());
        indexes.push(Arc::new(Index::new(
            collection.new_index_id(),
            spec,
            compile,
            now_ms,
        )?));
        gone.push(index.id());
    }
    collection.set_clearing(|clearing| clearing.extend(&gone));
    let set = set.with(indexes);
    catalog
        .save(&mut disk, &collection.namespace(), &collection.entry_with(&set))
        .await?;
    collection.install(set).await
}
