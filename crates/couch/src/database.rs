//! A database that a request names.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::sequence::Sequences;
use crate::{ids, names};
use engine::{RevisionedCollection, RevisionedSnapshot};
use value::Value;

/// One database.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    /// Its name as CouchDB shows it.
    pub(crate) name: String,
    pub(crate) collection: RevisionedCollection,
    pub(crate) sequences: Sequences,
}

impl Database {
    /// The database that the path names first.
    pub(crate) fn of(call: &Call) -> Result<Database> {
        let name = call.path.first().map(String::as_str).unwrap_or_default();
        Database::named(call, name)
    }

    /// The database of this name.
    pub(crate) fn named(call: &Call, name: &str) -> Result<Database> {
        let namespace = names::namespace(name);
        let found = match names::is_seen(&namespace) {
            true => call.server.engine.revisioned(&namespace)?,
            false => None,
        };
        let Some(collection) = found else {
            names::check(name)?;
            return Err(CouchError::no_database());
        };
        Ok(Database {
            name: name.to_owned(),
            sequences: Sequences::of(&collection),
            collection,
        })
    }

    /// Refuses whoever may not change the database as a whole.
    pub(crate) fn require_admin(&self, call: &Call) -> Result<()> {
        match call.user.is_admin() {
            true => Ok(()),
            false => Err(CouchError::unauthorized("You are not a db or server admin.")),
        }
    }

    /// The database as it is now.
    pub(crate) async fn snapshot(&self) -> Result<RevisionedSnapshot> {
        Ok(self.collection.snapshot().await?)
    }

    /// The `_id` that a text means.
    pub(crate) async fn id(&self, text: &str) -> Result<Value> {
        match ids::is_ambiguous(text) {
            true => ids::resolve(&self.snapshot().await?, text).await,
            false => Ok(Value::from(text)),
        }
    }
}
