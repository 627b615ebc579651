//! Removing the entries of a dropped index, page by page, in the background.

use crate::commit::Group;
use crate::{CLEAR_PAGE_ENTRIES, Collection, Durability, KeyRange, Order, PageLimit, StoreError, keys};
use std::sync::Arc;

/// Starts to remove the entries of an index that is no longer in the catalog, unless that is under way. Its number stays in the
/// catalog entry's `clearing` until all are gone: after a crash the next start resumes, and after a full disk the next sweep.
pub(super) fn start(collection: &Arc<Collection>, index: u32) {
    {
        let mut under_way = collection.clears.lock();
        if under_way.contains(&index) {
            return;
        }
        under_way.push(index);
    }
    let collection = collection.clone();
    tokio::spawn(async move {
        match run(&collection, index).await {
            // The entries of a dropped collection are removed with it, and a closed store resumes at its next start.
            Ok(())
            | Err(
                StoreError::CollectionDropped(_)
                | StoreError::Interrupted
                | StoreError::Kv(kv::Error::Closed),
            ) => {}
            Err(error) => {
                tracing::warn!(%error, index, "the entries of a dropped index are left until later");
            }
        }
        collection.clears.lock().retain(|other| *other != index);
    });
}

async fn run(collection: &Arc<Collection>, index: u32) -> Result<(), StoreError> {
    let mut range = KeyRange::prefix(&keys::index_prefix(index));
    while !step(collection, &mut range).await? {}
    let catalog = collection.catalog()?;
    let mut disk = catalog.disk.lock().await;
    collection.check_usable()?;
    let mut entry = collection.entry();
    entry.clearing.retain(|&id| id != index);
    catalog.save(&mut disk, &collection.namespace(), &entry).await?;
    collection.set_clearing(|clearing| clearing.retain(|&id| id != index));
    Ok(())
}

/// Removes the first page of what is left; returns true when nothing is left. The writer's lock is held for one page at a time, so
/// commits can run in between. `left` then begins after that page: the engine's iterators step over deleted keys one by one, so
/// beginning at the first key each time would take time quadratic in the number of entries, under the writer's lock.
async fn step(collection: &Collection, left: &mut KeyRange) -> Result<bool, StoreError> {
    let mut writer = collection.writer.lock().await;
    let mut group = Group::begin(collection, &mut writer).await?;
    let limit = PageLimit {
        entries: CLEAR_PAGE_ENTRIES,
        ..PageLimit::default()
    };
    let page = group.snapshot.page(left, Order::Forward, limit).await?;
    page.iter().for_each(|(key, _)| group.batch.delete(key));
    if !page.is_empty() {
        // The head must move with every batch: another process's commit is only refused if it does.
        group.sequence += 1;
    }
    if !group.commit(Durability::Soon).await? {
        return Ok(false);
    }
    Ok(!left.go_on_after(&page, Order::Forward))
}
