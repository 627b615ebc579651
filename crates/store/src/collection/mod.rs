//! A collection: its documents, indexes and counts.

mod admin;
mod at_hand;
mod derived;
mod duplicates;
mod scrub;
mod sizes;
mod stats;
mod validate;

pub use duplicates::Duplicates;
pub use scrub::{ScrubPosition, Scrubbed};
pub use sizes::StoredBytes;
pub(crate) use sizes::at_least;
pub use stats::{CollectionStats, ValidateReport};
pub(crate) use validate::damage::{describe, is_sealed};

use crate::catalog::RunApart;
use crate::catalog::{Catalog, CatalogEntry, NO_SHARD};
use crate::commit::{Queue, Writer, align};
use crate::companions::Companions;
use crate::index::{BuildHandle, IndexSet};
use crate::record_cache::CachedRecords;
use crate::snapshot::LastHead;
use crate::state::ShardState;
use crate::{CollectionOptions, Derived, Index, IndexSpec, Namespace, Sequence, StoreError, index};
use kv::{Head, Kv, ShardId};
use parking_lot::{Mutex, RwLock};
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::watch;

/// One collection or view.
pub struct Collection {
    pub(crate) kv: Kv,
    pub(crate) shard: ShardId,
    pub(crate) cached: Arc<CachedRecords>,
    pub(crate) last_head: LastHead,
    pub(crate) queue: Queue,
    /// Only its holder writes the shard.
    pub(crate) writer: tokio::sync::Mutex<Writer>,
    pub(crate) builds: Mutex<Vec<Arc<BuildHandle>>>,
    /// The dropped indexes whose entries are being removed.
    pub(crate) clears: Mutex<Vec<u32>>,
    /// Its derived pages; only the holder of the catalog's lock changes the list.
    pub(crate) derived: RwLock<Vec<Arc<Derived>>>,
    catalog: Weak<Catalog>,
    clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    pub(crate) run_apart: RunApart,
    uuid: [u8; 16],
    namespace: RwLock<Arc<Namespace>>,
    options: RwLock<Arc<CollectionOptions>>,
    /// The options that each read needs, kept apart so that it takes no lock for them.
    is_view: AtomicBool,
    has_plain_ids: AtomicBool,
    indexes: RwLock<Arc<IndexSet>>,
    /// What else the catalog keeps; only the catalog changes it.
    numbering: Mutex<Numbering>,
    dropped: AtomicBool,
    tombstones_swept_ms: AtomicI64,
    state: RwLock<Arc<ShardState>>,
    rewrites: AtomicU64,
    /// The highest sequence that is known to be written, because a snapshot has seen it or it was published.
    newest: AtomicU64,
    head: watch::Sender<Sequence>,
    companions: Companions,
    /// The damage that makes the whole collection unusable, if there is any.
    damage: Option<String>,
}

/// The number of the next index, and those of dropped ones.
#[derive(Clone, Debug)]
struct Numbering {
    next_index: u32,
    clearing: Vec<u32>,
}

impl std::fmt::Debug for Collection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collection")
            .field("namespace", &self.namespace())
            .field("shard", &self.shard)
            .finish_non_exhaustive()
    }
}

impl Collection {
    /// The collection of an entry of the catalog, with what its shard's head says.
    pub(crate) async fn open(
        catalog: &Arc<Catalog>,
        namespace: Namespace,
        entry: CatalogEntry,
    ) -> Result<Arc<Collection>, StoreError> {
        let (compile, now_ms) = (catalog.options.filter_compiler, (catalog.options.clock)());
        let mut indexes = vec![Arc::new(Index::new(
            index::ID_INDEX,
            IndexSpec::id(),
            compile,
            now_ms,
        )?)];
        for (id, spec) in &entry.indexes {
            indexes.push(Arc::new(Index::new(*id, spec.clone(), compile, now_ms)?));
        }
        let mut collection = Collection::new(catalog, namespace, entry, indexes);
        collection.catalog = Arc::downgrade(catalog);
        collection.load_head().await?;
        Ok(Arc::new(collection))
    }

