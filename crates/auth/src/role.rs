//! A user-defined role, in the form of MongoDB's `admin.system.roles`.

use crate::{AuthError, Privileges, RoleName};
use value::{Document, DocumentRef, Value, ValueRef, doc};

/// A user-defined role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// What it is called.
    pub name: RoleName,
    /// What it allows by itself.
    pub privileges: Privileges,
    /// The roles whose privileges it has besides.
    pub roles: Vec<RoleName>,
}

impl Role {
    /// `database.name`, which is the role's `_id`.
    pub fn id(&self) -> String {
        format!("{}.{}", self.name.database, self.name.name)
    }

    /// The document that is stored.
    pub fn to_document(&self) -> Document {
        doc! {
            "_id": self.id(),
            "role": &self.name.name,
            "db": &self.name.database,
            "privileges": self.privileges.describe(),
            "roles": names_value(&self.roles),
        }
    }

    /// Reads what [`Role::to_document`] writes.
    pub fn from_document(document: DocumentRef<'_>) -> Result<Role, AuthError> {
        let Some(ValueRef::Array(privileges)) = document.get("privileges") else {
            return Err(AuthError::Damaged("privileges"));
        };
        Ok(Role {
            name: RoleName::from_document(document)?,
            privileges: Privileges::parse(privileges)?,
            roles: names_field(document)?,
        })
    }

    /// Refuses what a role of a database other than `admin` cannot have: roles and privileges that reach beyond it.
    pub fn check_reach(&self) -> Result<(), AuthError> {
        let database = &self.name.database;
        if database == "admin" {
            return Ok(());
        }
        if self.roles.iter().any(|role| role.database != *database) {
            return Err(AuthError::RoleModification(format!(
                "Roles on the '{database}' database cannot be granted roles from other databases"
            )));
        }
        let is_inside = |scope: &crate::Scope| scope.administered_by() == database;
        if self
            .privileges
            .iter()
            .any(|privilege| !is_inside(&privilege.scope))
        {
            return Err(AuthError::RoleModification(format!(
                "Roles on the '{database}' database cannot be granted privileges that target other databases or the cluster"
            )));
        }
        Ok(())
    }
}

/// `[{role, db}]`.
pub fn names_value<'a>(names: impl IntoIterator<Item = &'a RoleName>) -> Value {
    let documents = names.into_iter().map(RoleName::to_document);
    documents.map(Value::Document).collect()
}

/// `[{_id, role, db}]`, as expressions see roles.
pub fn shown_roles<'a>(names: impl IntoIterator<Item = &'a RoleName>) -> Value {
    let shown = names.into_iter().map(|name| {
        let id = format!("{}.{}", name.database, name.name);
        doc! {"_id": id, "role": &name.name, "db": &name.database}
    });
    shown.map(Value::Document).collect()
}

/// The field `roles` as it is stored.
pub(crate) fn names_field(document: DocumentRef<'_>) -> Result<Vec<RoleName>, AuthError> {
    let Some(ValueRef::Array(names)) = document.get("roles") else {
        return Err(AuthError::Damaged("roles"));
    };
    names
        .iter()
        .map(|name| match name {
            ValueRef::Document(name) => RoleName::from_document(name),
            _ => Err(AuthError::Damaged("roles")),
        })
        .collect()
}
