//! A database that a request names.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::security::{self, Permission};
use crate::sequence::Sequences;
use crate::{ids, names, users};
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
    /// Whether its documents are users.
    pub(crate) is_users: bool,
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
        let database = Database::opened(call, name)?;
        match database.permission {
            Permission::Own if call.path.get(1).is_some_and(|part| part == "_design") => {
                Err(users::design_refusal())
            }
            Permission::Own => Err(CouchError::unauthorized("You are not a server admin.")),
            _ => Ok(database),
        }
    }

    /// The database that the path names first, for one document: it may be that the user may read and write only some.
    pub(crate) fn for_document(call: &Call) -> Result<Database> {
        let name = call.path.first().map(String::as_str).unwrap_or_default();
        Database::opened(call, name)
    }

    fn opened(call: &Call, name: &str) -> Result<Database> {
        let namespace = names::namespace(name);
        let found = match names::is_seen(&namespace) {
            true => call.server.engine.revisioned(&namespace)?,
            false => None,
        };
        let Some(collection) = found else {
            names::check(name)?;
            return Err(CouchError::no_database());
        };
        let is_users = name == names::users(&call.server.config);
        let permission = match security::permission(&call.user, &namespace, collection.security().as_ref()) {
            // Each document there is checked by itself.
            permission if is_users && permission < Permission::Administer => Permission::Own,
            permission => permission,
        };
        if permission == Permission::Nothing {
            return Err(security::refusal(&call.user));
        }
        Ok(Database {
            name: name.to_owned(),
            sequences: Sequences::of(&collection),
            is_users,
            collection,
            permission,
            namespace,
            engine: call.server.engine.clone(),
        })
    }

    /// Refuses whoever may not read this document.
    pub(crate) fn require_read(&self, call: &Call, id: &str) -> Result<()> {
        match self.permission {
            Permission::Own => users::check_readable(&call.user, id),
            _ => Ok(()),
        }
    }

    /// Refuses whoever may not write this document. What may be written of users is checked with the document.
    pub(crate) fn require_write(&self, call: &Call, id: &str) -> Result<()> {
        if id.starts_with(ids::DESIGN) {
            return self.require_admin(call);
        }
        match self.permission {
            Permission::Own | Permission::Write | Permission::Administer => Ok(()),
            Permission::Nothing | Permission::Read => Err(security::refusal(&call.user)),
        }
    }

    /// Refuses an id that no document of the database can have.
    pub(crate) fn check_id(&self, id: &str) -> Result<()> {
        ids::check(id)?;
        match self.collection.is_partitioned() {
            true => ids::check_partitioned(id),
            false => Ok(()),
        }
    }

    /// Refuses to look for an id that names no partition where it must.
    pub(crate) fn check_placed(&self, id: &str) -> Result<()> {
        match self.collection.is_partitioned() {
            true => ids::check_placed(id),
            false => Ok(()),
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
