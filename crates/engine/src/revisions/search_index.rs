//! How a collection is searched, in the form that the protocol gave it.

use super::RevisionedCollection;
use crate::error::Result;
use value::Value;

/// The property of a collection that says how its fields are read.
const SEARCH_INDEX: &str = "searchIndex";

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
}
