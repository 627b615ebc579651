//! Building indexes while writes go on.
//!
//! A build enters the records that were there when it began, page by page. Each page is one commit that also notes how
//! far the build has come, so that it resumes there after a restart. Meanwhile writes keep the entries of all records that
//! the build has passed or that were inserted after it began.

use super::build_handle::BuildHandle;
use super::build_page::{Ahead, BuildPage, PageOf};
use super::{Index, IndexSet, clear, create};
use crate::commit::Group;
use crate::snapshot::ShardSnapshot;
use crate::state::Build;
use crate::{COMMIT_ATTEMPTS_MAX, Collection, Durability, RecordId, StoreError};
use code::Code;
use std::sync::Arc;
use tokio::sync::watch;

/// Resumes the builds and removals that were under way when the store was last closed.
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

/// As [`go_on`], under the catalog's lock; also resumes the removal of entries.
pub(crate) async fn resume_ended(collection: &Arc<Collection>) -> Result<(), StoreError> {
    for index in collection.clearing() {
        clear::start(collection, index);
    }
    if !ended(collection).is_empty() && collection.kv.check_room().is_ok() {
        let catalog = collection.catalog()?;
        let _disk = catalog.disk.lock().await;
        go_on(collection);
    }
    Ok(())
}

/// Resumes builds that a failure of the engine has ended, such as a full disk. To be called under the lock of the catalog, so that
/// nobody else is about to build the same indexes.
pub(super) fn go_on(collection: &Arc<Collection>) {
    for id in ended(collection) {
        start(collection, vec![id]);
    }
}

/// The indexes that are not ready and that nobody builds.
fn ended(collection: &Collection) -> Vec<u32> {
    let set = collection.index_set();
    let builds = collection.builds.lock();
    let is_built = |id: u32| builds.iter().any(|build| build.ids.contains(&id));
    let indexes = set.indexes.iter().filter(|index| !create::is_ready(index));
    indexes
        .map(|index| index.id())
        .filter(|&id| !is_built(id))
        .collect()
}

/// Starts to build these indexes, which are installed already, in a task; `None` if all are ready.
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

/// The running builds of any of these indexes.
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

/// Waits until these builds have ended. Returns the error of the first that has failed.
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
    let mut ahead = None;
    while !step(collection, handle, &mut ahead).await? {
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

/// Enters one page of records; returns true when all are entered. `ahead` is the page that was read while the one before it was
/// written; it is replaced by the next. A page that was read ahead is void, and read again, if this process has written something
/// since; otherwise the writer's lock keeps writes out. A write of another process moves the head, and the page is read again too.
async fn step(
    collection: &Collection,
    handle: &BuildHandle,
    ahead: &mut Option<Ahead>,
) -> Result<bool, StoreError> {
    let mut read = match ahead.take() {
        Some(ahead) => ahead.page().await,
        None => None,
    };
    let mut writer = collection.writer.lock().await;
    for _ in 0..COMMIT_ATTEMPTS_MAX {
        let mut group = Group::begin(collection, &mut writer).await?;
        let Some(of) = next_page(&group, &handle.ids) else {
            // An earlier attempt may have entered the last page, but found no room to flush it.
            collection.kv.flush().await?;
            set_ready(&group.set, &handle.ids);
            return Ok(true);
        };
        let was_void = read.as_ref().is_some_and(|page| !page.is(&of));
        let page = match read.take().filter(|_| !was_void) {
            Some(page) => page,
            None => BuildPage::read(of, &handle.ids, &group.snapshot, &group.set).await?,
        };
        enter(&mut group, &handle.ids, &page).await?;
        group.sequence += 1;
        let (set, sequence) = (group.set.clone(), group.sequence);
        // While others write, at most every second page is read in vain.
        if let (false, false, Some(RecordId(position))) = (page.exhausted, was_void, page.last()) {
            let next = PageOf {
                build: Build { position, ..of.build },
                sequence,
                ..of
            };
            let snapshot = collection.kv.snapshot(collection.shard).await?;
            let snapshot = ShardSnapshot::new(snapshot, collection.shared_namespace());
            *ahead = Ahead::start(next, handle.ids.clone(), &snapshot, set.clone());
        }
        // The last page is flushed, so that an index that was ready stays ready.
        let durability = if page.exhausted {
            Durability::Flushed
        } else {
            Durability::Soon
        };
        if !group.commit(durability).await? {
            continue;
        }
        if page.exhausted {
            set_ready(&set, &handle.ids);
        }
        return Ok(page.exhausted);
    }
    Err(StoreError::Contention)
}

fn set_ready(set: &IndexSet, ids: &[u32]) {
    let indexes = ids.iter().filter_map(|&id| set.numbered(id));
    indexes.for_each(|index| index.set_ready());
}

/// The next page to enter; `None` if nothing is left to do.
fn next_page(group: &Group<'_>, ids: &[u32]) -> Option<PageOf> {
    let builds = ids.iter().filter_map(|&id| group.state.index(id)?.build);
    // Indexes that are built together are all at the same place.
    Some(PageOf {
        build: builds.min_by_key(|build| build.position)?,
        sequence: group.sequence,
        version: group.set.version,
    })
}

/// Puts the entries of a page's records and notes how far the build has come.
async fn enter(group: &mut Group<'_>, ids: &[u32], page: &BuildPage) -> Result<(), StoreError> {
    for (id, spans) in page.records() {
        advance(group, ids, id.0);
        group.check_unique(page.entries(), spans, id).await?;
        group.put_entries(page.entries(), spans, id);
    }
    if page.exhausted {
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
