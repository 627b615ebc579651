//! Keys in CouchDB's order, for the indexes of Mango queries.
//!
//! A document has one entry if all paths lead to a value in it: the values as [`value::collated::encode`] writes them,
//! then the `_id`, so that equal values are in the order of the ids. If the index is read partition by partition, the document's
//! partition comes first. An array is one value; its elements have no entries. Design documents have no entries
//! (`src/mango/src/mango_native_proc.erl`).

use super::IndexField;
use crate::partition::{is_design, partition_of, put_partition};
use value::key::{self, Direction, TypeBits};
use value::path::exact;
use value::path::extract::{IndexKey, IndexKeys};
use value::{DocumentRef, ValueRef, collated, json};

pub(super) fn keys(fields: &[IndexField], partitioned: bool, document: DocumentRef<'_>) -> IndexKeys {
    let id = document.get("_id").unwrap_or(ValueRef::Null);
    if id.as_str().is_some_and(is_design) {
        return IndexKeys::default();
    }
    let mut key = Vec::new();
    if partitioned {
        let Some(partition) = id.as_str().and_then(partition_of) else {
            return IndexKeys::default();
        };
        put_partition(partition, &mut key);
    }
    // CouchDB's clients see every id as a string.
    let shown = json::id_text(id);
    let complete = fields.iter().all(|field| {
        let value = match field.path.parts() {
            [name] if **name == *"_id" => Some(ValueRef::String(&shown)),
            _ => exact(document, &field.path).value(),
        };
        if let Some(value) = value {
            collated::encode(value, &mut key);
        }
        value.is_some()
    });
    if !complete {
        return IndexKeys::default();
    }
    key::encode(id, Direction::Ascending, &mut key);
    IndexKeys {
        keys: vec![IndexKey {
            key,
            bits: TypeBits::default(),
        }],
        array_parts: Vec::new(),
    }
}
