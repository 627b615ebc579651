//! What Elasticsearch knows of an index: its settings and its mapping.
//!
//! Both are kept with the collection. A mapping follows the change log, so that the fields of documents that came by another
//! protocol are known to the next request.

use crate::counters::IndexCounters;
use crate::error::Result;
use crate::index_sort;
use crate::learnt::Learnt;
use crate::limits::CHANGES_PAGE;
use crate::present::Present;
use crate::routing::Routing;
use crate::settings;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use engine::{ChangeKind, Namespace, Order, RevisionedCollection, Sequence};
use indexing::{Following, Indexes, Published};
use parking_lot::Mutex;
use search::Mapping;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use value::DocumentBuf;

/// The changes after which it is kept how far documents are known, so that a start need not read more of them again.
const CHANGES_KEPT: u64 = 100_000;

/// What was read of indices, by the ids of their collections.
#[derive(Debug)]
pub struct Indices {
    known: Mutex<HashMap<[u8; 16], Arc<State>>>,
    /// Where their full-text indexes are.
    fulltext: Indexes,
}

/// An index's settings and mapping.
#[derive(Debug)]
struct State {
    /// Held while they change.
    change: tokio::sync::Mutex<()>,
    now: Mutex<Present>,
    /// How far documents are known as it was kept last.
    kept_to: Mutex<Sequence>,
    /// Changes that need not be followed.
    learnt: Mutex<Learnt>,
    counters: IndexCounters,
    following: Following,
}

/// An index that is there.
#[derive(Clone, Debug)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Where its collection is.
    pub namespace: Namespace,
    /// Its documents.
    pub collection: RevisionedCollection,
    state: Arc<State>,
}

impl Indices {
    /// An empty table; `fulltext` says where full-text indexes are kept.
    pub fn new(fulltext: Indexes) -> Indices {
        Indices {
            known: Mutex::default(),
            fulltext,
        }
    }

    /// The index that is this collection.
    pub fn index(&self, name: &str, namespace: Namespace, collection: RevisionedCollection) -> Result<Index> {
        let state = self.state(&collection)?;
        Ok(Index {
            name: name.to_owned(),
            namespace,
            collection,
            state,
        })
    }

    fn state(&self, collection: &RevisionedCollection) -> Result<Arc<State>> {
        let mut known = self.known.lock();
        if let Some(state) = known.get(&collection.uuid()) {
            return Ok(state.clone());
        }
        let present = match collection.search_index() {
            Some(text) => Present::parse(&text, collection)?,
            None => Present::default(),
        };
        let state = Arc::new(State {
            change: tokio::sync::Mutex::new(()),
            kept_to: Mutex::new(present.followed.clone()),
            now: Mutex::new(present),
            learnt: Mutex::default(),
            counters: IndexCounters::default(),
            following: Following::new(self.fulltext.clone()),
        });
        // What was there before this start was flushed by it, if not earlier.
        state.counters.flushed(collection.head());
        known.insert(collection.uuid(), state.clone());
        Ok(state)
    }

    /// How many changes the full-text index that is furthest behind has not reached.
    pub fn changes_behind(&self) -> u64 {
        let known = self.known.lock();
        let behind = known
            .values()
            .filter_map(|state| state.following.changes_behind());
        behind.max().unwrap_or(0)
    }

    /// Forgets an index that is dropped.
    pub fn forget(&self, index: &Index) {
        self.known.lock().remove(&index.collection.uuid());
    }
}

impl Drop for Indices {
    fn drop(&mut self) {
        // The tasks have the states that have them.
        for state in self.known.lock().values() {
            state.following.stop();
        }
    }
}

impl Index {
    /// Stores its settings, mapping and aliases, once its collection exists.
    pub async fn begin(&self, present: Present) -> Result<()> {
        self.save(&present).await?;
        *self.state.now.lock() = present;
        Ok(())
    }

    async fn save(&self, present: &Present) -> Result<()> {
        let text = present.text(&self.collection);
        self.collection.set_search_index(text).await?;
        *self.state.kept_to.lock() = present.followed.clone();
        Ok(())
    }

