//! The indexes of a collection as the planner sees them.

use super::facts::{FieldFacts, FieldKind, IndexFacts};
use language::filter::Filter;
use parking_lot::Mutex;
use std::sync::Arc;
use store::{Collection, Index, IndexState, Snapshot};
use value::key::Direction;

/// One index that can be read, with the facts that the planner needs.
#[derive(Clone, Debug)]
pub struct KnownIndex {
    /// The store's index.
    pub index: Arc<Index>,
    /// Its facts.
    pub facts: Arc<IndexFacts>,
}

/// A collection's indexes with their facts, as they were at the last request.
#[derive(Debug, Default)]
struct Catalog(Mutex<Arc<[KnownIndex]>>);

/// The complete indexes of a collection. To be called after the snapshot was taken, so that an index with elements of arrays in
/// that snapshot is known to have them.
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

/// The indexes that have all documents of a snapshot. An index that became ready after it was taken does not; nor does the index on
/// `_id` if documents repeat an `_id`, since it has only the first of them.
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

    /// Whether the facts are still right for an index. Its description does not change, but a document with an array may have been
    /// inserted.
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

/// The parsed filter. It parsed when the index was made; if it does not parse now, [`unusable`] returns the reason.
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
