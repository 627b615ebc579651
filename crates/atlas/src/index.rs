//! An index: what is known of it, and how its fields follow the change log.

use crate::definition::Definition;
use crate::error::Result;
use crate::fields;
use engine::{ChangeKind, Order, RevisionedCollection, Sequence};
use indexing::{Following, Indexes, IndexingError, Source, uuid_text};
use parking_lot::Mutex;
use search::Mapping;
use std::sync::Arc;

/// Changes that are looked at together.
const CHANGES_PAGE: usize = 1000;

/// What is known of an index.
#[derive(Debug)]
pub(crate) struct SearchIndexState {
    pub(crate) definition: Definition,
    /// Held while the fields of documents are learnt.
    change: tokio::sync::Mutex<()>,
    now: Mutex<(Arc<Mapping>, Sequence)>,
    pub(crate) following: Following,
}

impl SearchIndexState {
    pub(crate) fn new(definition: Definition, indexes: Indexes) -> SearchIndexState {
        SearchIndexState {
            now: Mutex::new((Arc::new(definition.mapping().clone()), Sequence::START)),
            definition,
            change: tokio::sync::Mutex::default(),
            following: Following::new(indexes),
        }
    }
}

/// An index of a collection.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub(crate) name: String,
    /// Its id and the version of its definition, which no other index has.
    pub(crate) key: String,
    pub(crate) collection: RevisionedCollection,
    pub(crate) state: Arc<SearchIndexState>,
}

impl Index {
    /// The fields of all documents.
    pub(crate) async fn learnt(&self) -> Result<Arc<Mapping>> {
        let known = || self.state.now.lock().clone();
        let (mapping, followed) = known();
        if followed >= self.collection.head() {
            return Ok(mapping);
        }
        let _changing = self.state.change.lock().await;
        let (mut mapping, mut followed) = known();
        let snapshot = self.collection.snapshot().await?;
        loop {
            let changes = snapshot.changes(&followed, Order::Forward, CHANGES_PAGE).await?;
            let Some(last) = changes.last() else { break };
            engine::steps(changes.len() * 10)?;
            let mut grown = None;
            for change in &changes {
                if let ChangeKind::Put(record) = &change.kind {
                    let grown = grown.get_or_insert_with(|| Mapping::clone(&mapping));
                    fields::learn(&self.state.definition, grown, record.document.as_ref())?;
                }
            }
            if let Some(grown) = grown.filter(|grown| grown.fields_count() > mapping.fields_count()) {
                mapping = Arc::new(grown);
            }
            followed = last.sequence.clone();
        }
        followed = followed.max(snapshot.head());
        *self.state.now.lock() = (mapping.clone(), followed);
        Ok(mapping)
    }
}

impl Source for Index {
    fn name(&self) -> &str {
        &self.name
    }

    fn folder_name(&self) -> String {
        folder_name(&self.collection.uuid(), &self.key)
    }

    fn collection(&self) -> &RevisionedCollection {
        &self.collection
    }

    fn following(&self) -> &Following {
        &self.state.following
    }

    async fn mapping(&self) -> indexing::Result<Arc<Mapping>> {
        self.learnt().await.map_err(IndexingError::Engine)
    }
}

/// The name of the folder of an index.
pub(crate) fn folder_name(collection: &[u8; 16], key: &str) -> String {
    format!("{}-{key}", uuid_text(collection))
}
