//! Searches, and the changes of indexes.

use crate::catalog::{Catalog, CatalogEntry};
use crate::definition::Definition;
use crate::error::{Result, of_indexing, of_search};
use crate::facets::Facets;
use crate::index::{Index, SearchIndexState, folder_name};
use crate::request::{SearchRequest, index_name};
use code::Code;
use engine::{
    Engine, Error, Namespace, RevisionedCollection, SearchIndexes, Searched, Searching, WhichSearchIndex,
};
use futures::future::BoxFuture;
use indexing::Indexes;
use parking_lot::Mutex;
use search::{Held, Outcome, Request, Run};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use value::{Document, doc};

/// How indexes are kept.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of full-text indexes; without one, searches read all documents.
    pub folder: Option<PathBuf>,
    /// The documents from which on a collection has a full-text index; `None` for the usual number.
    pub documents_min: Option<u64>,
}

/// The documents from which on an index is worth it: a few are read as fast.
const DOCUMENTS_MIN: u64 = 1000;

/// Atlas's indexes of all collections.
#[derive(Debug)]
pub struct Atlas {
    indexes: Indexes,
    known: Mutex<HashMap<Key, Arc<SearchIndexState>>>,
    /// Held while the indexes of a collection change.
    change: tokio::sync::Mutex<()>,
}

/// A collection, and an index of it.
type Key = ([u8; 16], String);

impl Atlas {
    /// The indexes in this folder; those whose collections are gone are removed.
    pub fn new(engine: &Engine, options: Options) -> Atlas {
        if let Some(folder) = &options.folder {
            indexing::sweep(folder, || present(engine));
        }
        Atlas {
            indexes: Indexes {
                folder: options.folder,
                documents_min: options.documents_min.unwrap_or(DOCUMENTS_MIN),
                memory: engine.memory().clone(),
            },
            known: Mutex::default(),
            change: tokio::sync::Mutex::default(),
        }
    }

    /// An index of a collection, as it is known.
    fn index(&self, collection: &RevisionedCollection, entry: &CatalogEntry) -> Result<Index> {
        let key = (collection.uuid(), entry.key());
        let mut known = self.known.lock();
        let state = match known.get(&key) {
            Some(state) => state.clone(),
            None => {
                let definition = Definition::parse(&entry.definition)?;
                let state = Arc::new(SearchIndexState::new(definition, self.indexes.clone()));
                known.insert(key, state.clone());
                state
            }
        };
        Ok(Index {
            name: entry.name.clone(),
            key: entry.key(),
            collection: collection.clone(),
            state,
        })
    }

    /// Lets go of an index that is no more, and removes its folder.
    fn forget(&self, collection: &RevisionedCollection, entry: &CatalogEntry) {
        let key = (collection.uuid(), entry.key());
        if let Some(state) = self.known.lock().remove(&key) {
            state.following.stop();
        }
        if let Some(folder) = &self.indexes.folder {
            // What cannot be removed now is removed by the next start.
            let _ = std::fs::remove_dir_all(folder.join(folder_name(&key.0, &key.1)));
        }
    }

    async fn find(&self, engine: &Engine, searching: &Searching) -> Result<Searched> {
        let name = index_name(&searching.spec)?;
        let collection = engine.revisioned(&searching.namespace)?;
        let found = collection.and_then(|collection| {
            let catalog = Catalog::of_kept(&collection.search_indexes());
            let entry = catalog.named(&name).cloned();
            entry.map(|entry| (collection, entry))
        });
        // What Atlas says where there is no such index: nothing is found.
        let Some((collection, entry)) = found else {
            return Ok(nothing());
        };
        let index = self.index(&collection, &entry)?;
        indexing::begin_opened(&index).await;
        let mapping = index.learnt().await?;
        let published = index.state.following.published(&mapping);
        let snapshot = collection.snapshot().await?;
        let asked = SearchRequest::parse(&searching.spec, &mapping)?;
        let now_ms = value::date::now_ms();
        let request = request(&asked, searching, snapshot.count())?;
        let searched = search::Index {
            name: entry.name,
            mapping: mapping.clone(),
            boost: 1.0,
        };
        let held = Held::within(engine.memory());
        let mut run = Run::new(&request, vec![searched], now_ms, held).map_err(of_search)?;
        let counts_first = run.begin(0).map_err(of_search)?;
        let shown = indexing::show(&mut run, &snapshot, published.as_deref(), counts_first, None).await;
        shown.map_err(of_indexing)?;
        let outcome = run.finish(false, &|_, _, _| Ok(serde_json::Value::Null));
        answer(&asked, &mapping, outcome.map_err(of_search)?, now_ms)
    }

    async fn change<T>(
        &self,
        engine: &Engine,
        namespace: &Namespace,
        change: impl FnOnce(&mut Catalog) -> Result<T> + Send,
    ) -> Result<(RevisionedCollection, T)> {
        let _changing = self.change.lock().await;
        let missing = || {
            let message = format!("Collection '{namespace}' does not exist.");
            Error::new(Code::NAMESPACE_NOT_FOUND, message)
        };
        let collection = engine.revisioned(namespace)?.ok_or_else(missing)?;
        let mut catalog = Catalog::of_kept(&collection.search_indexes());
        let changed = change(&mut catalog)?;
        collection.set_search_indexes(catalog.kept()).await?;
        Ok((collection, changed))
    }
}

