//! Remembered plans and index filters of a collection: `planCacheClear`, `planCacheSetFilter` ….

use crate::context::Context;
use crate::engine::Engine;
use crate::error::Result;
use crate::reading::find::FindRequest;
use query::execute::FindSpec;
use query::plan::IndexFilters;
use std::sync::Arc;
use store::Namespace;

pub use query::plan::IndexFilter;

impl Engine {
    /// The index filters of a collection.
    pub fn index_filters_of(&self, namespace: &Namespace) -> Vec<IndexFilter> {
        self.index_filters(namespace)
            .map_or_else(Vec::new, |filters| filters.list())
    }

    /// Sets the indexes allowed for a shape, in place of those set before. Fails if the filter's query is invalid.
    pub fn set_index_filter(
        &self,
        context: &Context,
        namespace: &Namespace,
        filter: IndexFilter,
    ) -> Result<()> {
        let spec = self.shaped(context, namespace, &filter)?;
        if let Some(filters) = self.index_filters(namespace) {
            filters.set(&spec, filter);
        }
        Ok(())
    }

    /// Removes the index filter of the same shape as `like`. Fails if that query is invalid.
    pub fn clear_index_filter(
        &self,
        context: &Context,
        namespace: &Namespace,
        like: &IndexFilter,
    ) -> Result<()> {
        let spec = self.shaped(context, namespace, like)?;
        if let Some(filters) = self.index_filters(namespace) {
            filters.clear(&spec);
        }
        Ok(())
    }

    /// Removes all index filters of a collection.
    pub fn clear_index_filters(&self, namespace: &Namespace) {
        if let Some(filters) = self.index_filters(namespace) {
            filters.clear_all();
        }
    }

    /// Forgets the plans that were chosen for a collection's queries.
    pub fn clear_plan_cache(&self, namespace: &Namespace) {
        if let Some(collection) = self.store().collection(namespace) {
            query::plan::forget_plans(&collection);
        }
    }

    /// Forgets the plan that was chosen for the shape of `like`. Fails if that query is invalid.
    pub fn clear_remembered_plan(
        &self,
        context: &Context,
        namespace: &Namespace,
        like: &IndexFilter,
    ) -> Result<()> {
        let spec = self.shaped(context, namespace, like)?;
        if let Some(collection) = self.store().collection(namespace) {
            query::plan::forget_plan(&collection, &spec);
        }
        Ok(())
    }

    fn index_filters(&self, namespace: &Namespace) -> Option<Arc<IndexFilters>> {
        let collection = self.store().collection(namespace)?;
        Some(IndexFilters::of(&collection))
    }

    /// The query whose shape an index filter or a remembered plan has.
    fn shaped(&self, context: &Context, namespace: &Namespace, filter: &IndexFilter) -> Result<FindSpec> {
        let request = FindRequest {
            filter: filter.query.clone(),
            sort: filter.sort.clone(),
            projection: filter.projection.clone(),
            collation: filter.collation.clone(),
            ..FindRequest::default()
        };
        self.find_spec(context, namespace, &request)
    }
}
