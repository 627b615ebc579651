//! Access to the files of one bucket.

use super::{Bucket, FileError};
use crate::engine::Engine;
use memory::Budget;
use std::sync::Arc;
use store::{Collection, IndexSpec, IndexState, Namespace};
use value::{Document, doc};

/// The files of one bucket. Cheap to make and to clone; a bucket that does not exist yet is empty.
#[derive(Clone, Debug)]
pub struct Files {
    pub(super) engine: Engine,
    pub(super) bucket: Bucket,
}

impl Engine {
    /// The files of a bucket.
    pub fn files(&self, bucket: Bucket) -> Files {
        Files {
            engine: self.clone(),
            bucket,
        }
    }
}

impl Files {
    /// The memory from which what is read of them is taken.
    pub fn memory(&self) -> &Budget {
        self.engine.memory()
    }

    /// The bucket.
    pub fn bucket(&self) -> &Bucket {
        &self.bucket
    }

    /// The collection of chunks. Both collections are made, with the drivers' indexes, if they are missing.
    pub(super) async fn make(&self) -> Result<Arc<Collection>, FileError> {
        self.with_index(&self.bucket.files(), doc! {"filename": 1, "uploadDate": 1}, false)
            .await?;
        self.with_index(&self.bucket.chunks(), chunk_key(), true).await
    }

    async fn with_index(
        &self,
        namespace: &Namespace,
        key: Document,
        unique: bool,
    ) -> Result<Arc<Collection>, FileError> {
        let collection = self.engine.for_writing(namespace).await?;
        if index_on(&collection, &key).is_none() {
            let name: Vec<String> = key.iter().map(|(path, _)| format!("{path}_1")).collect();
            let mut spec = IndexSpec::new(name.join("_"), key);
            spec.unique = unique;
            collection.create_indexes(vec![spec]).await?;
        }
        Ok(collection)
    }

    /// The collection of chunks, if it exists.
    pub(super) fn chunks(&self) -> Option<Arc<Collection>> {
        self.engine.store().collection(&self.bucket.chunks())
    }
}

/// The key of the index that chunks are found by.
pub(super) fn chunk_key() -> Document {
    doc! {"files_id": 1, "n": 1}
}

/// The index on exactly this ascending key that is ready for use.
pub(super) fn index_on(collection: &Collection, key: &Document) -> Option<Arc<store::Index>> {
    let is_on = |spec: &IndexSpec| {
        spec.partial_filter.is_none()
            && spec.key.len() == key.len()
            && spec
                .key
                .iter()
                .zip(key.iter())
                .all(|((path, order), (wanted, _))| {
                    path == wanted && order.as_ref().as_f64().is_some_and(|order| order > 0.0)
                })
    };
    collection
        .indexes()
        .into_iter()
        .find(|index| index.state() == IndexState::Ready && is_on(index.spec()))
}
