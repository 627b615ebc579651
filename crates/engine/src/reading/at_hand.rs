//! Finds that need neither a plan nor a cursor: one document by its `_id`.
//!
//! Such a read waits for nothing but a block of the disk, so it is no operation that could be listed or ended; how often they
//! are and how long they took is noted as of all others.

use crate::engine::Engine;
use std::sync::Arc;
use std::time::Duration;
use store::{Collection, Namespace};
use value::{DocumentBuf, ValueRef};

impl Engine {
    /// Appends the document of an `_id`, which is a plain value, where it can be told out of memory. False says nothing: the
    /// query must be asked then.
    pub fn copy_at_hand(&self, namespace: &Namespace, id: ValueRef<'_>, out: &mut Vec<u8>) -> bool {
        let collection = self.collection_of_plain_ids(namespace);
        collection.is_some_and(|collection| collection.copy_at_hand(id, out).is_some())
    }

    /// The document of an `_id`, which is a plain value, out of the store. `None` says nothing: the query must be asked then,
    /// which knows too how to say why a collection cannot be read.
    pub async fn read_plain(&self, namespace: &Namespace, id: ValueRef<'_>) -> Option<DocumentBuf> {
        let collection = self.collection_of_plain_ids(namespace)?;
        let snapshot = collection.snapshot().await.ok()?;
        let (_, document) = snapshot.document_by_id(id).await.ok()??;
        Some(document)
    }

    /// The collection, where an `_id` is equal to itself alone and of one document.
    fn collection_of_plain_ids(&self, namespace: &Namespace) -> Option<Arc<Collection>> {
        let collection = self.store().collection(namespace)?;
        collection.has_plain_ids().then_some(collection)
    }

    /// Notes a find that was answered so.
    pub fn note_find(&self, namespace: &Namespace, elapsed: Duration) {
        self.latencies().note(namespace, "find", elapsed, || true);
    }
}
