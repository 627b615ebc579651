//! Full names of collections.

use crate::{DATABASE_NAME_BYTES_MAX, NAMESPACE_BYTES_MAX, StoreError};
use std::fmt;

/// The full name of a collection: `database.collection`. The database has no dot, the collection may.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace {
    /// The database, which has no dot in its name.
    pub database: String,
    /// The collection within it.
    pub collection: String,
}

impl Namespace {
    /// The databases of the server's own, which are always there.
    pub const OWN_DATABASES: [&str; 3] = ["admin", "config", "local"];

    /// A namespace of its two parts.
    pub fn new(database: impl Into<String>, collection: impl Into<String>) -> Namespace {
        Namespace {
            database: database.into(),
            collection: collection.into(),
        }
    }

    /// Splits `database.collection` at its first dot; `None` if a part would be empty.
    pub fn parse(text: &str) -> Option<Namespace> {
        let (database, collection) = text.split_once('.')?;
        (!database.is_empty() && !collection.is_empty()).then(|| Namespace::new(database, collection))
    }

    /// Whether a database may have this name, by MongoDB's rules.
    pub fn is_database_name(name: &str) -> bool {
        let forbidden = ['/', '\\', '.', ' ', '"', '$', '\0'];
        !name.is_empty() && name.len() <= DATABASE_NAME_BYTES_MAX && !name.contains(forbidden)
    }

    /// Whether a database is one of the server's own.
    pub fn is_own_database(name: &str) -> bool {
        Namespace::OWN_DATABASES.contains(&name)
    }

    /// Whether every protocol shows it. Only MongoDB's shows the server's own collections, and those that hold documents'
    /// attachments.
    pub fn is_shown_everywhere(&self) -> bool {
        let name = &self.collection;
        let is_of_files = name.ends_with(".attachments.files") || name.ends_with(".attachments.chunks");
        !Namespace::is_own_database(&self.database) && !name.starts_with("system.") && !is_of_files
    }

    /// Whether a collection may have this name in this database, by MongoDB's rules.
    pub fn is_well_formed(&self) -> bool {
        let name = &self.collection;
        Namespace::is_database_name(&self.database)
            && !name.is_empty()
            && !name.starts_with('.')
            && !name.contains(['$', '\0'])
            && self.database.len() + 1 + name.len() <= NAMESPACE_BYTES_MAX
    }

    /// Refuses names that the catalog cannot hold. Callers refuse what MongoDB forbids besides.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_own_collections_are_not_shown_everywhere() {
        for (name, is_shown) in [
            ("default.a", true),
            ("default.files", true),
            ("default.a.attachments", true),
            ("admin.x", false),
            ("local.x", false),
            ("default.system.views", false),
            ("default.a.attachments.files", false),
            ("default.a.attachments.chunks", false),
        ] {
            let namespace = Namespace::parse(name).expect("a name");
            assert_eq!(namespace.is_shown_everywhere(), is_shown, "{name}");
        }
    }
}
