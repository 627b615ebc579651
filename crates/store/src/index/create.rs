//! Creating and dropping indexes.

use super::build;
use super::build_handle::BuildHandle;
use super::{ID_INDEX, Index, IndexSpec, IndexState};
use crate::catalog::{Disk, to_the_end};
use crate::{Collection, INDEXES_MAX, StoreError};
use code::Code;
use std::sync::Arc;
use value::shell;

impl Collection {
    /// Creates indexes and waits until they are built. Returns the number of indexes before and after.
    pub async fn create_indexes(
        self: &Arc<Self>,
        specs: Vec<IndexSpec>,
    ) -> Result<(usize, usize), StoreError> {
        create(self, specs).await
    }

    /// Drops an index.
    pub async fn drop_index(self: &Arc<Self>, name: &str) -> Result<(), StoreError> {
        let (collection, name) = (self.clone(), name.to_owned());
        to_the_end(async move { drop_named(&collection, &name).await }).await
    }
}

/// Creates indexes and waits until they are built. An index that exists with the same description stays as it is. Returns the
/// number of indexes before and after.
pub(crate) async fn create(
    collection: &Arc<Collection>,
    specs: Vec<IndexSpec>,
) -> Result<(usize, usize), StoreError> {
    let begun = {
        let collection = collection.clone();
        to_the_end(async move { begin(&collection, specs).await }).await?
    };
    build::wait(&begun.builds).await?;
    if begun.meant.iter().all(|index| is_ready(index)) {
        Ok((begun.before, begun.after))
    } else {
        // A build failed before anybody could wait for it.
        Err(StoreError::Interrupted)
    }
}

/// Indexes that were asked for.
struct Begun {
    before: usize,
    after: usize,
    meant: Vec<Arc<Index>>,
    /// The running builds of those that are not ready.
    builds: Vec<Arc<BuildHandle>>,
}

/// Puts indexes into the catalog and begins to build them. The builds are looked up before the catalog is unlocked:
/// a build that fails removes itself, and its indexes, from the collection.
async fn begin(collection: &Arc<Collection>, specs: Vec<IndexSpec>) -> Result<Begun, StoreError> {
    let catalog = collection.catalog()?;
    let mut disk = catalog.disk.lock().await;
    collection.check_usable()?;
    let set = collection.index_set();
    let before = set.indexes.len();
    let mut indexes = set.indexes.clone();
    let mut meant = Vec::new();
    for spec in specs {
        let index = match existing(&indexes, &spec)? {
            Some(index) => index,
            None => {
                check_room(collection, &indexes, &spec)?;
                let (compile, now_ms) = (catalog.options.filter_compiler, collection.now_ms());
                let index = Arc::new(Index::new(collection.new_index_id(), spec, compile, now_ms)?);
                indexes.push(index.clone());
                index
            }
        };
        meant.push(index);
    }
    build::go_on(collection);
    let mut builds = build::under_way(collection, &meant);
    let after = indexes.len();
    if after > before {
        let new: Vec<u32> = indexes[before..].iter().map(|index| index.id()).collect();
        let set = set.with(indexes);
        catalog
            .save(&mut disk, &collection.namespace(), &collection.entry_with(&set))
            .await?;
        collection.install(set).await?;
        builds.extend(build::start(collection, new));
    }
    Ok(Begun {
        before,
        after,
        meant,
        builds,
    })
}

/// The index that matches the description, if there is one. Fails if another index conflicts with it.
fn existing(indexes: &[Arc<Index>], spec: &IndexSpec) -> Result<Option<Arc<Index>>, StoreError> {
    let both = |present: &Index| {
        let (asked, present) = (
            shell::document((&spec.to_document()).into()),
            shell::document((&present.spec().to_document()).into()),
        );
        format!("Requested index: {asked}, existing index: {present}")
    };
    if let Some(named) = indexes.iter().find(|index| index.spec().name == spec.name) {
        let present = named.spec();
        if named.id() == ID_INDEX && present.key == spec.key || present.same_options(spec) {
            return Ok(Some(named.clone()));
        }
        return Err(if present.same_signature(spec) {
            StoreError::IndexOptionsConflict(format!(
                "An equivalent index already exists with the same name but different options. {}",
                both(named)
            ))
        } else {
            StoreError::IndexKeySpecsConflict(format!(
                "An existing index has the same name as the requested index. When index names are not specified, \
                 they are auto generated and can cause conflicts. Please refer to our documentation. {}",
                both(named)
            ))
        });
    }
    let Some(same) = indexes.iter().find(|index| index.spec().same_signature(spec)) else {
        return match indexes.iter().find(|index| spec.is_text() && index.is_text()) {
            None => Ok(None),
            Some(text) => Err(StoreError::CannotCreateIndex(format!(
                "only one text index per collection allowed, found existing text index \"{}\"",
                text.spec().name
            ))),
        };
    };
    // The index on _id always exists, whatever name is given.
    if same.id() == ID_INDEX {
        return Ok(Some(same.clone()));
    }
    Err(StoreError::IndexOptionsConflict(
        if same.spec().same_options(spec) {
            format!("Index already exists with a different name: {}", same.spec().name)
        } else {
            format!(
                "An equivalent index already exists with a different name and options. {}",
                both(same)
            )
        },
    ))
}

