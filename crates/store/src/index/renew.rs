//! Rebuilding indexes: those that an earlier version kept in another form, and all of a collection on request.

use super::build_handle::BuildHandle;
use super::{ID_INDEX, Index, IndexSpec, build, clear};
use crate::catalog::{Disk, to_the_end};
use crate::{Collection, StoreError};
use std::sync::Arc;

impl Collection {
    /// Rebuilds all indexes except that on `_id`, and waits until they are built. One commit replaces the old ones by the new, so that
    /// after a crash the new ones are there, and their builds resume.
    pub async fn rebuild_indexes(self: &Arc<Self>) -> Result<(), StoreError> {
        let collection = self.clone();
        let build = to_the_end(async move { begin(&collection).await }).await?;
        build::wait(build.as_slice()).await
    }
}

/// Replaces indexes of an earlier form by new ones, which are then built as if they had just been created; the entries of the old
/// ones are to be cleared. To be called before any build is resumed.
pub(crate) async fn renew(collection: &Arc<Collection>) -> Result<(), StoreError> {
    let is_outdated = |index: &Index| index.spec().outdated;
    if !collection.indexes().iter().any(|index| is_outdated(index)) {
        return Ok(());
    }
    let catalog = collection.catalog()?;
    let mut disk = catalog.disk.lock().await;
    replace(collection, &mut disk, is_outdated).await.map(drop)
}

async fn begin(collection: &Arc<Collection>) -> Result<Option<Arc<BuildHandle>>, StoreError> {
    let catalog = collection.catalog()?;
    let mut disk = catalog.disk.lock().await;
    collection.check_usable()?;
    let is_meant = |index: &Index| index.id() != ID_INDEX && !index.spec().is_id_under_collation();
    let replaced = replace(collection, &mut disk, is_meant).await?;
    for gone in replaced.gone {
        clear::start(collection, gone);
    }
    Ok(build::start(collection, replaced.new))
}

/// The numbers of new indexes, and of those that they replace.
#[derive(Default)]
struct Replaced {
    new: Vec<u32>,
    gone: Vec<u32>,
}

async fn replace(
    collection: &Arc<Collection>,
    disk: &mut Disk,
    is_meant: impl Fn(&Index) -> bool,
) -> Result<Replaced, StoreError> {
    let catalog = collection.catalog()?;
    let set = collection.index_set();
    let (mut indexes, mut replaced) = (Vec::with_capacity(set.indexes.len()), Replaced::default());
    for index in &set.indexes {
        if !is_meant(index) {
            indexes.push(index.clone());
            continue;
        }
        let spec = IndexSpec {
            outdated: false,
            ..index.spec().clone()
        };
        let (compile, now_ms) = (catalog.options.filter_compiler, collection.now_ms());
        let id = collection.new_index_id();
        indexes.push(Arc::new(Index::new(id, spec, compile, now_ms)?));
        replaced.new.push(id);
        replaced.gone.push(index.id());
    }
    if replaced.gone.is_empty() {
        return Ok(replaced);
    }
    let set = set.with(indexes);
    let mut entry = collection.entry_with(&set);
    entry.clearing.extend(&replaced.gone);
    catalog.save(disk, &collection.namespace(), &entry).await?;
    collection.install(set).await?;
    // Only after the commit: otherwise, if an old index stays, the next start would remove all of its entries.
    collection.set_clearing(|clearing| clearing.extend(&replaced.gone));
    Ok(replaced)
}
