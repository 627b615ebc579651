//! Indexes: their description, their keys, their building.
//!
//! The key of an entry is `value::key::encode` of each field's value in the field's direction, one after the other.
//! A hashed field has the encoding of the 64-bit integer that [`value::key::hash_of_value`] returns. Wildcard,
//! geospatial, text and collated indexes have their own keys (`kinds`, `collated`).

mod build;
mod build_handle;
mod build_page;
mod clear;
mod collated;
mod create;
mod entries;
mod kinds;
mod places;
mod renew;
mod set;
mod single_key;
mod spec;
mod wildcard;

pub(crate) use build::{resume, resume_ended};
pub(crate) use build_handle::BuildHandle;
pub(crate) use entries::{EntrySet, Span, duplicate_key, entry_record, put_entry_value, split_entry};
pub use entries::{IndexEntry, digits_of_key};
pub(crate) use renew::renew;
pub(crate) use set::IndexSet;
pub use spec::{COLLATED, FilterCompiler, IndexSpec, PARTITIONED_INDEX};
pub use wildcard::Wildcard;

use crate::StoreError;
use kinds::Kinds;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use text::TextFields;
use value::Value;
use value::collation::Collation;
use value::key::Direction;
use value::path::FieldPath;
use value::path::extract::IndexPath;

/// How one field of an index orders its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldKind {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
    /// By hash, for equality only.
    Hashed,
    /// The paths below one, each with its values in this order.
    Wildcard(Direction),
    /// Points on a plane, by their cells.
    Geo2d,
    /// Geometries on the sphere, by their cells.
    Geo2dSphere,
    /// The terms of texts; in a unique index with their weights.
    Text,
    /// In CouchDB's order. Either all fields of an index are, or none is.
    Collated,
}

impl FieldKind {
    /// The order of the field's part of a key. For a wildcard, that of its values.
    fn direction(self) -> Direction {
        match self {
            FieldKind::Descending => Direction::Descending,
            FieldKind::Wildcard(direction) => direction,
            _ => Direction::Ascending,
        }
    }
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
    /// Writes keep it, but older documents are still being entered.
    Building,
    /// Complete.
    Ready,
}

/// The number of the index on `_id`.
pub(crate) const ID_INDEX: u32 = 0;

/// One index of a collection.
#[derive(Clone, Debug)]
pub struct Index {
    id: u32,
    spec: Arc<IndexSpec>,
    fields: Arc<[IndexField]>,
    paths: Arc<[IndexPath]>,
    kinds: Option<Arc<Kinds>>,
    hashed: bool,
    collation: Option<Collation>,
    filter: Option<Arc<dyn value::DocumentFilter>>,
    runtime: Arc<Runtime>,
    uses: Arc<Uses>,
}

/// How often an index was used under its present description.
#[derive(Debug)]
struct Uses {
    count: AtomicU64,
    since_ms: u64,
}

impl Uses {
    fn since(now_ms: u64) -> Arc<Uses> {
        Arc::new(Uses {
            count: AtomicU64::new(0),
            since_ms: now_ms,
        })
    }
}

/// The state of an index that changes while it is in use, shared by its successive descriptions.
#[derive(Debug)]
struct Runtime {
    /// For each field the parts of its path that ever reached an array, one bit each.
    multikey: Vec<AtomicU64>,
    ready: AtomicBool,
}

impl Index {
    pub(crate) fn new(
        id: u32,
        spec: IndexSpec,
        compile: FilterCompiler,
        now_ms: u64,
    ) -> Result<Index, StoreError> {
        let fields = spec.fields()?;
        let collation = match spec.kept.get("collation") {
            Some(Value::Document(options)) => Collation::parse(options),
            _ => Ok(None),
        };
        let collation = collation.map_err(|error| StoreError::CannotCreateIndex(error.to_string()))?;
        let filter = spec.partial_filter.as_ref();
        let filter = filter
            .map(|filter| compile(filter, collation.as_ref()))
            .transpose();
        let filter = filter.map_err(StoreError::CannotCreateIndex)?;
        let kinds = Kinds::of(&fields, &spec)?.map(Arc::new);
        let paths = fields
            .iter()
            .map(|field| IndexPath {
                path: field.path.clone(),
                direction: field.kind.direction(),
            })
            .collect();
        let runtime = Runtime {
            multikey: fields.iter().map(|_| AtomicU64::new(0)).collect(),
            ready: AtomicBool::new(id == ID_INDEX),
        };
        Ok(Index {
            id,
            hashed: fields.iter().any(|field| field.kind == FieldKind::Hashed),
            spec: Arc::new(spec),
            fields: fields.into(),
            paths,
            kinds,
            collation,
            filter,
            runtime: Arc::new(runtime),
            uses: Uses::since(now_ms),
        })
    }

    /// The same index with another description, if it differs only in what can change without a rebuild. Its uses are counted anew from
    /// now on.
    pub(crate) fn with_spec(&self, spec: IndexSpec, now_ms: u64) -> Index {
        Index {
            spec: Arc::new(spec),
            uses: Uses::since(now_ms),
            ..self.clone()
        }
    }