impl Drop for Atlas {
    fn drop(&mut self) {
        // The tasks have the states that have them.
        for state in self.known.lock().values() {
            state.following.stop();
        }
    }
}

/// The folders of the indexes that are there.
fn present(engine: &Engine) -> HashSet<String> {
    let mut present = HashSet::new();
    for database in engine.databases() {
        for entry in engine.collections(&database) {
            let namespace = Namespace::new(&database, &entry.name);
            let Ok(Some(collection)) = engine.revisioned(&namespace) else {
                continue;
            };
            let catalog = Catalog::of_kept(&collection.search_indexes());
            let uuid = collection.uuid();
            let folders = catalog
                .entries()
                .iter()
                .map(|entry| folder_name(&uuid, &entry.key()));
            present.extend(folders);
        }
    }
    present
}

fn nothing() -> Searched {
    Searched {
        documents: Vec::new(),
        meta: doc! {"count": doc! {"lowerBound": 0_i64}},
    }
}

fn request(asked: &SearchRequest, searching: &Searching, documents: u64) -> Result<Request> {
    let size = match searching.wants_meta {
        true => 0,
        false => searching.documents_max.unwrap_or(u64::MAX).min(documents),
    };
    let aggregations = asked.facets.as_ref().map(Facets::aggregations);
    Ok(Request {
        query: Some(asked.query.clone()),
        aggregations: aggregations.transpose()?.unwrap_or_default(),
        size: usize::try_from(size).unwrap_or(usize::MAX),
        sort: asked.sort.clone(),
        track_total_hits: Some(u64::MAX),
        track_scores: true,
        window_max: usize::MAX,
        ..Request::default()
    })
}

fn answer(
    asked: &SearchRequest,
    mapping: &search::Mapping,
    outcome: Outcome,
    now_ms: i64,
) -> Result<Searched> {
    let total = i64::try_from(outcome.total).unwrap_or(i64::MAX);
    let kind = if asked.counts_total { "total" } else { "lowerBound" };
    let mut meta = doc! {"count": doc! {kind: total}};
    if let Some(facets) = &asked.facets {
        meta.push("facet", facets.shown(&outcome.aggregations.unwrap_or_default()));
    }
    let mut documents = Vec::with_capacity(outcome.hits.len());
    for hit in outcome.hits {
        let mut metadata = doc! {"searchScore": f64::from(hit.score.unwrap_or(0.0))};
        if let Some(highlights) = &asked.highlights {
            let passages = highlights.of(mapping, &hit, &asked.query, now_ms)?;
            metadata.push("searchHighlights", passages);
        }
        documents.push((hit.document.to_document(), metadata));
    }
    Ok(Searched { documents, meta })
}

impl SearchIndexes for Atlas {
    fn search<'a>(&'a self, engine: &'a Engine, searching: &'a Searching) -> BoxFuture<'a, Result<Searched>> {
        Box::pin(self.find(engine, searching))
    }

    fn list(
        &self,
        engine: &Engine,
        namespace: &Namespace,
        which: &WhichSearchIndex,
    ) -> Result<Vec<Document>> {
        let Some(collection) = engine.revisioned(namespace)? else {
            return Ok(Vec::new());
        };
        let catalog = Catalog::of_kept(&collection.search_indexes());
        Ok(catalog.which(which).map(CatalogEntry::shown).collect())
    }

    fn create<'a>(
        &'a self,
        engine: &'a Engine,
        namespace: &'a Namespace,
        definitions: Vec<Document>,
    ) -> BoxFuture<'a, Result<Vec<(String, String)>>> {
        Box::pin(async move {
            let now_ms = value::date::now_ms();
            let numbered = definitions.iter().enumerate();
            let entries = numbered.map(|(at, asked)| CatalogEntry::asked(at, asked, now_ms));
            let entries = entries.collect::<Result<Vec<_>>>()?;
            let add = |catalog: &mut Catalog| {
                let made = entries.into_iter().map(|entry| catalog.add(entry));
                made.collect::<Result<Vec<_>>>()
            };
            Ok(self.change(engine, namespace, add).await?.1)
        })
    }

    fn update<'a>(
        &'a self,
        engine: &'a Engine,
        namespace: &'a Namespace,
        which: &'a WhichSearchIndex,
        definition: Document,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let now_ms = value::date::now_ms();
            let update = |catalog: &mut Catalog| catalog.update(which, definition, now_ms);
            let (collection, before) = self.change(engine, namespace, update).await?;
            self.forget(&collection, &before);
            Ok(())
        })
    }

    fn remove<'a>(
        &'a self,
        engine: &'a Engine,
        namespace: &'a Namespace,
        which: &'a WhichSearchIndex,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let remove = |catalog: &mut Catalog| catalog.remove(which);
            let (collection, before) = self.change(engine, namespace, remove).await?;
            self.forget(&collection, &before);
            Ok(())
        })
    }
}
