//! What is indexed: a collection, read in one way.

use crate::error::Result;
use crate::state::Following;
use engine::RevisionedCollection;
use search::Mapping;
use std::sync::Arc;

/// A collection and how its fields are read. Cheap to clone.
pub trait Source: Clone + Send + Sync + 'static {
    /// Its name, for messages.
    fn name(&self) -> &str;

    /// The name of the folder of its index, which no other source has.
    fn folder_name(&self) -> String;

    /// The collection.
    fn collection(&self) -> &RevisionedCollection;

    /// What is known of its index.
    fn following(&self) -> &Following;

    /// How fields are read, with those of all documents.
    fn mapping(&self) -> impl Future<Output = Result<Arc<Mapping>>> + Send;
}
