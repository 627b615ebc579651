//! Documents that are in memory, found without a snapshot.
//!
//! To read one document as it is now, no snapshot is needed. What the record cache serves to a snapshot of a sequence that was
//! written is what any later snapshot would read of that record; if a commit has changed the record since, it has raised the record's
//! floor above that sequence, and the cache serves nothing.

use crate::{Collection, RecordId, keys};
use std::sync::atomic::Ordering;
use value::{RawDocument, ValueRef};

impl Collection {
    /// Appends the document of an `_id` as it is now, if it is in memory. `None` does not mean that there is no such document: it must
    /// then be looked up in a snapshot. Taking one also fails with the reason if the collection cannot be read.
    pub fn copy_at_hand(&self, id: ValueRef<'_>, out: &mut Vec<u8>) -> Option<RecordId> {
        if self.check_usable().is_err() || !self.kv.is_sound() {
            return None;
        }
        let key = keys::id_key(id);
        let record = self.cached.guess(&key)?;
        let start = out.len();
        let newest = self.newest.load(Ordering::Acquire);
        if !self.cached.copy_document(record, newest, out) {
            return None;
        }
        let found = RawDocument::from_validated(out.get(start..).unwrap_or_default());
        if found.get("_id").is_some_and(|found| is_same(found, id, &key)) {
            return Some(record);
        }
        out.truncate(start);
        None
    }

    /// Notes that a snapshot of the present state has seen this sequence.
    pub(crate) fn note_newest(&self, sequence: u64) {
        self.newest.fetch_max(sequence, Ordering::Release);
    }
}

/// Whether an `_id` that was found is the wanted one, whose key is `id_key`.
fn is_same(found: ValueRef<'_>, id: ValueRef<'_>, id_key: &[u8]) -> bool {
    match (found, id) {
        (ValueRef::String(found), ValueRef::String(id)) => found == id,
        (ValueRef::ObjectId(found), ValueRef::ObjectId(id)) => found == id,
        (ValueRef::Int32(found), ValueRef::Int32(id)) => found == id,
        (ValueRef::Int64(found), ValueRef::Int64(id)) => found == id,
        (found, _) => keys::id_key(found) == id_key,
    }
}
