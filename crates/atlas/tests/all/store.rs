//! A store in memory with one collection.

use atlas::{Atlas, Options};
use engine::{Context, CreateRequest, Engine, Namespace, SearchIndexes, Searched, Searching, WriteOptions};
use kv::{Kv, Simulation};
use std::path::Path;
use std::time::{Duration, Instant};
use value::{Document, DocumentBuf, doc};

/// How long a test waits for an index.
const INDEX_TIME_MAX: Duration = Duration::from_secs(120);

pub struct Store {
    pub engine: Engine,
    folder: tempfile::TempDir,
    indexed: Atlas,
    plain: Atlas,
}

pub fn films() -> Namespace {
    Namespace::new("test", "films")
}

impl Store {
    pub async fn new(definition: Document) -> Store {
        Store::of(CreateRequest::default(), definition).await
    }

    /// A store with a collection created with these options.
    pub async fn of(made: CreateRequest, definition: Document) -> Store {
        let engine = Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap();
        engine.create_collection(&films(), made).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = |folder| Options {
            folder,
            documents_min: Some(1),
        };
        let indexed = Atlas::new(&engine, options(Some(folder.path().to_owned())));
        let plain = Atlas::new(&engine, options(None));
        let store = Store {
            engine,
            folder,
            indexed,
            plain,
        };
        store.insert(vec![doc! {"_id": "first"}]).await;
        let asked = vec![doc! {"definition": definition}];
        store
            .indexed
            .create(&store.engine, &films(), asked)
            .await
            .unwrap();
        store
    }

    pub async fn insert(&self, documents: Vec<Document>) {
        let documents = documents.iter().map(DocumentBuf::from).collect();
        let options = WriteOptions::default();
        let written = self
            .engine
            .insert(&Context::default(), &films(), documents, &options)
            .await
            .unwrap();
        assert!(written.failures.is_empty());
    }

    /// What both sets of indexes find.
    pub async fn both(&self, spec: &Document, documents_max: Option<u64>) -> (Searched, Searched) {
        let searching = searching(spec, documents_max);
        let by_index = self.indexed.search(&self.engine, &searching).await.unwrap();
        (
            by_index,
            self.plain.search(&self.engine, &searching).await.unwrap(),
        )
    }

    /// Why a search is refused.
    pub async fn refusal(&self, spec: &Document) -> String {
        let found = self.indexed.search(&self.engine, &searching(spec, None)).await;
        found.unwrap_err().message
    }

    /// Why another index cannot be made.
    pub async fn refusal_of_index(&self, definition: Document) -> String {
        let asked = vec![doc! {"name": "other", "definition": definition}];
        let created = self.indexed.create(&self.engine, &films(), asked).await;
        created.unwrap_err().message
    }

    /// Waits until an index is on the disk.
    pub async fn wait_until_indexed(&self) {
        let begun = Instant::now();
        while !is_written(self.folder.path()) {
            assert!(begun.elapsed() < INDEX_TIME_MAX, "there is no index");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn searching(spec: &Document, documents_max: Option<u64>) -> Searching {
    Searching {
        namespace: films(),
        spec: spec.clone(),
        wants_meta: false,
        documents_max,
    }
}

fn is_written(folder: &Path) -> bool {
    let folders = std::fs::read_dir(folder).unwrap();
    let mut notes = folders.filter_map(|folder| std::fs::read(folder.unwrap().path().join("meta.json")).ok());
    notes.any(|note| String::from_utf8_lossy(&note).contains("payload"))
}
