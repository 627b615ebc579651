//! Full-text indexes that clients name and define. Who keeps them is told to the engine at the start: what they find is asked
//! from within pipelines, and by commands.

use crate::engine::Engine;
use crate::error::{Error, Result};
use code::Code;
use futures::future::BoxFuture;
use pipeline::{Searched, Searching};
use std::fmt::Debug;
use std::sync::Arc;
use store::Namespace;
use value::Document;

/// Keeps full-text indexes that clients name and define.
pub trait SearchIndexes: Debug + Send + Sync {
    /// What an index finds.
    fn search<'a>(&'a self, engine: &'a Engine, searching: &'a Searching) -> BoxFuture<'a, Result<Searched>>;

    /// The indexes of a collection that these are, as clients see them.
    fn list(&self, engine: &Engine, namespace: &Namespace, which: &WhichSearchIndex)
    -> Result<Vec<Document>>;

    /// Makes indexes as clients define them; for each its id and its name.
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

/// The full-text indexes that are meant.
#[derive(Clone, Debug, Default)]
pub struct WhichSearchIndex {
    /// Only the one of this id.
    pub id: Option<String>,
    /// Only the one of this name.
    pub name: Option<String>,
}

impl Engine {
    /// Who keeps full-text indexes that clients define.
    pub fn search_indexes(&self) -> Result<Arc<dyn SearchIndexes>> {
        let kept = self.search_indexes_slot().lock().clone();
        kept.ok_or_else(|| {
            Error::new(
                Code::location(31_082),
                "Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration.",
            )
        })
    }

    /// Sets who keeps them, until the engine is closed.
    pub fn set_search_indexes(&self, kept: Arc<dyn SearchIndexes>) {
        *self.search_indexes_slot().lock() = Some(kept);
    }
}
