//! Views in this process: the store and the crate that keeps views, without a server.

use anyhow::{Context, Result, anyhow};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use store::{
    Collection, CommitOptions, DocumentHistory, Durability, Namespace, Record, Store, StoreOptions, WriteOp,
};
use tokio::runtime::Runtime;
use value::{Document, DocumentBuf, DocumentFilter, DocumentRef, ValueRef};
use view::{Group, Query, Render, RenderOptions, ScriptLimits, Views};

/// A collection with views.
#[derive(Debug)]
pub struct ViewStore {
    runtime: Arc<Runtime>,
    store: Store,
    collection: Arc<Collection>,
    views: Views,
}

/// A view that holds all documents.
#[derive(Debug)]
pub struct BuiltView {
    runtime: Arc<Runtime>,
    group: Arc<Group>,
}

/// Documents as relaxed Extended JSON.
struct Plain;

impl Render for Plain {
    fn document(
        &self,
        record: &Record,
        _: Option<&DocumentHistory>,
        _: RenderOptions<'_>,
        out: &mut String,
    ) -> Option<String> {
        let document = record.document.as_raw();
        let id = document.get("_id")?.as_str()?.to_owned();
        let document = ValueRef::Document(DocumentRef::Raw(document));
        value::json::write(document, value::json::Mode::Relaxed, out);
        Some(id)
    }

    fn id(&self, id: &value::Value) -> Option<String> {
        id.as_ref().as_str().map(str::to_owned)
    }
}

/// No index here has a filter.
#[derive(Debug)]
struct Everything;

impl DocumentFilter for Everything {
    fn matches(&self, _: DocumentRef<'_>) -> bool {
        true
    }
}

impl ViewStore {
    /// Opens it on a folder.
    pub fn open(folder: &Path, memory_bytes: usize) -> Result<ViewStore> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()?;
        let kv = kv::Kv::open(&kv::OpenOptions {
            folder: folder.to_path_buf(),
            memory_bytes,
        })?;
        let options = StoreOptions::new(|_, _| Ok(Arc::new(Everything) as Arc<dyn DocumentFilter>));
        let store = runtime.block_on(Store::open(kv, options))?;
        let namespace = Namespace::new("default", "orders");
        let collection = runtime.block_on(store.create_if_missing(&namespace))?;
        Ok(ViewStore {
            runtime: Arc::new(runtime),
            store,
            collection,
            views: Views::new(Arc::new(Plain), ScriptLimits::default()),
        })
    }

    /// Inserts documents in one commit.
    pub fn insert(&self, documents: Vec<Document>) -> Result<()> {
        let operations = documents
            .iter()
            .map(|document| WriteOp::Insert(DocumentBuf::from(document)));
        let options = CommitOptions {
            durability: Durability::Soon,
            ..CommitOptions::default()
        };
        let commit = self.collection.commit(operations.collect(), options);
        Ok(self.runtime.block_on(commit).map(drop)?)
    }

    /// Makes a view and waits until it holds all documents.
    pub fn build(&self, map: &str, reduce: &str) -> Result<BuiltView> {
        let body = json!({"views": {"all": {"map": map, "reduce": reduce}}});
        let Value::Object(body) = body else {
            return Err(anyhow!("a design document is an object"));
        };
        let group = self.runtime.block_on(self.group(&body))?;
        Ok(BuiltView {
            runtime: self.runtime.clone(),
            group,
        })
    }

    async fn group(&self, body: &Map<String, Value>) -> view::Result<Arc<Group>> {
        let group = self.views.group(&self.collection, "_design/all", body).await?;
        let head = self.collection.head();
        group.update(head).await?;
        Ok(group)
    }

    /// Flushes and closes.
    pub fn close(self) -> Result<()> {
        Ok(self.runtime.block_on(self.store.close())?)
    }
}

impl BuiltView {
    /// The reduction of all rows whose keys are from `start` to `end`; JSON text.
    pub fn reduce(&self, start: &str, end: &str) -> Result<String> {
        let query = Query {
            start_key: Some(json!(start)),
            end_key: Some(json!(end)),
            ..Query::default()
        };
        let rows = self.runtime.block_on(async {
            let mut answer = self.group.query("all", query).await?;
            answer.next().await
        })?;
        let row = rows.and_then(|mut rows| rows.pop()).context("no reduction")?;
        Ok(String::from_utf8(row.value.to_vec())?)
    }

    /// The bytes of the rows, and those of the pages on disk that hold them.
    pub fn sizes(&self) -> Result<(u64, u64)> {
        let info = self.runtime.block_on(async {
            self.group.compact().await?;
            self.group.info().await
        })?;
        Ok((info.external_bytes, info.disk_bytes))
    }
}
