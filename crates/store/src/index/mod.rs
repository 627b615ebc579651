//! Indexes: their description, their keys, their building.
//!
//! The key of an entry is `value::key::encode` of each field's value in the field's direction, one behind the other;
//! a hashed field has the encoding of the 64-bit integer that [`hash_of_value`] gives.

mod hashed;
mod spec;

pub use hashed::hash_of_value;
pub use spec::{DocumentFilter, FilterCompiler, IndexSpec};

use crate::RecordId;
use value::path::FieldPath;

/// How one field of an index orders its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldKind {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
    /// By hash: equality only.
    Hashed,
}

/// One field of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexField {
    /// The path of the values.
    pub path: FieldPath,
    /// Their order.
    pub kind: FieldKind,
}

/// Whether an index can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// Writes keep it, but documents of before are still being entered.
    Building,
    /// Complete.
    Ready,
}

/// How far the build of an index has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// The index's name.
    pub index: String,
    /// The last record that was entered.
    pub position: RecordId,
    /// Records entered by this process so far.
    pub done: u64,
    /// Records of the collection.
    pub total: u64,
}

/// One index of a collection.
#[derive(Debug)]
pub struct Index {
    id: u32,
    spec: IndexSpec,
    fields: Vec<IndexField>,
}

impl Index {
    /// The number of the index in its collection; 0 is `_id_`.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Its description.
    pub fn spec(&self) -> &IndexSpec {
        &self.spec
    }

    /// Its fields in order.
    pub fn fields(&self) -> &[IndexField] {
        &self.fields
    }

    /// Whether it can be read.
    pub fn state(&self) -> IndexState {
        todo!("store")
    }

    /// For each field, whether some document ever had an array on its path. Never goes back to false. To be sure of a
    /// snapshot, take the snapshot first and look here afterwards.
    pub fn multikey_paths(&self) -> Vec<bool> {
        todo!("store")
    }

    /// Whether any field is multikey.
    pub fn is_multikey(&self) -> bool {
        todo!("store")
    }

    /// Whether the index is unique on its key; `_id_` is.
    pub fn is_unique(&self) -> bool {
        self.id == 0 || self.spec.unique
    }

    /// How often queries have used the index, and since when (milliseconds since 1970).
    pub fn uses(&self) -> (u64, u64) {
        todo!("store")
    }

    /// Counts one use.
    pub fn note_use(&self) {
        todo!("store")
    }

    /// The compiled `partialFilterExpression`.
    pub fn partial_filter(&self) -> Option<&dyn DocumentFilter> {
        todo!("store")
    }
}
