//! Full-text indexes that clients name and define. Their implementation is handed to the engine at the start; pipelines and
//! commands call it.

use crate::engine::Engine;
use crate::error::{Error, Result};
use code::Code;
use futures::future::BoxFuture;
use pipeline::{Searched, Searching};
use std::fmt::Debug;
use std::sync::Arc;
use store::Namespace;
use value::Document;

/// An implementation of full-text indexes that clients name and define.
pub trait SearchIndexes: Debug + Send + Sync {
    /// Searches an index.
    fn search<'a>(&'a self, engine: &'a Engine, searching: &'a Searching) -> BoxFuture<'a, Result<Searched>>;

    /// The selected indexes of a collection, as clients see them.
    fn list(&self, engine: &Engine, namespace: &Namespace, which: &WhichSearchIndex)
    -> Result<Vec<Document>>;

    /// Makes indexes as clients define them. Returns the id and the name of each.
    fn create<'a>(
        &'a self,
        engine: &'a Engine,
        namespace: &'a Namespace,
        definitions: Vec<Document>,
    ) -> BoxFuture<'a, Result<Vec<(String, String)>>>;

    /// Gives an index another definition.
    fn update<'a>(
        &'a self,
        engine: &'a Engine,
        namespace: &'a Namespace,
        which: &'a WhichSearchIndex,
        definition: Document,
    ) -> BoxFuture<'a, Result<()>>;

    /// Drops an index.
    fn remove<'a>(
        &'a self,
        engine: &'a Engine,
        namespace: &'a Namespace,
        which: &'a WhichSearchIndex,
    ) -> BoxFuture<'a, Result<()>>;
}

/// Selects full-text indexes.
#[derive(Clone, Debug, Default)]
pub struct WhichSearchIndex {
    /// Only the one of this id.
    pub id: Option<String>,
    /// Only the one of this name.
    pub name: Option<String>,
}

impl Engine {
    /// The implementation of full-text indexes that clients define.
    pub fn search_indexes(&self) -> Result<Arc<dyn SearchIndexes>> {
        let kept = self.search_indexes_slot().lock().clone();
        kept.ok_or_else(|| {
            Error::new(
                Code::location(31_082),
                "Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration.",
            )
        })
    }

    /// Sets the implementation of full-text indexes, until the engine is closed.
    pub fn set_search_indexes(&self, kept: Arc<dyn SearchIndexes>) {
        *self.search_indexes_slot().lock() = Some(kept);
    }
}
