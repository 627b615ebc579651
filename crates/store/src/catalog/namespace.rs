//! Full names of collections.

use crate::{NAMESPACE_BYTES_MAX, StoreError};
use std::fmt;

/// The full name of a collection: `database.collection`. The database has no dot, the collection may.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace {
    /// The database.
    pub database: String,
    /// The collection within it.
    pub collection: String,
}

impl Namespace {
    /// Of its two parts.
    pub fn new(database: impl Into<String>, collection: impl Into<String>) -> Namespace {
        Namespace {
            database: database.into(),
            collection: collection.into(),
        }
    }

    /// Splits `database.collection` at its first dot; none where a part would be empty.
    pub fn parse(text: &str) -> Option<Namespace> {
        let (database, collection) = text.split_once('.')?;
        (!database.is_empty() && !collection.is_empty()).then(|| Namespace::new(database, collection))
    }

    /// Refuses what the catalog cannot hold; what MongoDB further forbids is the engine's to say.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let fault = if self.database.is_empty() || self.collection.is_empty() {
            "must have a database and a collection"
        } else if self.database.contains(['.', '\0']) || self.collection.contains('\0') {
            "contains a dot in the database or a NUL"
        } else if self.database.len() + 1 + self.collection.len() > NAMESPACE_BYTES_MAX {
            "is longer than 255 bytes"
        } else {
            return Ok(());
        };
        Err(StoreError::InvalidNamespace(format!(
            "Invalid namespace specified '{self}': it {fault}"
        )))
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.database, self.collection)
    }
}
