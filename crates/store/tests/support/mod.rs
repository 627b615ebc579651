//! Helpers that the tests share: a store in memory, and short ways to change and read it.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::needless_pass_by_value, reason = "tests write documents in the call")]

use kv::{Kv, Simulation};
use std::sync::Arc;
use store::{
    Collection, CommitOptions, Namespace, Order, Outcome, PageLimit, Store, StoreError, StoreOptions, Target,
    Transformed, WriteOp,
};
use value::{Document, DocumentBuf, DocumentFilter, DocumentRef, Value, doc};

/// The filter `{field: value}` for one field, which is all that these tests need.
#[derive(Debug)]
struct Equals(Document);

impl DocumentFilter for Equals {
    fn matches(&self, document: DocumentRef<'_>) -> bool {
        self.0
            .iter()
            .all(|(name, value)| document.get(name).map(Value::from).as_ref() == Some(value))
    }
}

pub fn options() -> StoreOptions {
    StoreOptions::new(|filter, _| Ok(Arc::new(Equals(filter.clone())) as Arc<dyn DocumentFilter>))
}

pub async fn open(simulation: &Simulation) -> Store {
    Store::open(Kv::simulated(simulation), options()).await.unwrap()
}

pub async fn new_store() -> Store {
    open(&Simulation::new(1)).await
}

pub fn ns() -> Namespace {
    Namespace::new("db", "coll")
}

pub async fn new_collection() -> (Store, Arc<Collection>) {
    let store = new_store().await;
    let collection = store.create_if_missing(&ns()).await.unwrap();
    (store, collection)
}

pub fn insert_op(document: Document) -> WriteOp {
    WriteOp::Insert(DocumentBuf::from(&document))
}

pub fn put_op(id: impl Into<Value>, document: Document) -> WriteOp {
    let document = DocumentBuf::from(&document);
    WriteOp::modify(Target::Id(id.into()), move |_: Option<store::Present<'_>>| {
        Ok(Transformed::Put(document.clone()))
    })
}

pub fn delete_op(id: impl Into<Value>) -> WriteOp {
    WriteOp::modify(Target::Id(id.into()), |_: Option<store::Present<'_>>| {
        Ok(Transformed::Delete)
    })
}

pub async fn run(collection: &Arc<Collection>, operations: Vec<WriteOp>) -> Vec<Outcome> {
    collection
        .commit(operations, CommitOptions::default())
        .await
        .unwrap()
}

/// Runs one operation that has to succeed or be refused.
pub async fn one(collection: &Arc<Collection>, operation: WriteOp) -> Result<Outcome, StoreError> {
    match run(collection, vec![operation]).await.remove(0) {
        Outcome::Failed(error) => Err(error),
        outcome => Ok(outcome),
    }
}

/// All documents in natural order.
pub async fn all(collection: &Collection) -> Vec<Document> {
    let snapshot = collection.snapshot().await.unwrap();
    let (mut after, mut found) = (None, Vec::new());
    loop {
        let page = snapshot
            .records(
                after,
                Order::Forward,
                PageLimit {
                    entries: 3,
                    bytes: 1 << 20,
                },
            )
            .await
            .unwrap();
        for record in page.iter() {
            after = Some(record.id);
            found.push(record.document.to_document());
        }
        if page.exhausted() {
            return found;
        }
    }
}

pub async fn by_id(collection: &Collection, id: impl Into<Value>) -> Option<Document> {
    let snapshot = collection.snapshot().await.unwrap();
    let record = snapshot.by_id(id.into().as_ref()).await.unwrap();
    record.map(|record| record.document.to_document())
}

/// The documents `{_id: 0}` to `{_id: count - 1}` with the same number as `a`.
pub fn numbered(count: i32) -> Vec<WriteOp> {
    (0..count).map(|n| insert_op(doc! {"_id": n, "a": n})).collect()
}
