//! Names of roles.

use crate::AuthError;
use std::fmt;
use value::{Document, DocumentRef, ValueRef, doc};

/// A role by its name and the database that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleName {
    /// The database.
    pub database: String,
    /// The name.
    pub name: String,
}

impl RoleName {
    /// The role of this name in this database.
    pub fn new(name: impl Into<String>, database: impl Into<String>) -> RoleName {
        RoleName {
            database: database.into(),
            name: name.into(),
        }
    }

    /// The role that may do everything.
    pub fn root() -> RoleName {
        RoleName::new("root", "admin")
    }

    /// `{role, db}`.
    pub fn to_document(&self) -> Document {
        doc! {"role": &self.name, "db": &self.database}
    }

    /// Reads `{role, db}` as it was stored.
    pub(crate) fn from_document(document: DocumentRef<'_>) -> Result<RoleName, AuthError> {
        match (document.get("role"), document.get("db")) {
            (Some(ValueRef::String(name)), Some(ValueRef::String(database))) => {
                Ok(RoleName::new(name, database))
            }
            _ => Err(AuthError::Damaged("roles")),
        }
    }
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.database)
    }
}
