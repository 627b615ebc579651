//! Finds that need neither a plan nor a cursor: one document by its `_id` that is in memory.
//!
//! Such a read waits for nothing, so it is no operation that could be listed or ended; how often they are and how long they
//! took is noted as of all others.

use crate::engine::Engine;
use std::time::Duration;
use store::Namespace;
use value::ValueRef;

impl Engine {
    /// Appends the document of an `_id`, which is a plain value, where it can be told out of memory. False says nothing: the
    /// query must be asked then.
    pub fn copy_at_hand(&self, namespace: &Namespace, id: ValueRef<'_>, out: &mut Vec<u8>) -> bool {
        let Some(collection) = self.store().collection(namespace) else {
            return false;
        };
        // With a collation other strings may be equal to this one.
        let is_collated = collection.options().kept.contains("collation");
        !is_collated && collection.copy_at_hand(id, out).is_some()
    }

    /// Notes a find that was answered so.
    pub fn note_find(&self, namespace: &Namespace, elapsed: Duration) {
        self.latencies().note(namespace, "find", elapsed);
    }
}
