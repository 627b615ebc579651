//! Helpers that the tests of plans share: a collection in memory and random choices.
#![allow(dead_code, reason = "each test file uses a part of it")]

use kv::{Kv, Simulation};
use language::filter::Filter;
use std::sync::Arc;
use store::{Collection, CommitOptions, Namespace, Store, StoreOptions, WriteOp};
use value::{Document, DocumentBuf, DocumentFilter};

pub fn options() -> StoreOptions {
    StoreOptions::new(|filter, collation| {
        let filter = Filter::parse_partial(filter, collation).map_err(|error| error.to_string())?;
        Ok(Arc::new(filter) as Arc<dyn DocumentFilter>)
    })
}

pub async fn new_collection() -> (Store, Arc<Collection>) {
    collection_in(Kv::simulated(&Simulation::new(1))).await
}

pub async fn collection_in(kv: Kv) -> (Store, Arc<Collection>) {
    let store = Store::open(kv, options()).await.expect("open");
    let collection = store
        .create_if_missing(&Namespace::new("db", "coll"))
        .await
        .expect("create");
    (store, collection)
}

/// Inserts the documents; those that some index refuses are left out of the answer.
pub async fn insert_all(collection: &Arc<Collection>, documents: &[Document]) -> Vec<Document> {
    let operations = documents
        .iter()
        .map(|document| WriteOp::Insert(DocumentBuf::from(document)))
        .collect();
    let unordered = CommitOptions {
        ordered: false,
        ..CommitOptions::default()
    };
    let outcomes = collection.commit(operations, unordered).await.expect("commit");
    let inserted = documents.iter().zip(outcomes);
    inserted
        .filter(|(_, outcome)| matches!(outcome, store::Outcome::Inserted { .. }))
        .map(|(document, _)| document.clone())
        .collect()
}
