//! Helpers that the tests share: a collection on the simulated engine, design documents, and answers as JSON.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kv::{Kv, Simulation};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use store::{
    Collection, CollectionOptions, CommitOptions, DocumentHistory, Namespace, Record, Sequence, Store,
    StoreError, StoreOptions, Target, Transformed, WriteOp,
};
use value::{DocumentBuf, DocumentFilter, DocumentRef, ValueRef};
use view::{Group, Query, Render, RenderOptions, ScriptLimits, Views};

#[derive(Debug)]
struct Nothing;

impl DocumentFilter for Nothing {
    fn matches(&self, _: DocumentRef<'_>) -> bool {
        true
    }
}

/// Documents as relaxed Extended JSON; ids are strings.
pub struct Plain;

impl Render for Plain {
    fn document(
        &self,
        record: &Record,
        _: Option<&DocumentHistory>,
        _: RenderOptions<'_>,
        out: &mut String,
    ) -> Option<String> {
        let document = record.document.to_document();
        let id = self.id(document.get("_id")?)?;
        value::json::write(
            ValueRef::Document(DocumentRef::Tree(&document)),
            value::json::Mode::Relaxed,
            out,
        );
        Some(id)
    }

    fn id(&self, id: &value::Value) -> Option<String> {
        id.as_ref().as_str().map(str::to_owned)
    }
}

/// A database with views.
pub struct Database {
    pub store: Store,
    pub collection: Arc<Collection>,
    pub views: Views,
}

impl Database {
    pub async fn open(simulation: &Simulation, limits: ScriptLimits) -> Database {
        Database::open_with(simulation, CollectionOptions::default(), limits).await
    }

    pub async fn open_with(
        simulation: &Simulation,
        collection: CollectionOptions,
        limits: ScriptLimits,
    ) -> Database {
        let options = StoreOptions::new(|_, _| Ok(Arc::new(Nothing) as Arc<dyn DocumentFilter>));
        let store = Store::open(Kv::simulated(simulation), options).await.unwrap();
        let namespace = Namespace::new("db", "c");
        if store.collection(&namespace).is_none() {
            store.create(&namespace, collection).await.unwrap();
        }
        let collection = store.collection(&namespace).unwrap();
        Database {
            store,
            collection,
            views: Views::new(Arc::new(Plain), limits),
        }
    }

    pub async fn new() -> Database {
        Database::open(&Simulation::new(1), ScriptLimits::default()).await
    }

    /// Puts documents, and removes those that are only a string: their id.
    pub async fn try_put(&self, documents: &[Value]) -> Result<(), StoreError> {
        let operations = documents.iter().map(operation).collect();
        self.collection
            .commit(operations, CommitOptions::default())
            .await
            .map(drop)
    }

    pub async fn put(&self, documents: &[Value]) {
        self.try_put(documents).await.unwrap();
    }

    /// The group of a design document with these views.
    pub async fn try_group(&self, views: Value) -> view::Result<Arc<Group>> {
        let body = json!({"_id": "_design/d", "views": views});
        self.views
            .group(&self.collection, "_design/d", &fields(body))
            .await
    }

    pub async fn group(&self, views: Value) -> Arc<Group> {
        self.try_group(views).await.unwrap()
    }

    /// The same group as another process would have it.
    pub async fn group_elsewhere(&self, views: Value) -> Arc<Group> {
        let elsewhere = Views::new(Arc::new(Plain), ScriptLimits::default());
        let body = fields(json!({"_id": "_design/d", "views": views}));
        let group = elsewhere.group(&self.collection, "_design/d", &body);
        group.await.unwrap()
    }

    pub fn head(&self) -> Sequence {
        self.collection.head()
    }

    /// Rows of an up-to-date view as CouchDB gives them.
    pub async fn try_rows(&self, group: &Arc<Group>, view: &str, query: Query) -> view::Result<Value> {
        group.update(self.head()).await?;
        rows(group, view, query).await
    }

    pub async fn rows(&self, group: &Arc<Group>, view: &str, query: Query) -> Value {
        self.try_rows(group, view, query).await.unwrap()
    }
}

/// Rows as they are.
pub async fn rows(group: &Arc<Group>, view: &str, query: Query) -> view::Result<Value> {
    let mut answer = group.query(view, query).await?;
    let mut out = Vec::new();
    while let Some(rows) = answer.next().await? {
        for row in rows {
            let key = row
                .key
                .map_or(Value::Null, |key| serde_json::from_slice(&key).unwrap());
            let value: Value = serde_json::from_slice(&row.value).unwrap();
            out.push(match row.id {
                Some(id) => json!([id, key, value]),
                None => json!([key, value]),
            });
        }
    }
    Ok(Value::Array(out))
}

pub fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} is no object"),
    }
}

fn operation(document: &Value) -> WriteOp {
    if let Value::String(id) = document {
        return WriteOp::modify(Target::Id(id.as_str().into()), |_: Option<store::Present<'_>>| {
            Ok(Transformed::Delete)
        });
    }
    let parsed = value::json::parse_document(&document.to_string()).unwrap();
    let id = parsed.get("_id").unwrap().clone();
    let document = DocumentBuf::from(&parsed);
    WriteOp::modify(Target::Id(id), move |_: Option<store::Present<'_>>| {
        Ok(Transformed::Put(document.clone()))
    })
}