    /// A collection that is so damaged that none of it can be used. It keeps its name; every operation on it fails with the reason.
    pub(crate) fn unreadable(
        catalog: &Catalog,
        namespace: Namespace,
        entry: CatalogEntry,
        what: &str,
    ) -> Arc<Collection> {
        let (compile, now_ms) = (catalog.options.filter_compiler, (catalog.options.clock)());
        // This never fails: the index has no filter that might not compile.
        let by_id = Index::new(index::ID_INDEX, IndexSpec::id(), compile, now_ms);
        let indexes = by_id.into_iter().map(Arc::new).collect();
        let mut collection = Collection::new(catalog, namespace, entry, indexes);
        collection.damage = Some(format!(
            "{what}; restore a backup, or save what can be read (larder repair --into)"
        ));
        Arc::new(collection)
    }

    fn new(
        catalog: &Catalog,
        namespace: Namespace,
        entry: CatalogEntry,
        indexes: Vec<Arc<Index>>,
    ) -> Collection {
        let derive = |(name, shard)| Arc::new(Derived::new(catalog.kv.clone(), shard, name));
        let derived = entry.derived.into_iter().map(derive).collect();
        Collection {
            kv: catalog.kv.clone(),
            shard: entry.shard,
            cached: Arc::new(CachedRecords::new(catalog.record_cache.clone(), entry.shard)),
            last_head: LastHead::default(),
            queue: Queue::default(),
            writer: tokio::sync::Mutex::default(),
            builds: Mutex::default(),
            clears: Mutex::default(),
            derived: RwLock::new(derived),
            catalog: Weak::new(),
            clock: catalog.options.clock.clone(),
            run_apart: catalog.options.run_apart,
            uuid: entry.uuid,
            namespace: RwLock::new(Arc::new(namespace)),
            is_view: AtomicBool::new(is_view(&entry.options)),
            has_plain_ids: AtomicBool::new(has_plain_ids(&entry.options)),
            options: RwLock::new(Arc::new(entry.options)),
            indexes: RwLock::new(Arc::new(IndexSet { version: 1, indexes })),
            numbering: Mutex::new(Numbering {
                next_index: entry.next_index,
                clearing: entry.clearing,
            }),
            dropped: AtomicBool::new(false),
            tombstones_swept_ms: AtomicI64::new(0),
            state: RwLock::default(),
            rewrites: AtomicU64::new(0),
            newest: AtomicU64::new(0),
            head: watch::Sender::new(Sequence::START),
            companions: Companions::default(),
            damage: None,
        }
    }

    /// Takes counts and index states from the shard's head.
    async fn load_head(&self) -> Result<(), StoreError> {
        if self.is_view() {
            return Ok(());
        }
        let set = self.index_set();
        let (sequence, state) = self.read_head(&mut *self.writer.lock().await, &set).await?;
        for (index, known) in set.indexes.iter().zip(&state.indexes) {
            known
                .multikey
                .iter()
                .enumerate()
                .for_each(|(field, &bits)| index.note_multikey_bits(field, bits));
            if known.build.is_none() {
                index.set_ready();
            }
        }
        self.publish(sequence, &state);
        Ok(())
    }

    /// The head, with a state for each of these indexes in their order. Read from disk unless the writer has it.
    pub(crate) async fn read_head(
        &self,
        writer: &mut Writer,
        set: &IndexSet,
    ) -> Result<(u64, ShardState), StoreError> {
        let (sequence, mut state) = match &writer.head {
            Some(known) => known.clone(),
            None => {
                let head = self.kv.head(self.shard).await?;
                (head.sequence, self.decode_state(&head)?)
            }
        };
        align(&mut state, sequence, set);
        writer.head = Some((sequence, state.clone()));
        Ok((sequence, state))
    }

    /// Its full name now; a rename changes it.
    pub fn namespace(&self) -> Namespace {
        Namespace::clone(&self.namespace.read())
    }

    pub(crate) fn shared_namespace(&self) -> Arc<Namespace> {
        self.namespace.read().clone()
    }

