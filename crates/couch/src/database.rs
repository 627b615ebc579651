//! A database that a request names.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::security::{self, Permission};
use crate::sequence::Sequences;
use crate::{ids, names};
use engine::files::Files;
use engine::{Engine, Namespace, RevisionedCollection, RevisionedSnapshot};
use value::Value;

/// One database, which the user may read.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    /// Its name as CouchDB shows it.
    pub(crate) name: String,
    pub(crate) collection: RevisionedCollection,
    pub(crate) sequences: Sequences,
    /// What the user may do with it.
    pub(crate) permission: Permission,
    namespace: Namespace,
    engine: Engine,
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
        let permission = match name {
            // Each document there is checked by itself.
            names::USERS if !call.user.is_admin() => Permission::Nothing,
            _ => security::permission(&call.user, &namespace, &collection.security()),
        };
        if permission == Permission::Nothing {
            return Err(security::refusal(&call.user));
        }
        Ok(Database {
            name: name.to_owned(),
            sequences: Sequences::of(&collection),
            collection,
            permission,
            namespace,
            engine: call.server.engine.clone(),
        })
    }

    /// Refuses whoever may not write this document.
    pub(crate) fn require_write(&self, call: &Call, id: &str) -> Result<()> {
        if id.starts_with(ids::DESIGN) {
            return self.require_admin(call);
        }
        match self.permission >= Permission::Write {
            true => Ok(()),
            false => Err(security::refusal(&call.user)),
        }
    }

    /// Refuses whoever may not change the database as a whole.
    pub(crate) fn require_admin(&self, call: &Call) -> Result<()> {
        match self.permission >= Permission::Administer {
            true => Ok(()),
            false => Err(security::admin_refusal(&call.user)),
        }
    }

    /// Where its attachments are.
    pub(crate) fn files(&self) -> Files {
        self.engine.files(names::attachments(&self.namespace))
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