    /// Keeps how far documents are known, if that has risen by much.
    async fn keep_followed(&self) -> Result<()> {
        let is_far = |followed: &Sequence| followed.changes_since(&self.state.kept_to.lock()) >= CHANGES_KEPT;
        if !is_far(&self.followed()) {
            return Ok(());
        }
        let _changing = self.state.change.lock().await;
        let present = self.state.now.lock().clone();
        match is_far(&present.followed) {
            true => self.save(&present).await,
            false => Ok(()),
        }
    }

    /// Its full-text index.
    pub fn following(&self) -> &Following {
        &self.state.following
    }

    /// The full-text index, if there is one that fits the mapping.
    pub fn published(&self, mapping: &Arc<Mapping>) -> Option<Arc<Published>> {
        self.state.following.published(mapping)
    }

    /// The mapping as it is known now, without looking for what documents have brought.
    pub fn known_mapping(&self) -> Arc<Mapping> {
        self.state.now.lock().mapping.clone()
    }

    /// The mapping with the fields of all documents.
    pub async fn mapping(&self) -> Result<Arc<Mapping>> {
        self.follow().await?;
        Ok(self.known_mapping())
    }

    /// Learns the fields of documents that were written since the last time.
    async fn follow(&self) -> Result<()> {
        if self.followed() >= self.collection.head() {
            return Ok(());
        }
        self.follow_changes().await?;
        self.keep_followed().await
    }

    async fn follow_changes(&self) -> Result<()> {
        let _changing = self.state.change.lock().await;
        let mut present = self.state.now.lock().clone();
        let snapshot = self.collection.snapshot().await?;
        let mut has_changed = false;
        loop {
            let changes = snapshot
                .changes(&present.followed, Order::Forward, CHANGES_PAGE)
                .await?;
            let Some(last) = changes.last() else { break };
            engine::steps(changes.len())?;
            let mut mapping = Mapping::clone(&present.mapping);
            for change in &changes {
                if let ChangeKind::Put(record) = &change.kind {
                    has_changed |= mapping.learn_present(record.document.as_ref());
                }
            }
            present.mapping = Arc::new(mapping);
            present.followed = last.sequence.clone();
        }
        present.followed = present.followed.max(snapshot.head());
        if has_changed {
            self.save(&present).await?;
        }
        self.set(present);
        Ok(())
    }

    /// How far its documents are known.
    fn followed(&self) -> Sequence {
        let mut now = self.state.now.lock();
        let mut learnt = self.state.learnt.lock();
        now.followed = learnt.reach(std::mem::take(&mut now.followed));
        now.followed.clone()
    }

    /// Puts what was changed while nobody else changed it; how far documents are known may have risen meanwhile.
    fn set(&self, mut present: Present) {
        let mut now = self.state.now.lock();
        present.followed = present.followed.max(std::mem::take(&mut now.followed));
        *now = present;
    }

    /// Notes insertions of documents that were learnt.
    pub fn learnt(&self, inserted: &[engine::Result<Sequence>]) {
        self.state.learnt.lock().note(inserted.iter().flatten());
    }

    /// Learns the fields of documents that are about to be written; why one of them cannot be, if it cannot.
    pub async fn learn(&self, documents: &[DocumentBuf]) -> Result<Vec<Result<()>>> {
        let known = self.known_mapping();
        let fits = documents.iter().map(|document| known.brings(document.as_ref()));
        let fits: Vec<_> = fits.collect();
        if !fits.iter().any(|fits| matches!(fits, Ok(true))) {
            self.keep_followed().await?;
            let fits = fits.into_iter().map(|fits| fits.map(drop).map_err(Into::into));
            return Ok(fits.collect());
        }
        let _changing = self.state.change.lock().await;
        let mut present = self.state.now.lock().clone();
        let mut mapping = Mapping::clone(&present.mapping);
        let mut has_changed = false;
        let mut results = Vec::with_capacity(documents.len());
        for document in documents {
            results.push(match mapping.learn(document.as_ref()) {
                Ok(changed) => {
                    has_changed |= changed;
                    Ok(())
                }
                Err(error) => Err(error.into()),
            });
        }
        if has_changed {
            present.mapping = Arc::new(mapping);
            self.save(&present).await?;
            self.set(present);
        }
        Ok(results)
    }

