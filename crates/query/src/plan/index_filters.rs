//! Index filters, which restrict the planner to some indexes for queries of one shape.

use super::Shape;
use crate::execute::FindSpec;
use parking_lot::RwLock;
use std::sync::Arc;
use store::Collection;
use value::{Document, Value};

/// An index filter as it was set (`planCacheSetFilter`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexFilter {
    /// A query of the shape.
    pub query: Document,
    /// The sort.
    pub sort: Document,
    /// The projection.
    pub projection: Document,
    /// The collation, if one was given.
    pub collation: Option<Document>,
    /// Names or key patterns of the allowed indexes.
    pub indexes: Vec<Value>,
}

/// The index filters of one collection; they live as long as it is open, as MongoDB's do.
#[derive(Debug, Default)]
pub struct IndexFilters(RwLock<Vec<(Shape, IndexFilter)>>);

impl IndexFilters {
    /// The index filters of a collection.
    pub fn of(collection: &Collection) -> Arc<IndexFilters> {
        collection.companion()
    }

    /// All filters, oldest first.
    pub fn list(&self) -> Vec<IndexFilter> {
        self.0.read().iter().map(|(_, filter)| filter.clone()).collect()
    }

    /// Sets a filter, which replaces one of the same shape; `spec` is its query.
    pub fn set(&self, spec: &FindSpec, filter: IndexFilter) {
        let shape = shape_of(spec);
        let mut filters = self.0.write();
        filters.retain(|(present, _)| *present != shape);
        filters.push((shape, filter));
    }

    /// Removes the filter for the shape of a query.
    pub fn clear(&self, spec: &FindSpec) {
        let shape = shape_of(spec);
        self.0.write().retain(|(present, _)| *present != shape);
    }

    /// Removes all filters.
    pub fn clear_all(&self) {
        self.0.write().clear();
    }

    /// Names or key patterns of the indexes to which a query is restricted; `None` if it is not.
    pub(crate) fn allowed(&self, spec: &FindSpec) -> Option<Vec<Value>> {
        let filters = self.0.read();
        if filters.is_empty() {
            return None;
        }
        let shape = shape_of(spec);
        let (_, filter) = filters.iter().find(|(present, _)| *present == shape)?;
        Some(filter.indexes.clone())
    }
}

/// The shape of a query. Unlike that for which a plan is remembered, it does not include the fields that later stages need.
pub(super) fn shape_of(spec: &FindSpec) -> Shape {
    let needed = spec
        .projection
        .as_ref()
        .and_then(|projection| projection.required_fields());
    let collation = spec.variables.collation();
    Shape::new(&spec.filter, &spec.ordering, needed.as_deref(), collation)
}
