//! Building indexes beside the writes.
//!
//! A build enters the records that were there when it began, page by page, each page one commit that also says how
//! far it has come: so it goes on after a restart where it was. Meanwhile writes keep the entries of all records that
//! the build has passed or that came after it began.

use super::build_handle::BuildHandle;
use super::{EntrySet, Index, clear, create};
use crate::commit::Group;
use crate::{
    BUILD_PAGE_BYTES, BUILD_PAGE_RECORDS, COMMIT_ATTEMPTS_MAX, Collection, Durability, KeyRange, Order,
    PageLimit, Record, RecordId, StoreError, keys,
};
use code::Code;
use kv::Page;
use std::ops::Bound;
use std::sync::Arc;
use tokio::sync::watch;

/// Goes on with what was under way when the store was last closed.
pub(crate) fn resume(collection: &Arc<Collection>) {
    collection
        .clearing()
        .into_iter()
        .for_each(|id| clear::start(collection, id));
    for index in collection
        .index_set()
        .indexes
        .iter()
        .filter(|index| !create::is_ready(index))
    {
        start(collection, vec![index.id()]);
    }
}

/// Starts to build these indexes, which are installed already, in a task of its own; `None` if all are ready.
pub(super) fn start(collection: &Arc<Collection>, ids: Vec<u32>) -> Option<Arc<BuildHandle>> {
    let set = collection.index_set();
    let ids: Vec<u32> = ids
        .into_iter()
        .filter(|&id| set.numbered(id).is_some_and(|index| !create::is_ready(index)))
        .collect();
    if ids.is_empty() {
        return None;
    }
    let handle = Arc::new(BuildHandle {
        ids,
        result: watch::Sender::new(None),
    });
    collection.builds.lock().push(handle.clone());
    let (collection, started) = (collection.clone(), handle.clone());
    tokio::spawn(async move {
        let mut result = run(&collection, &handle).await;
        if let Err(error) = &result
            && !matches!(error, StoreError::Kv(_) | StoreError::CollectionDropped(_))
        {
            result = abandon(&collection, &handle.ids).await.and(result);
        }
        collection
            .builds
            .lock()
            .retain(|other| !Arc::ptr_eq(other, &handle));
        handle.result.send_replace(Some(result));
    });
    Some(started)
}

/// The builds that run of any of these indexes.
pub(super) fn under_way(collection: &Collection, indexes: &[Arc<Index>]) -> Vec<Arc<BuildHandle>> {
    let builds_one = |build: &&Arc<BuildHandle>| indexes.iter().any(|index| build.ids.contains(&index.id()));
    collection
        .builds
        .lock()
        .iter()
        .filter(builds_one)
        .cloned()
        .collect()
}

/// Waits until these builds have ended; the error of the first that has failed.
pub(super) async fn wait(builds: &[Arc<BuildHandle>]) -> Result<(), StoreError> {
    for build in builds {
        let mut result = build.result.subscribe();
        let ended = result
            .wait_for(Option::is_some)
            .await
            .map_err(|_| StoreError::Interrupted)?;
        ended.clone().unwrap_or(Ok(()))?;
    }
    Ok(())
}

async fn abandon(collection: &Arc<Collection>, ids: &[u32]) -> Result<(), StoreError> {
    let catalog = collection.catalog()?;
    let mut disk = catalog.disk.lock().await;
    create::remove(collection, &mut disk, ids).await
}

async fn run(collection: &Collection, handle: &BuildHandle) -> Result<(), StoreError> {
    while !step(collection, handle).await? {
        // Writers that wait for the shard come first.
        tokio::task::yield_now().await;
    }
    let set = collection.index_set();
    if handle.ids.iter().any(|&id| set.numbered(id).is_none()) {
        let message = "Index build aborted: the index was dropped".to_owned();
        return Err(StoreError::Refused {
            code: Code::INDEX_BUILD_ABORTED,
            message,
        });
    }
    Ok(())
}

/// Enters one page of records; returns true when all are entered. Under the writer's lock no write of this process
/// comes between reading the page and entering it. One of another process moves the head, and the page is read again.
async fn step(collection: &Collection, handle: &BuildHandle) -> Result<bool, StoreError> {
    let mut writer = collection.writer.lock().await;
    for _ in 0..COMMIT_ATTEMPTS_MAX {
        let mut group = Group::begin(collection, &mut writer).await?;
        let Some(page) = next_page(&group, &handle.ids).await? else {
            return Ok(true);
        };
        enter(&mut group, &handle.ids, &page).await?;
        let (set, sequence) = (group.set.clone(), group.sequence + 1);
        group.sequence = sequence;
        // The last page is flushed, so that an index once ready stays so.
        let durability = if page.exhausted() {
            Durability::Flushed
        } else {
            Durability::Soon
        };
        if !group.commit(durability).await? {
            continue;
        }
        if page.exhausted() {
            handle
                .ids
                .iter()
                .filter_map(|&id| set.numbered(id))
                .for_each(|index| index.set_ready());
        }
        return Ok(page.exhausted());
    }
    Err(StoreError::Contention)
}

/// The next records to enter; `None` if nothing is left to do.
async fn next_page(group: &Group<'_>, ids: &[u32]) -> Result<Option<Page>, StoreError> {
    let builds = ids.iter().filter_map(|&id| group.state.index(id)?.build);
    // Indexes that are built together are all at the same place.
    let Some(build) = builds.min_by_key(|build| build.position) else {
        return Ok(None);
    };
    let range = KeyRange {
        low: Bound::Excluded(keys::record(RecordId(build.position)).to_vec()),
        high: Bound::Included(keys::record(RecordId(build.end)).to_vec()),
    };
    let limit = PageLimit {
        entries: BUILD_PAGE_RECORDS,
        bytes: BUILD_PAGE_BYTES,
    };
    Ok(Some(group.snapshot.page(&range, Order::Forward, limit).await?))
}

/// Puts the entries of a page's records and notes how far the build has come.
async fn enter(group: &mut Group<'_>, ids: &[u32], page: &Page) -> Result<(), StoreError> {
    let set = group.set.clone();
    for at in 0..page.len() {
        let Some(id) = keys::record_id(page.key(at)) else {
            continue;
        };
        let record = Record::decode(id, &page.value_bytes(at)).map_err(|what| group.corrupt(what))?;
        let mut entries = EntrySet::default();
        for (place, index) in set
            .indexes
            .iter()
            .enumerate()
            .filter(|(_, index)| ids.contains(&index.id()))
        {
            entries.push_index(place, index, record.document.as_raw())?;
        }
        advance(group, ids, id.0);
        group.check_unique(&entries, entries.all(), id).await?;
        group.put_entries(&entries, entries.all(), id);
    }
    if page.exhausted() {
        for id in ids {
            if let Some(state) = group.state.index_mut(*id) {
                state.build = None;
            }
        }
    }
    Ok(())
}

fn advance(group: &mut Group<'_>, ids: &[u32], position: u64) {
    for id in ids {
        if let Some(build) = group.state.index_mut(*id).and_then(|state| state.build.as_mut()) {
            build.position = position;
        }
    }
}
