//! The full-text indexes of collections, as this protocol reads their fields.

use crate::index::Index;
use engine::{Engine, RevisionedCollection};
use indexing::{Following, IndexingError, Source, uuid_text};
use search::Mapping;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

impl Source for Index {
    fn name(&self) -> &str {
        &self.name
    }

    fn folder_name(&self) -> String {
        uuid_text(&self.collection.uuid())
    }

    fn collection(&self) -> &RevisionedCollection {
        &self.collection
    }

    fn following(&self) -> &Following {
        Index::following(self)
    }

    async fn mapping(&self) -> indexing::Result<Arc<Mapping>> {
        let mapping = Index::mapping(self).await;
        mapping.map_err(|error| IndexingError::Failed(error.reason))
    }
}

/// Removes what is left of collections that are not there any more.
pub fn sweep(folder: &Path, engine: &Engine) {
    indexing::sweep(folder, || {
        let databases = engine.databases();
        let collections = databases.iter().flat_map(|database| engine.collections(database));
        let ids = collections.filter_map(|collection| collection.uuid);
        ids.map(|id| uuid_text(&id)).collect::<HashSet<_>>()
    });
}
