//! A collection in memory, and short ways to write to it and read it.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "short tests, each using a part of it"
)]

use kv::{Kv, Simulation};
use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use query::write::{self, DeleteRequest, Lookup, UpdateRequest, Updated, WriteOptions};
use std::sync::Arc;
use store::{Collection, IndexSpec, Namespace, Order, PageLimit, Store, StoreOptions};
use update::{Update, UpdateInput, UpdateScope};
use value::{Document, DocumentBuf};

pub async fn new_collection() -> (Store, Arc<Collection>) {
    let options = StoreOptions::new(|_, _| Err("no partial index here".to_owned()));
    let store = Store::open(Kv::simulated(&Simulation::new(1)), options)
        .await
        .unwrap();
    let collection = store
        .create_if_missing(&Namespace::new("db", "coll"))
        .await
        .unwrap();
    (store, collection)
}

pub async fn insert(collection: &Arc<Collection>, documents: impl IntoIterator<Item = Document>) {
    let documents = documents
        .into_iter()
        .map(|document| DocumentBuf::from(&document))
        .collect();
    let options = WriteOptions::default();
    let inserted = write::insert(collection, documents, &options).await.unwrap();
    assert!(inserted.failures.is_empty(), "{:?}", inserted.failures);
}

pub async fn unique_index(collection: &Arc<Collection>, key: Document) {
    let mut spec = IndexSpec::new("unique", key);
    spec.unique = true;
    collection.create_indexes(vec![spec]).await.unwrap();
}

pub fn filter(query: Document) -> Arc<Filter> {
    Arc::new(Filter::parse(&query, &FilterScope::default()).unwrap())
}

pub fn parsed(update: Document) -> Arc<Update> {
    let variables = Variables::new(0);
    let scope = UpdateScope {
        variables: &variables,
    };
    Arc::new(Update::parse(&UpdateInput::Document(update), &[], &scope).unwrap())
}

pub fn request(query: Document, update: Document) -> UpdateRequest {
    UpdateRequest {
        lookup: Lookup::new(filter(query)),
        update: parsed(update),
        multi: false,
        upsert: false,
        variables: Arc::new(Variables::new(0)),
    }
}

pub fn removal(query: Document, only_first: bool) -> DeleteRequest {
    DeleteRequest {
        lookup: Lookup::new(filter(query)),
        only_first,
    }
}

pub async fn update(collection: &Arc<Collection>, requests: Vec<UpdateRequest>) -> Updated {
    write::update(collection, requests, &WriteOptions::default())
        .await
        .unwrap()
}

/// All documents in natural order.
pub async fn all(collection: &Arc<Collection>) -> Vec<Document> {
    let snapshot = collection.snapshot().await.unwrap();
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = snapshot
            .records(after, Order::Forward, PageLimit::default())
            .await
            .unwrap();
        for at in 0..page.len() {
            after = Some(page.id(at));
            found.push(page.document(at).to_document());
        }
        if page.exhausted() {
            return found;
        }
    }
}
