//! What a command is given: who calls it, with what, on which server.

use crate::arguments::{self, Generic};
use crate::connection::Connection;
use crate::error::{CommandError, Result};
use crate::server::Server;
use crate::wire::Request;
use auth::{Action, Resource};
use code::Code;
use engine::{Context, Namespace};
use std::sync::Arc;
use value::{DocumentRef, ValueRef};

/// One call of a command.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Arc<Server>,
    pub(crate) connection: &'a mut Connection,
    pub(crate) request: &'a Request,
    /// The name by which the command was called.
    pub(crate) called: &'static str,
    pub(crate) database: String,
    pub(crate) generic: Generic,
    pub(crate) context: Context,
}

impl Call<'_> {
    /// The command's arguments.
    pub(crate) fn arguments(&self) -> arguments::Arguments<'_> {
        arguments::Arguments::new(self.called, self.request)
    }

    /// The collection that the command names first.
    pub(crate) fn namespace(&self) -> Result<Namespace> {
        let value = self
            .request
            .body
            .as_raw()
            .get(self.called)
            .unwrap_or(ValueRef::Null);
        namespace_of(&self.database, value)
    }

    /// The collection that the command names first, by its name or by its UUID.
    ///
    /// To give a UUID is a right of its own; which collection it is shows only then, so `action` there is asked for here.
    pub(crate) fn namespace_or_uuid(&self, action: Action) -> Result<Namespace> {
        let uuid = match self.body().get(self.called) {
            Some(ValueRef::Binary { subtype: 4, .. }) => self.arguments().uuid(self.called)?,
            _ => None,
        };
        let Some(uuid) = uuid else {
            return self.namespace();
        };
        self.require(Action::UseUUID, Resource::Cluster)?;
        let collections = self.server.engine.collections(&self.database);
        let named = collections.into_iter().find(|entry| entry.uuid == Some(uuid));
        let entry = named.ok_or_else(|| {
            let uuid = uuid::Uuid::from_bytes(uuid);
            let message = format!("No collection of database {} has UUID {uuid}", self.database);
            CommandError::new(Code::NAMESPACE_NOT_FOUND, message)
        })?;
        self.require(action, Resource::Collection(&self.database, &entry.name))?;
        Ok(Namespace::new(&self.database, entry.name))
    }

    /// Refuses to make a collection under a name that MongoDB keeps for itself. One that is there is written like any other.
    pub(crate) fn check_makeable(&self, namespace: &Namespace) -> Result<()> {
        if !is_reserved(namespace) || self.server.engine.collection_entry(namespace).is_some() {
            return Ok(());
        }
        let message = format!("Invalid system namespace: {namespace}");
        Err(CommandError::invalid_namespace(message))
    }

    /// Refuses commands that are for database `admin` and came to another.
    pub(crate) fn require_admin(&self) -> Result<()> {
        match self.database == "admin" {
            true => Ok(()),
            false => Err(CommandError::unauthorized(format!(
                "{} may only be run against the admin database.",
                self.called
            ))),
        }
    }

    /// Refuses a client that may not do this besides what the command asks of everybody.
    pub(crate) fn require(&self, action: Action, resource: Resource<'_>) -> Result<()> {
        if !self.server.engine.needs_login() || self.connection.login.allows(action, resource) {
            return Ok(());
        }
        Err(CommandError::unauthorized(format!(
            "not authorized on {} to execute command {} (needs {})",
            self.database,
            self.called,
            action.name()
        )))
    }

    /// Whether the client may do anything at all with this.
    pub(crate) fn may_any(&self, resource: Resource<'_>) -> bool {
        self.allows_somehow(|privileges| privileges.allows_any(resource))
    }

    /// Whether the client may do anything at all within a database.
    pub(crate) fn reaches(&self, database: &str) -> bool {
        self.allows_somehow(|privileges| privileges.reaches(database))
    }

    fn allows_somehow(&self, allows: impl FnOnce(&auth::Privileges) -> bool) -> bool {
        !self.server.engine.needs_login() || self.connection.login.privileges().is_some_and(allows)
    }

    /// The command's body as a document.
    pub(crate) fn body(&self) -> DocumentRef<'_> {
        self.request.body.as_ref()
    }
}

/// The full name of the collection that an argument names, checked.
pub(crate) fn namespace_of(database: &str, value: ValueRef<'_>) -> Result<Namespace> {
    let ValueRef::String(name) = value else {
        let message = format!("collection name has invalid type {}", value.type_of().alias());
        return Err(CommandError::invalid_namespace(message));
    };
    check_collection_name(database, name)?;
    Ok(Namespace::new(database, name))
}

/// MongoDB's rules for a collection's name.
pub(crate) fn check_collection_name(database: &str, name: &str) -> Result<()> {
    let wrong = name.is_empty() || name.starts_with(['.', '$']) || name.contains('\0');
    match wrong {
        true => Err(CommandError::invalid_namespace(format!(
            "Invalid namespace specified '{database}.{name}'"
        ))),
        false => Ok(()),
    }
}

/// Whether a name begins as those of the system do and is none that clients write.
fn is_reserved(namespace: &Namespace) -> bool {
    let Some(name) = namespace.collection.strip_prefix("system.") else {
        return false;
    };
    let is_known = match (namespace.database.as_str(), name) {
        (_, "js" | "profile" | "users" | "views") => true,
        ("admin", "backup_users" | "keys" | "new_users" | "roles" | "version") => true,
        // What the other protocols keep, so that it can be brought back from a dump.
        ("admin", "couch" | "elastic") => true,
        ("config", "indexBuilds" | "preimages" | "sessions") => true,
        ("local", "healthlog" | "replset") => true,
        _ => name.starts_with("buckets."),
    };
    !is_known
}