    pub(crate) fn set_namespace(&self, namespace: Namespace) {
        *self.namespace.write() = Arc::new(namespace);
    }

    /// Its UUID, which a rename keeps.
    pub fn uuid(&self) -> [u8; 16] {
        self.uuid
    }

    /// The value of this type that a level above keeps with the collection. It is dropped when the collection is closed.
    pub fn companion<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.companions.get()
    }

    /// The options as they are now; `collMod` may change them.
    pub fn options(&self) -> Arc<CollectionOptions> {
        self.options.read().clone()
    }

    pub(crate) fn set_options(&self, options: CollectionOptions) {
        self.is_view.store(is_view(&options), Ordering::Release);
        self.has_plain_ids
            .store(has_plain_ids(&options), Ordering::Release);
        *self.options.write() = Arc::new(options);
    }

    /// Its indexes, `_id_` first; those being built too.
    pub fn indexes(&self) -> Vec<Arc<Index>> {
        self.index_set().indexes.clone()
    }

    pub(crate) fn index_set(&self) -> Arc<IndexSet> {
        self.indexes.read().clone()
    }

    /// Makes all later commits keep these indexes.
    pub(crate) async fn install(&self, set: IndexSet) -> Result<(), StoreError> {
        let mut writer = self.writer.lock().await;
        // The last number before the indexes is noted now: a build has to enter all older records.
        let (_, state) = self.read_head(&mut writer, &set).await?;
        for (index, known) in set.indexes.iter().zip(&state.indexes) {
            if known.build.is_none() {
                index.set_ready();
            }
        }
        *self.state.write() = Arc::new(state);
        *self.indexes.write() = Arc::new(set);
        Ok(())
    }

    /// Whether it is a view, which has no documents of its own.
    pub fn is_view(&self) -> bool {
        self.is_view.load(Ordering::Acquire)
    }

    /// Whether an `_id` equals only itself and has at most one document. Under a collation other strings may be equal to it, and some
    /// collections may have several documents with the same `_id`.
    pub fn has_plain_ids(&self) -> bool {
        self.has_plain_ids.load(Ordering::Acquire)
    }

    /// Whether documents of it may be long: some have, or had, files of their own.
    pub fn may_be_long(&self) -> bool {
        self.kv.has_large_values(self.shard)
    }

    /// Whether it was dropped.
    pub fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    /// Refuses all further commits and waits for the one under way.
    pub(crate) async fn end(&self) {
        self.dropped.store(true, Ordering::Release);
        self.derived.read().iter().for_each(|derived| derived.end());
        // Wakes followers, who wait for a change that will never come.
        self.head.send_modify(|_| ());
        drop(self.writer.lock().await);
    }

    /// Its own shard and those of its derived pages, as far as they are known.
    pub(crate) fn shards(&self) -> Vec<ShardId> {
        let derived = self.derived.read();
        std::iter::once(self.shard)
            .chain(derived.iter().map(|one| one.shard))
            .filter(|shard| *shard != NO_SHARD)
            .collect()
    }

    /// Fails for a view, and for a collection that was dropped or is damaged beyond use.
    pub(crate) fn check_usable(&self) -> Result<(), StoreError> {
        if self.is_dropped() {
            return Err(StoreError::CollectionDropped(self.namespace().to_string()));
        }
        self.check_sound()?;
        self.refuse_view()
    }

    /// Fails for a collection that is damaged beyond use.
    pub fn check_sound(&self) -> Result<(), StoreError> {
        match self.damage() {
            None => Ok(()),
            Some(what) => Err(StoreError::Corrupt {
                namespace: self.namespace().to_string(),
                what: what.to_owned(),
            }),
        }
    }

    /// The damage that makes the whole collection unusable.
    pub(crate) fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Fails for a view, which has no documents of its own.
    pub fn refuse_view(&self) -> Result<(), StoreError> {
        if self.is_view() {
            return Err(StoreError::IsView(self.namespace().to_string()));
        }
        Ok(())
    }

    /// The position after the last committed change.
    pub fn head(&self) -> Sequence {
        self.head.borrow().clone()
    }

    /// How often something other than an insert was committed; see
    /// [`Snapshot::rewrites`](crate::Snapshot::rewrites).
    pub fn rewrites(&self) -> u64 {
        self.rewrites.load(Ordering::Acquire)
    }

    /// Follows the position after the last committed change. Also wakes up when the collection is dropped.
    pub fn head_watch(&self) -> watch::Receiver<Sequence> {
        self.head.subscribe()
    }

    /// Makes a commit known to readers of counts and to followers.
    pub(crate) fn publish(&self, sequence: u64, state: &ShardState) {
        *self.state.write() = Arc::new(state.clone());
        self.rewrites
            .store(rewrites(sequence, state.count), Ordering::Release);
        self.note_newest(sequence);
        self.head.send_replace(Sequence::after_change(sequence));
    }

    pub(crate) fn state(&self) -> Arc<ShardState> {
        self.state.read().clone()
    }

    pub(crate) fn now_ms(&self) -> u64 {
        (self.clock)()
    }

    /// Whether the last sweep of tombstones was at least `every_ms` ago. If so, notes that they are swept now.
    pub(crate) fn is_time_for_tombstones(&self, now_ms: i64, every_ms: u64) -> bool {
        let last_ms = self.tombstones_swept_ms.load(Ordering::Relaxed);
        let due = now_ms.saturating_sub(last_ms) >= every_ms as i64;
        if due {
            self.tombstones_swept_ms.store(now_ms, Ordering::Relaxed);
        }
        due
    }

    pub(crate) fn decode_state(&self, head: &Head) -> Result<ShardState, StoreError> {
        ShardState::decode(&head.state).ok_or_else(|| StoreError::Corrupt {
            namespace: self.namespace().to_string(),
            what: "the head of the shard".to_owned(),
        })
    }

    /// The catalog, to change the entry of this collection. Fails if the store was closed meanwhile.
    pub(crate) fn catalog(&self) -> Result<Arc<Catalog>, StoreError> {
        self.check_sound()?;
        self.catalog.upgrade().ok_or(StoreError::Interrupted)
    }

    /// Its entry in the catalog.
    pub(crate) fn entry(&self) -> CatalogEntry {
        self.entry_with(&self.index_set())
    }

    /// Its entry in the catalog with other indexes.
    pub(crate) fn entry_with(&self, set: &IndexSet) -> CatalogEntry {
        let indexes = set.indexes.iter().filter(|index| index.id() != index::ID_INDEX);
        let numbering = self.numbering.lock().clone();
        CatalogEntry {
            shard: self.shard,
            uuid: self.uuid,
            options: CollectionOptions::clone(&self.options()),
            indexes: indexes.map(|index| (index.id(), index.spec().clone())).collect(),
            next_index: numbering.next_index,
            clearing: numbering.clearing,
            derived: self
                .derived
                .read()
                .iter()
                .map(|one| (one.name().to_owned(), one.shard))
                .collect(),
        }
    }

    /// The number for a new index.
    pub(crate) fn new_index_id(&self) -> u32 {
        let mut numbering = self.numbering.lock();
        numbering.next_index += 1;
        numbering.next_index - 1
    }

    /// The dropped indexes whose entries are still to be removed.
    pub(crate) fn clearing(&self) -> Vec<u32> {
        self.numbering.lock().clearing.clone()
    }

    pub(crate) fn set_clearing(&self, change: impl FnOnce(&mut Vec<u32>)) {
        change(&mut self.numbering.lock().clearing);
    }
}

fn is_view(options: &CollectionOptions) -> bool {
    options.kept.contains("viewOn")
}

fn has_plain_ids(options: &CollectionOptions) -> bool {
    !options.kept.contains("collation") && !options.repeats_ids()
}

/// An insert raises the head and the count by one. Whatever else is committed raises the head alone or lowers the
/// count, so this difference rises with it, and with nothing else.
pub(crate) fn rewrites(sequence: u64, count: u64) -> u64 {
    sequence.saturating_sub(count)
}