fn check_room(collection: &Collection, indexes: &[Arc<Index>], spec: &IndexSpec) -> Result<(), StoreError> {
    if indexes.len() < INDEXES_MAX {
        return Ok(());
    }
    let (namespace, key) = (collection.namespace(), shell::document((&spec.key).into()));
    Err(StoreError::CannotCreateIndex(format!(
        "add index fails, too many indexes for {namespace} key:{key}"
    )))
}

/// Drops the index of this name.
pub(crate) async fn drop_named(collection: &Arc<Collection>, name: &str) -> Result<(), StoreError> {
    let catalog = collection.catalog()?;
    let mut disk = catalog.disk.lock().await;
    collection.check_usable()?;
    let set = collection.index_set();
    let index = set
        .named(name)
        .ok_or_else(|| StoreError::IndexNotFound(name.to_owned()))?;
    if index.id() == ID_INDEX {
        return Err(StoreError::Refused {
            code: Code::INVALID_OPTIONS,
            message: "cannot drop _id index".to_owned(),
        });
    }
    remove(collection, &mut disk, &[index.id()]).await
}

/// Removes indexes from the catalog; their entries are removed in the background.
pub(super) async fn remove(
    collection: &Arc<Collection>,
    disk: &mut Disk,
    ids: &[u32],
) -> Result<(), StoreError> {
    let catalog = collection.catalog()?;
    let set = collection.index_set();
    let (gone, kept): (Vec<_>, Vec<_>) = set
        .indexes
        .iter()
        .cloned()
        .partition(|index| ids.contains(&index.id()));
    let gone: Vec<u32> = gone.iter().map(|index| index.id()).collect();
    let set = set.with(kept);
    let mut entry = collection.entry_with(&set);
    entry.clearing.extend(&gone);
    catalog.save(disk, &collection.namespace(), &entry).await?;
    collection.install(set).await?;
    // Only after the commit: otherwise, if the index stays, the next start would remove all of its entries.
    collection.set_clearing(|clearing| clearing.extend(&gone));
    gone.into_iter()
        .for_each(|id| super::clear::start(collection, id));
    Ok(())
}

/// Whether the index is complete, so that queries can read it.
pub(super) fn is_ready(index: &Index) -> bool {
    index.state() == IndexState::Ready
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::{CommitOptions, Namespace, Store, StoreOptions, WriteOp};
    use kv::{Kv, Simulation};
    use value::{DocumentBuf, array, doc};

    #[tokio::test]
    async fn whoever_waits_after_a_build_has_failed_learns_it() {
        let options = StoreOptions::new(|_, _| Err("no filters here".to_owned()));
        let store = Store::open(Kv::simulated(&Simulation::new(1)), options)
            .await
            .unwrap();
        let collection = store
            .create_if_missing(&Namespace::new("db", "coll"))
            .await
            .unwrap();
        let parallel = DocumentBuf::from(&doc! {"_id": 1, "a": (array![1, 2]), "b": (array![1, 2])});
        let commit = collection.commit(vec![WriteOp::Insert(parallel)], CommitOptions::default());
        commit.await.unwrap();

        let begun = begin(&collection, vec![IndexSpec::new("a_b", doc! {"a": 1, "b": 1})]);
        let begun = begun.await.unwrap();
        while !collection.builds.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(collection.indexes().len(), 1, "the index was taken out again");
        let error = build::wait(&begun.builds).await.unwrap_err();
        assert!(
            matches!(
                error,
                StoreError::CannotIndex {
                    code: Code::CANNOT_INDEX_PARALLEL_ARRAYS,
                    ..
                }
            ),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_build_that_found_no_room_goes_on_when_it_is_asked_for_and_with_a_sweep() {
        let simulation = Simulation::new(1);
        let kv = Kv::simulated(&simulation);
        let store = Store::open(kv, StoreOptions::default()).await.unwrap();
        let namespace = Namespace::new("db", "coll");
        let collection = store.create_if_missing(&namespace).await.unwrap();
        let documents = (0..10).map(|n| WriteOp::Insert(DocumentBuf::from(&doc! {"_id": n, "a": n})));
        let commit = collection.commit(documents.collect(), CommitOptions::default());
        commit.await.unwrap();

        let spec = IndexSpec::new("a_1", doc! {"a": 1});
        let begun = begin(&collection, vec![spec.clone()]).await.unwrap();
        simulation.fill_at_next_write();
        build::wait(&begun.builds).await.unwrap_err();
        assert!(!is_ready(&begun.meant[0]));
        create(&collection, vec![spec.clone()]).await.unwrap();
        assert!(is_ready(&begun.meant[0]));
        assert_eq!(collection.stats().index_entries[1].1, 10);

        // A build that has entered everything, but could not flush it.
        collection.drop_index("a_1").await.unwrap();
        while !collection.clearing().is_empty() {
            tokio::task::yield_now().await;
        }
        let begun = begin(&collection, vec![spec]).await.unwrap();
        simulation.fill_at_next_flush();
        build::wait(&begun.builds).await.unwrap_err();
        assert!(!is_ready(&begun.meant[0]));
        crate::sweep::run_once(&store, 0).await.unwrap();
        while !collection.builds.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(is_ready(&begun.meant[0]));
        assert_eq!(collection.stats().index_entries[1].1, 10);

        // The removal of entries, after the change of the catalog.
        simulation.fill_at_write_after(1);
        collection.drop_index("a_1").await.unwrap();
        while !collection.clears.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(collection.clearing().len(), 1);
        crate::sweep::run_once(&store, 0).await.unwrap();
        while !collection.clears.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(collection.clearing().is_empty());
    }
}
