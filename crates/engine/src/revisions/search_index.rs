//! Descriptions of a collection's full-text indexes, in the protocols' forms.

use super::RevisionedCollection;
use crate::error::Result;
use value::{Document, Value};

/// The property of a collection that says how its fields are read.
const SEARCH_INDEX: &str = "searchIndex";
/// The property of a collection that has the full-text indexes that clients name.
const SEARCH_INDEXES: &str = "searchIndexes";

impl RevisionedCollection {
    /// How the collection is searched, as it was set; `None` if it never was.
    pub fn search_index(&self) -> Option<String> {
        match self.collection.options().properties.get(SEARCH_INDEX) {
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// Sets how the collection is searched.
    pub async fn set_search_index(&self, text: String) -> Result<()> {
        self.set_property(SEARCH_INDEX, Value::String(text)).await
    }

    /// The full-text indexes that clients name, as they were set.
    pub fn search_indexes(&self) -> Vec<Document> {
        let options = self.collection.options();
        let Some(Value::Array(indexes)) = options.properties.get(SEARCH_INDEXES) else {
            return Vec::new();
        };
        let documents = indexes.iter().filter_map(|index| match index {
            Value::Document(index) => Some(index.clone()),
            _ => None,
        });
        documents.collect()
    }

    /// Sets the full-text indexes that clients name.
    pub async fn set_search_indexes(&self, indexes: Vec<Document>) -> Result<()> {
        let indexes = indexes.into_iter().map(Value::Document).collect();
        self.set_property(SEARCH_INDEXES, Value::Array(indexes)).await
    }
}
