//! Finds that need neither a plan nor a cursor: one document by its `_id`.
//!
//! Such a read waits at most for a block of the disk, so it is not an operation that can be listed or ended. It is counted and
//! timed like all others.

use crate::engine::Engine;
use crate::error::Result;
use crate::tables::sessions::{SessionId, Used};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use store::{Collection, Namespace};
use value::{DocumentBuf, ValueRef};

/// What a connection keeps from one such find to the next, so that most of them take no lock that all connections share.
#[derive(Debug, Default)]
pub struct AtHand {
    known: Option<Box<Known>>,
    used: Option<Box<Used>>,
}

/// The collection that was read last.
#[derive(Debug)]
struct Known {
    namespace: Namespace,
    /// The store's generation of names, read before the collection was looked up.
    generation: u64,
    collection: Weak<Collection>,
}

/// A collection in which an `_id` equals no other value and belongs to one document.
#[derive(Debug)]
pub struct PlainCollection(Arc<Collection>);

impl PlainCollection {
    /// Appends the document of an `_id`, which is a plain value, if it is in memory. False does not mean that there is none: a query
    /// must then look it up.
    pub fn copy_at_hand(&self, id: ValueRef<'_>, out: &mut Vec<u8>) -> bool {
        self.0.copy_at_hand(id, out).is_some()
    }

    /// The document of an `_id`, which is a plain value, from the store. `None` does not mean that there is none: a query must then
    /// look it up, which also reports why a collection cannot be read.
    pub async fn read(&self, id: ValueRef<'_>) -> Option<DocumentBuf> {
        let snapshot = self.0.snapshot().await.ok()?;
        let (_, document) = snapshot.document_by_id(id).await.ok()??;
        Some(document)
    }
}

impl AtHand {
    fn known(&self, database: &str, collection: &str, generation: u64) -> Option<Arc<Collection>> {
        let known = self.known.as_ref()?;
        let is_it = known.generation == generation
            && known.namespace.collection == collection
            && known.namespace.database == database;
        is_it.then(|| known.collection.upgrade()).flatten()
    }
}

impl Engine {
    /// The collection of this name, if it is a plain one. `None` does not mean that there is none: a query must then be run.
    pub fn plain_collection(
        &self,
        at_hand: &mut AtHand,
        database: &str,
        collection: &str,
    ) -> Option<PlainCollection> {
        let generation = self.store().generation();
        let found = match at_hand.known(database, collection, generation) {
            Some(known) => known,
            None => {
                let namespace = Namespace::new(database, collection);
                let found = self.store().collection(&namespace)?;
                at_hand.known = Some(Box::new(Known {
                    namespace,
                    generation,
                    collection: Arc::downgrade(&found),
                }));
                found
            }
        };
        found.has_plain_ids().then_some(PlainCollection(found))
    }

    /// Counts a find that was answered in this way, in the collection that was read last.
    pub fn note_find(&self, at_hand: &AtHand, elapsed: Duration) {
        if let Some(known) = &at_hand.known {
            self.latencies().note(&known.namespace, "find", elapsed, || true);
        }
    }

    /// As [`Engine::touch_session`], for a connection that uses the same session again and again.
    pub fn touch_session_again(&self, at_hand: &mut AtHand, session: SessionId, now: Instant) -> Result<()> {
        self.sessions().touch_again(&mut at_hand.used, session, now)
    }
}
