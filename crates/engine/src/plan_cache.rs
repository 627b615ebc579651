//! Index filters: which indexes the planner may use for queries of one shape (`planCacheSetFilter`).

use crate::Engine;
use parking_lot::Mutex;
use store::Namespace;
use value::{Document, Value};

/// An index filter as it was set.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexFilter {
    /// The filter's shape.
    pub query: Document,
    /// The sort.
    pub sort: Document,
    /// The projection.
    pub projection: Document,
    /// The collation, where one was given.
    pub collation: Option<Document>,
    /// Names or key patterns of the indexes allowed.
    pub indexes: Vec<Value>,
}

/// All index filters; they live until the server ends, as MongoDB's do.
#[derive(Debug, Default)]
pub(crate) struct IndexFilters {
    set: Mutex<Vec<(Namespace, IndexFilter)>>,
}

impl IndexFilters {
    pub(crate) fn forget(&self, of: impl Fn(&Namespace) -> bool) {
        self.set.lock().retain(|(namespace, _)| !of(namespace));
    }
}

impl Engine {
    /// The index filters of a collection.
    pub fn index_filters_of(&self, namespace: &Namespace) -> Vec<IndexFilter> {
        let set = self.index_filters().set.lock();
        set.iter()
            .filter(|(of, _)| of == namespace)
            .map(|(_, filter)| filter.clone())
            .collect()
    }

    /// Sets the indexes allowed for a shape, in place of those set before.
    pub fn set_index_filter(&self, namespace: &Namespace, filter: IndexFilter) {
        self.clear_index_filter(namespace, &filter);
        self.index_filters().set.lock().push((namespace.clone(), filter));
    }

    /// Removes the index filter of the same shape as `like`.
    pub fn clear_index_filter(&self, namespace: &Namespace, like: &IndexFilter) {
        self.index_filters()
            .set
            .lock()
            .retain(|(of, present)| of != namespace || !same_shape(present, like));
    }

    /// Removes all index filters of a collection.
    pub fn clear_index_filters(&self, namespace: &Namespace) {
        self.index_filters().forget(|of| of == namespace);
    }

    /// Forgets the plans that were chosen for a collection's queries.
    pub fn clear_plan_cache(&self, namespace: &Namespace) {
        if let Some(collection) = self.store().collection(namespace) {
            query::plan::forget_plans(&collection);
        }
    }

    /// The indexes allowed for a query, where an index filter was set for its shape.
    pub(crate) fn allowed_indexes(
        &self,
        namespace: &Namespace,
        query: &Document,
        sort: &Document,
        projection: &Document,
    ) -> Option<Vec<Value>> {
        let set = self.index_filters().set.lock();
        if set.is_empty() {
            return None;
        }
        let like = IndexFilter {
            query: query.clone(),
            sort: sort.clone(),
            projection: projection.clone(),
            collation: None,
            indexes: vec![],
        };
        set.iter()
            .find(|(of, f)| of == namespace && same_shape(f, &like))
            .map(|(_, f)| f.indexes.clone())
    }
}

fn same_shape(a: &IndexFilter, b: &IndexFilter) -> bool {
    shape(&a.query) == shape(&b.query)
        && a.sort == b.sort
        && a.projection == b.projection
        && a.collation == b.collation
}

/// The query with its constants forgotten: names and operators stay.
fn shape(query: &Document) -> Document {
    query
        .iter()
        .map(|(name, value)| (name.to_owned(), shape_of_value(name, value)))
        .collect()
}

fn shape_of_value(name: &str, value: &Value) -> Value {
    match value {
        Value::Document(inner) if inner.iter().any(|(n, _)| n.starts_with('$')) => {
            Value::Document(shape(inner))
        }
        Value::Array(branches) if matches!(name, "$and" | "$or" | "$nor") => {
            Value::Array(branches.iter().map(|branch| shape_of_value("", branch)).collect())
        }
        Value::Document(inner) if name.is_empty() => Value::Document(shape(inner)),
        Value::Regex(_) => Value::from("regex"),
        _ => Value::from("?"),
    }
}