    /// The number of the index in its collection; 0 is `_id_`.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Whether it is the index on `_id`.
    pub fn is_of_ids(&self) -> bool {
        self.id == ID_INDEX
    }

    /// Its description.
    pub fn spec(&self) -> &IndexSpec {
        &self.spec
    }

    /// Its fields in order.
    pub fn fields(&self) -> &[IndexField] {
        &self.fields
    }

    /// The directions of the parts of its keys: one for each field, and two for a wildcard.
    pub fn directions(&self) -> impl Iterator<Item = Direction> {
        self.fields.iter().flat_map(|field| {
            let path = matches!(field.kind, FieldKind::Wildcard(_)).then_some(Direction::Ascending);
            path.into_iter().chain([field.kind.direction()])
        })
    }

    /// The order of its strings; `None` if it is that of their bytes. With a collation, keys hold the `key_text` of each string.
    pub fn collation(&self) -> Option<&Collation> {
        self.collation.as_ref()
    }

    /// The paths that its wildcard field holds; `None` if it has no such field.
    pub fn wildcard(&self) -> Option<&Wildcard> {
        self.kinds.as_ref().and_then(|kinds| kinds.wildcard())
    }

    /// Whether it is a text index.
    pub fn is_text(&self) -> bool {
        self.fields.iter().any(|field| field.kind == FieldKind::Text)
    }

    /// Whether its keys hold terms with their weights, as [`text::weighed`] writes them. A unique text index does, so that only
    /// documents with the same term of the same weight have the same key, as in MongoDB.
    pub fn has_weighed_terms(&self) -> bool {
        self.is_text() && self.has_record_in_value()
    }

    /// The strings that it holds; `None` if it is not a text index.
    pub fn text(&self) -> Option<&Arc<TextFields>> {
        self.kinds.as_ref().and_then(|kinds| kinds.text())
    }

    /// Whether its entries are in CouchDB's order.
    pub fn is_collated(&self) -> bool {
        self.fields.iter().any(|field| field.kind == FieldKind::Collated)
    }

    /// Whether it can be read.
    pub fn state(&self) -> IndexState {
        match self.runtime.ready.load(Ordering::Acquire) {
            true => IndexState::Ready,
            false => IndexState::Building,
        }
    }

    /// For each field, whether any document ever had an array on its path. Never goes back to false. To be right for a
    /// snapshot, it must be read after the snapshot was taken.
    pub fn multikey_paths(&self) -> Vec<bool> {
        self.multikey_bits().iter().map(|&parts| parts != 0).collect()
    }

    /// Whether any document ever had an array on the path of this field.
    pub fn is_multikey_field(&self, field: usize) -> bool {
        let parts = self.runtime.multikey.get(field);
        parts.is_none_or(|parts| parts.load(Ordering::Acquire) != 0)
    }

    /// Whether any field is multikey.
    pub fn is_multikey(&self) -> bool {
        self.runtime
            .multikey
            .iter()
            .any(|parts| parts.load(Ordering::Acquire) != 0)
    }

    /// Whether the index is unique on its key; `_id_` is.
    pub fn is_unique(&self) -> bool {
        self.id == ID_INDEX || self.spec.unique
    }

    /// Whether the value of an entry names the record. Otherwise the key ends with it.
    pub(crate) fn has_record_in_value(&self) -> bool {
        self.is_unique() && !self.spec.made_unique
    }

    /// Whether changes must not add a key that another record has, although the form of the keys would allow it.
    pub(crate) fn guards_keys(&self) -> bool {
        let guards = self.spec.prepare_unique || self.spec.made_unique;
        guards && !self.has_record_in_value() && self.state() == IndexState::Ready
    }

    /// How often queries have used the index, and since when (milliseconds since 1970).
    pub fn uses(&self) -> (u64, u64) {
        (self.uses.count.load(Ordering::Relaxed), self.uses.since_ms)
    }

    /// Counts one use.
    pub fn note_use(&self) {
        self.uses.count.fetch_add(1, Ordering::Relaxed);
    }

    /// The compiled `partialFilterExpression`.
    pub fn partial_filter(&self) -> Option<&dyn value::DocumentFilter> {
        self.filter.as_deref()
    }

    pub(crate) fn multikey_bits(&self) -> Vec<u64> {
        self.runtime
            .multikey
            .iter()
            .map(|parts| parts.load(Ordering::Acquire))
            .collect()
    }

    /// Notes that these parts of a field's path reached an array.
    fn note_multikey(&self, field: usize, parts: &[usize]) {
        // A path of more than 64 parts is rare; its last bit stands for all further ones.
        let bits = parts.iter().fold(0, |bits, &part| bits | 1 << part.min(63));
        self.note_multikey_bits(field, bits);
    }

    /// Takes over the bits from the shard's head.
    pub(crate) fn note_multikey_bits(&self, field: usize, bits: u64) {
        if let Some(known) = self.runtime.multikey.get(field).filter(|_| bits != 0) {
            known.fetch_or(bits, Ordering::AcqRel);
        }
    }

    pub(crate) fn set_ready(&self) {
        self.runtime.ready.store(true, Ordering::Release);
    }
}