    /// Adds to the mapping.
    pub async fn put_mapping(&self, source: &Value) -> Result<()> {
        self.change(|present| {
            let mut mapping = Mapping::clone(&present.mapping);
            mapping.put_given(source)?;
            index_sort::check(&present.settings, &mapping)?;
            present.mapping = Arc::new(mapping);
            Ok(())
        })
        .await
    }

    /// What was done with it.
    pub fn counters(&self) -> &IndexCounters {
        &self.state.counters
    }

    /// When it was made, in milliseconds since 1970.
    pub fn created_ms(&self) -> i64 {
        self.state.now.lock().created_ms
    }

    /// Whether it is closed.
    pub fn is_closed(&self) -> bool {
        self.state.now.lock().is_closed
    }

    /// Closes or opens it.
    pub async fn set_closed(&self, is_closed: bool) -> Result<()> {
        self.change(|present| {
            present.is_closed = is_closed;
            Ok(())
        })
        .await
    }

    /// Its aliases, with what is said of each.
    pub fn aliases(&self) -> Arc<Map<String, Value>> {
        self.state.now.lock().aliases.clone()
    }

    /// Changes its aliases.
    pub async fn change_aliases(&self, change: impl FnOnce(&mut Map<String, Value>)) -> Result<()> {
        self.change(|present| {
            change(Arc::make_mut(&mut present.aliases));
            Ok(())
        })
        .await
    }

    /// Puts settings in the place of those of the same name.
    pub async fn put_settings(&self, new: Map<String, Value>) -> Result<()> {
        self.change(|present| {
            settings::merge(&mut present.settings, new);
            let analysis = settings::analysis(&present.settings)?;
            let rules = settings::mapping_rules(&present.settings)?;
            let source = Value::Object(present.mapping.source().clone());
            present.mapping = Arc::new(Mapping::kept(&source, analysis, rules)?);
            Ok(())
        })
        .await
    }

    async fn change(&self, change: impl FnOnce(&mut Present) -> Result<()>) -> Result<()> {
        let _changing = self.state.change.lock().await;
        let mut present = self.state.now.lock().clone();
        change(&mut present)?;
        self.save(&present).await?;
        self.set(present);
        Ok(())
    }

    /// How it places its documents.
    pub fn routing(&self) -> Routing {
        let present = self.state.now.lock();
        Routing::of(&present.settings, &present.mapping)
    }

    /// One of its limits, by the name of its setting.
    pub fn limit(&self, name: &str) -> Result<usize> {
        settings::limit(&self.state.now.lock().settings, name)
    }

    /// What was given as settings, below `index`.
    pub fn given_settings(&self) -> Map<String, Value> {
        self.state.now.lock().settings.clone()
    }

    /// The settings as they are shown; for `human` readers dates and versions also as texts.
    pub fn settings(&self, human: bool) -> Value {
        let present = self.state.now.lock().clone();
        let mut index = present.settings;
        for (name, value) in [("number_of_shards", "1"), ("number_of_replicas", "1")] {
            index.entry(name).or_insert_with(|| json!(value));
        }
        index.insert("uuid".to_owned(), json!(self.uuid()));
        index.insert("creation_date".to_owned(), json!(present.created_ms.to_string()));
        index.insert("provided_name".to_owned(), json!(self.name));
        index.insert("version".to_owned(), json!({"created": "7100299"}));
        if present.is_closed {
            index.insert("verified_before_close".to_owned(), json!("true"));
        }
        if human {
            let date = search::date_text(present.created_ms);
            index.insert("creation_date_string".to_owned(), json!(date));
            index.insert(
                "version".to_owned(),
                json!({"created": "7100299", "created_string": "7.10.2"}),
            );
        }
        json!({"index": index})
    }

    /// The collection's id as text, in the 22 characters that clients know.
    pub fn uuid(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.collection.uuid())
    }
}
