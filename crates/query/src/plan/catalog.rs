//! The indexes of a collection as the planner sees them.

use super::facts::{FieldFacts, FieldKind, IndexFacts};
use language::filter::Filter;
use std::sync::Arc;
use store::{Collection, Index, IndexState};
use value::key::Direction;

/// One index that can be read, with what the planner knows of it.
#[derive(Clone, Debug)]
pub struct KnownIndex {
    /// The index as the store knows it.
    pub index: Arc<Index>,
    /// What is known of it.
    pub facts: Arc<IndexFacts>,
}

/// The indexes of a collection that are complete. Take the snapshot first: an index that holds arrays' elements by
/// then says so.
pub fn known_indexes(collection: &Collection) -> Vec<KnownIndex> {
    let ready = |index: &Arc<Index>| index.state() == IndexState::Ready;
    collection
        .indexes()
        .into_iter()
        .filter(ready)
        .map(|index| KnownIndex {
            facts: Arc::new(facts_of(&index)),
            index,
        })
        .collect()
}

fn facts_of(index: &Index) -> IndexFacts {
    let spec = index.spec();
    let multikey = index.multikey_paths();
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
        multikey: multikey.get(position).copied().unwrap_or(true),
    };
    IndexFacts {
        name: spec.name.clone(),
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
