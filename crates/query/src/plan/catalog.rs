//! The indexes of a collection as the planner sees them.

use super::facts::{FieldFacts, FieldKind, IndexFacts};
use language::filter::Filter;
use parking_lot::Mutex;
use std::sync::Arc;
use store::{Collection, Index, IndexState, Snapshot};
use value::key::Direction;

/// One index that can be read, with what the planner knows of it.
#[derive(Clone, Debug)]
pub struct KnownIndex {
    /// The index as the store knows it.
    pub index: Arc<Index>,
    /// What is known of it.
    pub facts: Arc<IndexFacts>,
}

/// What was known of a collection's indexes when they were last asked for.
#[derive(Debug, Default)]
struct Catalog(Mutex<Arc<[KnownIndex]>>);

/// The indexes of a collection that are complete. Take the snapshot first: an index that holds arrays' elements by
/// then says so.
fn known_indexes(collection: &Collection) -> Arc<[KnownIndex]> {
    let mut indexes = collection.indexes();
    indexes.retain(|index| index.state() == IndexState::Ready);
    let catalog = collection.companion::<Catalog>();
    let mut known = catalog.0.lock();
    if known.len() != indexes.len()
        || !known
            .iter()
            .zip(&indexes)
            .all(|(known, index)| known.is_still(index))
    {
        *known = indexes.into_iter().map(KnownIndex::of).collect();
    }
    known.clone()
}

/// Those of them that have all documents of a snapshot: not one that was ready only after it was taken; and where documents repeat
/// an `_id`, the index on it has only the first of them.
pub fn whole_indexes(collection: &Collection, snapshot: &Snapshot) -> Arc<[KnownIndex]> {
    let indexes = known_indexes(collection);
    let has_repeats = snapshot.has_repeats(collection);
    let is_whole =
        |known: &&KnownIndex| snapshot.has_index(&known.index) && !(has_repeats && known.index.is_of_ids());
    if indexes.iter().all(|known| is_whole(&known)) {
        return indexes;
    }
    indexes.iter().filter(is_whole).cloned().collect()
}

impl KnownIndex {
    fn of(index: Arc<Index>) -> KnownIndex {
        KnownIndex {
            facts: Arc::new(facts_of(&index)),
            index,
        }
    }

    /// Whether this is all that is to be known of an index. Its description does not change, but a document with an array
    /// may have come.
    fn is_still(&self, index: &Arc<Index>) -> bool {
        let mut fields = self.facts.fields.iter().enumerate();
        Arc::ptr_eq(&self.index, index)
            && fields.all(|(position, field)| field.multikey == index.is_multikey_field(position))
    }
}

fn facts_of(index: &Index) -> IndexFacts {
    let spec = index.spec();
    let field = |(position, field): (usize, &store::IndexField)| FieldFacts {
        name: field.path.parts().join("."),
        kind: match field.kind {
            store::FieldKind::Descending => FieldKind::Ordered(Direction::Descending),
            store::FieldKind::Hashed => FieldKind::Hashed,
            store::FieldKind::Wildcard(direction) => FieldKind::Wildcard(direction),
            store::FieldKind::Geo2d => FieldKind::Plane(spec.grid()),
            store::FieldKind::Geo2dSphere => FieldKind::Sphere,
            store::FieldKind::Text | store::FieldKind::Collated => FieldKind::Opaque,
            _ => FieldKind::Ordered(Direction::Ascending),
        },
        multikey: index.is_multikey_field(position),
    };
    IndexFacts {
        name: spec.name.clone(),
        shown_name: spec.shown_name().to_owned(),
        key: spec.key.clone(),
        fields: index.fields().iter().enumerate().map(field).collect(),
        unique: index.is_unique(),
        sparse: spec.sparse,
        hidden: spec.hidden,
        partial: partial_filter(index),
        unusable: unusable(index),
        collation: index.collation().cloned(),
        wildcard_path: None,
    }
}

/// An index was made with this filter, so it does parse; if not, [`unusable`] says so.
fn partial_filter(index: &Index) -> Option<Arc<Filter>> {
    let condition = index.spec().partial_filter.as_ref()?;
    Filter::parse_partial(condition, index.collation())
        .ok()
        .map(Arc::new)
}

fn unusable(index: &Index) -> Option<String> {
    for field in index.fields() {
        let kind = match field.kind {
            store::FieldKind::Text => "text",
            store::FieldKind::Collated => "Mango",
            _ => continue,
        };
        return Some(format!("only {kind} queries can use a {kind} index"));
    }
    if index.spec().partial_filter.is_some() && partial_filter(index).is_none() {
        return Some("the index's partialFilterExpression cannot be read".to_owned());
    }
    None
}
